"""`toolscript trace`: what a journal on disk holds, and what one of its runs did."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolscript import RunResult, SQLiteJournal
from toolscript.cli.arguments import ArgumentValueError
from toolscript.cli.exit_codes import DONE
from toolscript.cli.receipts import receipts_table
from toolscript.durable import stored_runs
from toolscript.live import RunInfo


def main(arguments: argparse.Namespace) -> int:
    path = Path(arguments.journal)
    if not path.is_file():
        raise ArgumentValueError(f"there is no journal at {path}")
    if arguments.run_id is None:
        _print_runs(asyncio.run(_runs(path)), as_json=arguments.json)
    else:
        _print_run(asyncio.run(_result(path, arguments.run_id)), as_json=arguments.json)
    return DONE


async def _runs(path: Path) -> list[RunInfo]:
    journal = SQLiteJournal(path)
    try:
        return await stored_runs(journal)
    finally:
        await journal.aclose()


async def _result(path: Path, run_id: str) -> RunResult:
    journal = SQLiteJournal(path)
    try:
        stored = await journal.load(run_id)
    finally:
        await journal.aclose()
    if stored is None:
        raise ArgumentValueError(
            f"there is no run {run_id!r} in {path}; without an id all runs are listed"
        )
    if stored.outcome is None:
        raise ArgumentValueError(
            f"run {run_id!r} has neither paused nor ended yet; resume it to go on with it"
        )
    return RunResult.from_json(stored.outcome.decode())


def _print_runs(runs: list[RunInfo], *, as_json: bool) -> None:
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
    table = Table(title=f"{len(runs)} runs", title_justify="left")
    for column in ("run", "status", "age", "waits for"):
        table.add_column(column)
    for run in runs:
        waits = ", ".join(f"{item.tool} (call {item.seq})" for item in run.pending)
        table.add_row(escape(run.run_id), run.status, _age(run.age_s), escape(waits))
    Console(highlight=False).print(table)


def _print_run(result: RunResult, *, as_json: bool) -> None:
    if as_json:
        print(result.to_json())
        return
    console = Console(highlight=False)
    console.print(f"{escape(result.run_id)}: {result.status}")
    if result.calls:
        console.print(receipts_table(result.calls, console.width))
    console.print(escape(result.text()))


def _age(seconds: float) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
