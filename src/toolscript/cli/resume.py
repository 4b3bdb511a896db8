"""`toolscript resume`: goes on with a run that a journal on disk holds."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping

from rich.console import Console

from toolscript import UNSET, CodeMode, SQLiteJournal
from toolscript.cli.answers import answers_from
from toolscript.cli.approve import Person, person_at_hand
from toolscript.cli.live import LiveRun
from toolscript.cli.load_tools import load_all
from toolscript.cli.outcome import show
from toolscript.cli.runs import journal_file, run_in
from toolscript.cli.watch import Watch
from toolscript.durable import head_of
from toolscript.host.approval import Verdict
from toolscript.host.journal import StoredRun


def main(arguments: argparse.Namespace) -> int:
    path = journal_file(arguments.journal)
    stored = asyncio.run(run_in(path, arguments.run_id))
    answers = answers_from(arguments, stored)
    return asyncio.run(_resume(arguments, stored, answers))


async def _resume(
    arguments: argparse.Namespace, stored: StoredRun, answers: Mapping[str, Verdict]
) -> int:
    progress = Console(stderr=True, quiet=arguments.json)
    journal = SQLiteJournal(arguments.journal)
    live = LiveRun(progress)
    watch = Watch(live, arguments)
    codemode = CodeMode(
        load_all(arguments.tools),
        profile=arguments.profile,
        input_schema=None if head_of(stored).input is None else True,
        approve=Person(live, arguments.who).asked if person_at_hand() else None,
        journal=journal,
    )
    try:
        async with codemode:
            with watch, live:
                result = await codemode.resume(
                    arguments.run_id,
                    answers,
                    timeout=UNSET if arguments.timeout is None else arguments.timeout,
                    on_event=watch.on_event,
                )
    finally:
        await journal.aclose()
    return show(result, arguments, progress, ran=watch.began)
