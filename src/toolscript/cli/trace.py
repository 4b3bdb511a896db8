"""`toolscript trace`: what one run of a journal on disk did."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.markup import escape

from toolscript import RunResult, SQLiteJournal
from toolscript.cli import runs
from toolscript.cli.arguments import ArgumentValueError
from toolscript.cli.exit_codes import DONE
from toolscript.cli.receipts import receipts_table
from toolscript.durable import log_of
from toolscript.host.journal import StoredRun
from toolscript.host.on_record import calls_on_record


def main(arguments: argparse.Namespace) -> int:
    if arguments.run_id is None:
        return runs.main(arguments)
    path = runs.journal_file(arguments.journal)
    stored = asyncio.run(_stored(path, arguments.run_id))
    if stored.outcome is None or stored.status in ("running", "interrupted"):
        _print_unfinished(stored, as_json=arguments.json)
    else:
        print_run(RunResult.from_json(stored.outcome.decode()), as_json=arguments.json)
    return DONE


async def _stored(path: Path, run_id: str) -> StoredRun:
    journal = SQLiteJournal(path)
    try:
        stored = await journal.load(run_id)
    finally:
        await journal.aclose()
    if stored is None:
        raise ArgumentValueError(
            f"there is no run {run_id!r} in {path}; without an id all runs are listed"
        )
    return stored


def _print_unfinished(stored: StoredRun, *, as_json: bool) -> None:
    """What is on record of a run that has no outcome: somebody is at work on it, or was."""
    calls = calls_on_record(log_of(stored))
    if as_json:
        shown = {"run_id": stored.run_id, "status": stored.standing, "calls": calls}
        print(json.dumps(shown, ensure_ascii=False, default=asdict))
        return
    console = Console(highlight=False)
    console.print(f"{escape(stored.run_id)}: {stored.standing}")
    if calls:
        console.print(receipts_table(calls, console.width))
    for call in calls:
        if call.status == "pending":
            console.print(escape(f"call {call.seq} ({call.tool}): {call.note}"))
    console.print(_NEXT[stored.standing])


_NEXT: Final = {
    "running": "A process is at work on it.",
    "interrupted": "Nobody is at work on it; resume it to go on with it.",
}


def print_run(result: RunResult, *, as_json: bool) -> None:
    if as_json:
        print(result.as_shown().to_json())
        return
    console = Console(highlight=False)
    console.print(f"{escape(result.run_id)}: {result.status}")
    if result.calls:
        console.print(receipts_table(result.calls, console.width))
    console.print(escape(result.text()))
