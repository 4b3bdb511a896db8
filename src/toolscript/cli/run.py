"""`toolscript run`: one script over somebody's tools."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Any

from rich.console import Console

from toolscript import UNSET, CodeMode, SQLiteJournal
from toolscript.cli.approve import Person, person_at_hand
from toolscript.cli.arguments import read_input, read_script
from toolscript.cli.live import LiveRun
from toolscript.cli.load_tools import load_all
from toolscript.cli.outcome import resume_command, show
from toolscript.events import Event, RunStarted
from toolscript.result import RunResult


def main(arguments: argparse.Namespace) -> int:
    source = read_script(arguments.script)
    program_input = UNSET if arguments.input is None else read_input(arguments.input)
    progress = Console(stderr=True, quiet=arguments.json)
    return show(asyncio.run(_run(arguments, source, program_input, progress)), arguments, progress)


async def _run(
    arguments: argparse.Namespace, source: str, program_input: Any, progress: Console
) -> RunResult:
    live = LiveRun(progress)
    journal = SQLiteJournal(arguments.journal) if arguments.journal else None
    begun: list[str] = []

    def watch(event: Event) -> None:
        if isinstance(event, RunStarted):
            begun.append(event.run_id)
        live.on_event(event)

    codemode = CodeMode(
        load_all(arguments.tools),
        profile=arguments.profile,
        input_schema=None if program_input is UNSET else True,
        approve=Person(live).asked if person_at_hand(arguments.script) else None,
        journal=journal,
    )
    async with codemode:
        try:
            with live:
                return await codemode.run(
                    source,
                    input=program_input,
                    timeout=UNSET if arguments.timeout is None else arguments.timeout,
                    run_id=arguments.run_id,
                    on_event=watch,
                )
        except asyncio.CancelledError:
            if begun and arguments.journal:
                command = resume_command(begun[0], arguments)
                print(f"toolscript: go on with the run by:  {command}", file=sys.stderr)
            raise
        finally:
            if journal is not None:
                await journal.aclose()
