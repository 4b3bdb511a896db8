"""`toolscript trace`: what one run of a journal on disk did."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final, TextIO

from rich.console import Console
from rich.markup import escape

from toolscript import Call, RunResult
from toolscript.cli import runs
from toolscript.cli.exit_codes import DONE
from toolscript.cli.receipts import decisions_text, receipts_table
from toolscript.durable import log_of, recorded
from toolscript.host.journal import StoredRun
from toolscript.host.on_record import calls_on_record

_NEXT: Final = {
    "running": "A process is at work on it.",
    "interrupted": "Nobody is at work on it; `toolscript resume` goes on with it.",
}


def main(arguments: argparse.Namespace) -> int:
    if arguments.run_id is None:
        return runs.main(arguments)
    stored = asyncio.run(runs.run_in(runs.journal_file(arguments.journal), arguments.run_id))
    if stored.outcome is None or stored.status in ("running", "interrupted"):
        _print_unfinished(stored, arguments.output, as_json=arguments.json)
    else:
        _print_run(stored, recorded(stored).as_shown(), arguments.output, as_json=arguments.json)
    return DONE


def _print_unfinished(stored: StoredRun, output: TextIO, *, as_json: bool) -> None:
    """What is on record of a run that has no outcome: somebody is at work on it, or was."""
    calls = calls_on_record(log_of(stored))
    if as_json:
        shown = {
            "run_id": stored.run_id,
            "status": stored.standing,
            "standing": stored.standing,
            "calls": calls,
        }
        print(json.dumps(shown, ensure_ascii=False, default=asdict), file=output)
        return
    console = Console(file=output, highlight=False)
    _print_calls(stored, calls, console)
    console.print(_NEXT[stored.standing])


def _print_run(stored: StoredRun, result: RunResult, output: TextIO, *, as_json: bool) -> None:
    if as_json:
        shown = {**json.loads(result.to_json()), "standing": stored.standing}
        print(json.dumps(shown, ensure_ascii=False), file=output)
        return
    console = Console(file=output, highlight=False)
    _print_calls(stored, result.calls, console)
    # Not wrapped: it may be read by a program.
    console.print(escape(result.text()), soft_wrap=True)


def _print_calls(stored: StoredRun, calls: Sequence[Call], console: Console) -> None:
    """The receipts, and what of them has no room in a table: who decided, and what was odd."""
    console.print(f"{escape(stored.run_id)}: {stored.standing}")
    if calls:
        console.print(receipts_table(calls, console.width))
    for call in calls:
        told = [decisions_text(call), call.note or ""]
        if any(told):
            text = f"call {call.seq} ({call.tool}): {'; '.join(part for part in told if part)}"
            console.print(escape(text), soft_wrap=True)
