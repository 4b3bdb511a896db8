"""What a person and a program see of how a run ended or where it waits."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from typing import Final

from rich.console import Console
from rich.markup import escape

from toolscript.cli.exit_codes import DONE, FAILED, PAUSED
from toolscript.cli.receipts import receipts_table
from toolscript.result import Pending, RunResult

_NOBODY: Final = (
    "toolscript: the run waits for approval, and nobody can be asked here: run it in a terminal "
    "with the script in a file, or with --journal FILE, so that it can be resumed"
)

_ENDINGS: Final = {"completed": DONE, "failed": FAILED, "paused": PAUSED}


def show(result: RunResult, arguments: argparse.Namespace, progress: Console) -> int:
    """Print a result, and how to go on with it; returns the exit code.

    The result is for whoever reads standard output; everything else is for the person.
    """
    if arguments.json:
        print(result.to_json())
    else:
        if result.calls:
            progress.print(receipts_table(result.calls, progress.width))
        for warning in result.warnings:
            progress.print(f"[yellow]warning:[/] {escape(warning)}", highlight=False)
        sys.stdout.write(result.text() + "\n")
    if result.pending and arguments.journal:
        print(how_to_answer(result, arguments), file=sys.stderr)
    elif result.status == "paused":
        print(_NOBODY, file=sys.stderr)
    return _ENDINGS[result.status]


def how_to_answer(result: RunResult, arguments: argparse.Namespace) -> str:
    """Each call that waits, and the command that answers."""
    waits = "\n".join(f"  {call_of(pending)}" for pending in result.pending)
    answers = " ".join(f"--approve {pending.seq}" for pending in result.pending)
    return (
        f"toolscript: run {result.run_id} waits for an answer:\n{waits}\n"
        f"go on with it by:  {resume_command(result.run_id, arguments)} {answers}\n"
        "or with --reject NUMBER and --reason TEXT"
    )


def call_of(pending: Pending) -> str:
    name = f"{pending.namespace}.{pending.tool}" if pending.namespace else pending.tool
    arguments = json.dumps(pending.args, ensure_ascii=False, default=str)
    return f"call {pending.seq}: {name}({arguments})  {pending.reason}"


def resume_command(run_id: str, arguments: argparse.Namespace) -> str:
    """What takes the run up again, in this shell and folder."""
    words = ["toolscript", "resume", run_id, "--journal", arguments.journal]
    for place in arguments.tools:
        words += ["--tools", place]
    if arguments.profile != "default":
        words += ["--profile", arguments.profile]
    return shlex.join(words)
