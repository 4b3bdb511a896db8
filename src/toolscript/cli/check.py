"""`toolscript check`: what is wrong with a script, without running anything of it."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final, Literal, TextIO

from rich.console import Console
from rich.markup import escape

from toolscript import CodeMode, Diagnostic
from toolscript.cli.arguments import ArgumentValueError, read_script
from toolscript.cli.exit_codes import DONE, FAILED
from toolscript.cli.load_tools import load_all
from toolscript.cli.receipts import counted
from toolscript.profiles import profile_named
from toolscript.script.compiler import native_checker, tsc_on_path

_CheckLevel = Literal["none", "types", "constrained"]

_INSTALL: Final = 'pip install "toolscript[typecheck]" (in a clone: pip install ".[typecheck]")'


def main(arguments: argparse.Namespace) -> int:
    source = read_script(arguments.script)
    level = _level(arguments.level, profile_named(arguments.profile).check)
    found = asyncio.run(_check(arguments, source, level))
    if arguments.json:
        listed = json.dumps([asdict(item) for item in found], ensure_ascii=False)
        print(listed, file=arguments.output)
    else:
        _print(arguments.script, found, arguments.output)
    return FAILED if any(item.severity == "error" for item in found) else DONE


def _level(asked: _CheckLevel | None, of_profile: _CheckLevel) -> _CheckLevel:
    """What to check: what was asked for, what the profile checks, or as much as can be here."""
    if asked is None and of_profile != "none":
        asked = of_profile
    if asked not in (None, "types"):
        return asked
    if native_checker() is not None or tsc_on_path() is not None:
        return "types"
    if asked is not None:
        raise ArgumentValueError(
            f"--level types needs a type checker, and there is none: {_INSTALL}, put tsc on PATH, "
            "or give --level none"
        )
    print(
        f"toolscript: only syntax is checked, as there is no type checker: {_INSTALL}; "
        "--level none leaves this line out",
        file=sys.stderr,
    )
    return "none"


async def _check(
    arguments: argparse.Namespace, source: str, level: _CheckLevel
) -> Sequence[Diagnostic]:
    codemode = CodeMode(load_all(arguments.tools), profile=arguments.profile, check=level)
    async with codemode:
        return await codemode.validate(source)


def _print(place: str, found: Sequence[Diagnostic], output: TextIO) -> None:
    console = Console(file=output, highlight=False)
    for item in found:
        style = "red" if item.severity == "error" else "yellow"
        position = f"{place}:{item.line}:{item.column}"
        console.print(
            f"[bold]{escape(position)}[/] [{style}]{item.severity}[/] "
            f"{escape(item.message)} [dim]({escape(item.code)})[/]"
        )
        if item.excerpt:
            # Wrapping would part the caret from what it points at.
            console.print(escape(item.excerpt), no_wrap=True, overflow="crop")
        if item.hint:
            console.print(f"hint: {escape(item.hint)}", style="cyan")
    errors = sum(item.severity == "error" for item in found)
    warnings = len(found) - errors
    summary = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    console.print(summary if found else "nothing is wrong with it")
