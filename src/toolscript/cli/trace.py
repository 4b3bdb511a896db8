"""`toolscript trace`: what one run of a journal on disk did."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from toolscript import RunResult, SQLiteJournal
from toolscript.cli import runs
from toolscript.cli.arguments import ArgumentValueError
from toolscript.cli.exit_codes import DONE
from toolscript.cli.receipts import receipts_table


def main(arguments: argparse.Namespace) -> int:
    if arguments.run_id is None:
        return runs.main(arguments)
    path = runs.journal_file(arguments.journal)
    print_run(asyncio.run(_result(path, arguments.run_id)), as_json=arguments.json)
    return DONE


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


def print_run(result: RunResult, *, as_json: bool) -> None:
    if as_json:
        print(result.as_shown().to_json())
        return
    console = Console(highlight=False)
    console.print(f"{escape(result.run_id)}: {result.status}")
    if result.calls:
        console.print(receipts_table(result.calls, console.width))
    console.print(escape(result.text()))
