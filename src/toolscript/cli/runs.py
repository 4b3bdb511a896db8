"""`toolscript runs`: what a journal on disk holds."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolscript import SQLiteJournal
from toolscript.cli.arguments import ArgumentValueError
from toolscript.cli.exit_codes import DONE
from toolscript.cli.receipts import counted
from toolscript.durable import stored_runs
from toolscript.live import RunInfo


def main(arguments: argparse.Namespace) -> int:
    print_runs(asyncio.run(runs_in(journal_file(arguments.journal))), as_json=arguments.json)
    return DONE


def journal_file(place: str) -> Path:
    """The file of a journal that is there."""
    path = Path(place)
    if not path.is_file():
        raise ArgumentValueError(f"there is no journal at {path}")
    return path


async def runs_in(path: Path) -> list[RunInfo]:
    journal = SQLiteJournal(path)
    try:
        return await stored_runs(journal)
    finally:
        await journal.aclose()


def print_runs(runs: list[RunInfo], *, as_json: bool) -> None:
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
        print(json.dumps(listed, ensure_ascii=False))
        return
    table = Table(title=counted(len(runs), "run"), title_justify="left")
    for column in ("run", "status", "age", "waits for"):
        table.add_column(column)
    for run in runs:
        waits = ", ".join(f"{item.tool} (call {item.seq})" for item in run.pending)
        table.add_row(escape(run.run_id), run.status, _age(run.age_s), escape(waits))
    Console(highlight=False).print(table)


def _age(seconds: float) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
