"""`toolscript runs`: what a journal on disk holds."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Final, TextIO

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolscript import SQLiteJournal
from toolscript.cli.arguments import ArgumentValueError
from toolscript.cli.exit_codes import DONE
from toolscript.cli.receipts import counted, duration
from toolscript.durable import stored_runs
from toolscript.host.journal import StoredRun
from toolscript.live import RunInfo

_MOST_NAMED: Final = 5


def main(arguments: argparse.Namespace) -> int:
    found = asyncio.run(_runs_in(journal_file(arguments.journal)))
    print_runs(found, arguments.output, as_json=arguments.json)
    return DONE


def journal_file(place: str) -> Path:
    """The file of a journal that is there."""
    path = Path(place)
    if path.is_dir():
        raise ArgumentValueError(f"{path} is a folder; give the file of a journal")
    if not path.is_file():
        raise ArgumentValueError(
            f"there is no journal at {path}; `toolscript run --journal FILE` keeps its run in one"
        )
    return path


async def run_in(path: Path, run_id: str) -> StoredRun:
    """One run of a journal, with its log.

    Raises:
        ArgumentValueError: if there is no run of that id.
    """
    journal = SQLiteJournal(path)
    try:
        stored = await journal.load(run_id)
        if stored is not None:
            return stored
        names = [run.run_id for run in await journal.stored_runs()]
    finally:
        await journal.aclose()
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    known = ", ".join(names[-_MOST_NAMED:]) + more if names else "no run at all"
    raise ArgumentValueError(f"there is no run {run_id!r} in {path}; it holds {known}")


async def _runs_in(path: Path) -> list[RunInfo]:
    journal = SQLiteJournal(path)
    try:
        return await stored_runs(journal)
    finally:
        await journal.aclose()


def print_runs(runs: list[RunInfo], output: TextIO, *, as_json: bool) -> None:
    if as_json:
        listed = [
            {
                "run_id": run.run_id,
                "status": run.status,
                "age_s": run.age_s,
                "pending": [item.id for item in run.pending],
            }
            for run in runs
        ]
        print(json.dumps(listed, ensure_ascii=False), file=output)
        return
    table = Table(title=counted(len(runs), "run"), title_justify="left")
    for column in ("run", "status", "age", "waits for"):
        table.add_column(column)
    for run in runs:
        waits = ", ".join(f"{item.tool} (call {item.seq})" for item in run.pending)
        table.add_row(escape(run.run_id), run.status, duration(run.age_s), escape(waits))
    Console(file=output, highlight=False).print(table)
