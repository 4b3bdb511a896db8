"""`toolscript run`: one script over somebody's tools."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from rich.console import Console

from toolscript import UNSET, CodeMode, SQLiteJournal
from toolscript.cli.approve import Person, person_at_hand
from toolscript.cli.arguments import read_json, read_script
from toolscript.cli.live import LiveRun
from toolscript.cli.load_tools import load_all
from toolscript.cli.outcome import show
from toolscript.cli.watch import Watch


def main(arguments: argparse.Namespace) -> int:
    source = read_script(arguments.script)
    program_input = UNSET if arguments.input is None else read_json("--input", arguments.input)
    return asyncio.run(_run(arguments, source, program_input))


async def _run(arguments: argparse.Namespace, source: str, program_input: Any) -> int:
    progress = Console(stderr=True, quiet=arguments.json)
    live = LiveRun(progress)
    watch = Watch(live, arguments)
    journal = SQLiteJournal(arguments.journal) if arguments.journal else None
    # A script that comes by standard input leaves nothing to answer questions with.
    asks = arguments.script != "-" and person_at_hand()
    codemode = CodeMode(
        load_all(arguments.tools),
        profile=arguments.profile,
        input_schema=None if program_input is UNSET else True,
        approve=Person(live, arguments.who).asked if asks else None,
        journal=journal,
    )
    try:
        async with codemode:
            with watch, live:
                result = await codemode.run(
                    source,
                    input=program_input,
                    timeout=UNSET if arguments.timeout is None else arguments.timeout,
                    run_id=arguments.run_id,
                    on_event=watch.on_event,
                )
    finally:
        if journal is not None:
            await journal.aclose()
    return show(result, arguments, progress, ran=watch.began)
