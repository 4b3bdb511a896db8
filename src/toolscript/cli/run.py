"""`toolscript run`: one script over somebody's tools."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Any, Final

from rich.console import Console
from rich.markup import escape

from toolscript import UNSET, CodeMode
from toolscript.cli.approve import Person, person_at_hand
from toolscript.cli.arguments import read_input, read_script
from toolscript.cli.exit_codes import DONE, FAILED, PAUSED
from toolscript.cli.live import LiveRun
from toolscript.cli.load_tools import load_all
from toolscript.cli.receipts import receipts_table
from toolscript.result import RunResult

_NOBODY: Final = (
    "toolscript: the run waits for approval, and nobody can be asked here: run it in a terminal "
    "with the script in a file, or from Python with approve= or resume()"
)

_ENDINGS: Final = {"completed": DONE, "failed": FAILED, "paused": PAUSED}


def main(arguments: argparse.Namespace) -> int:
    source = read_script(arguments.script)
    program_input = UNSET if arguments.input is None else read_input(arguments.input)
    # The result is for whoever reads standard output; everything else is for the person.
    progress = Console(stderr=True, quiet=arguments.json)
    result = asyncio.run(_run(arguments, source, program_input, progress))
    if arguments.json:
        print(result.to_json())
    else:
        if result.calls:
            progress.print(receipts_table(result.calls, progress.width))
        for warning in result.warnings:
            progress.print(f"[yellow]warning:[/] {escape(warning)}", highlight=False)
        sys.stdout.write(result.text() + "\n")
    if result.status == "paused":
        print(_NOBODY, file=sys.stderr)
    return _ENDINGS[result.status]


async def _run(
    arguments: argparse.Namespace, source: str, program_input: Any, progress: Console
) -> RunResult:
    live = LiveRun(progress)
    codemode = CodeMode(
        load_all(arguments.tools),
        profile=arguments.profile,
        input_schema=None if program_input is UNSET else True,
        approve=Person(live).asked if person_at_hand(arguments.script) else None,
    )
    async with codemode:
        with live:
            return await codemode.run(
                source,
                input=program_input,
                timeout=UNSET if arguments.timeout is None else arguments.timeout,
                on_event=live.on_event,
            )
