"""`toolscript resume`: goes on with a run that a journal on disk holds."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence

from rich.console import Console

from toolscript import UNSET, CodeMode, SQLiteJournal
from toolscript.cli.approve import Person, person_at_hand
from toolscript.cli.arguments import ArgumentValueError
from toolscript.cli.live import LiveRun
from toolscript.cli.load_tools import load_all
from toolscript.cli.outcome import show
from toolscript.cli.runs import journal_file
from toolscript.durable import stored_runs
from toolscript.host.approval import Answer, Approve, Reject
from toolscript.host.entries import Head
from toolscript.host.journal import Journal
from toolscript.result import Pending, RunResult


def main(arguments: argparse.Namespace) -> int:
    journal_file(arguments.journal)
    progress = Console(stderr=True, quiet=arguments.json)
    return show(asyncio.run(_resume(arguments, progress)), arguments, progress)


async def _resume(arguments: argparse.Namespace, progress: Console) -> RunResult:
    journal = SQLiteJournal(arguments.journal)
    try:
        answers = await _answers(arguments, journal)
        live = LiveRun(progress)
        codemode = CodeMode(
            load_all(arguments.tools),
            profile=arguments.profile,
            input_schema=True if await _has_input(journal, arguments.run_id) else None,
            approve=Person(live).asked if person_at_hand(arguments.run_id) else None,
            journal=journal,
        )
        async with codemode:
            with live:
                return await codemode.resume(
                    arguments.run_id,
                    answers,
                    timeout=UNSET if arguments.timeout is None else arguments.timeout,
                    on_event=live.on_event,
                )
    finally:
        await journal.aclose()


async def _has_input(journal: Journal, run_id: str) -> bool:
    stored = await journal.load(run_id)
    return stored is not None and Head.from_bytes(stored.head).input is not None


async def _answers(arguments: argparse.Namespace, journal: Journal) -> Mapping[str, Answer]:
    """The answers of the command line, by `Pending.id`."""
    pending = [
        item
        for run in await stored_runs(journal)
        if run.run_id == arguments.run_id
        for item in run.pending
    ]
    approved = [_asked(word, pending) for word in arguments.approve]
    rejected = [_asked(word, pending) for word in arguments.reject]
    both = sorted(set(approved) & set(rejected))
    if both:
        raise ArgumentValueError(f"{both[0]} cannot be both approved and rejected")
    if arguments.reason and not rejected:
        raise ArgumentValueError("--reason goes with --reject")
    return {
        **{id: Approve() for id in approved},
        **{id: Reject(arguments.reason or "") for id in rejected},
    }


def _asked(word: str, pending: Sequence[Pending]) -> str:
    """The id of the waiting call that a word names, by its id or by its number."""
    for item in pending:
        if word in (item.id, str(item.seq)):
            return item.id
    waits = ", ".join(f"{item.seq} ({item.tool})" for item in pending) or "none"
    raise ArgumentValueError(f"no call {word!r} of this run waits for an answer; waiting: {waits}")
