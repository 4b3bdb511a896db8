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


def show(result: RunResult, arguments: argparse.Namespace, progress: Console, *, ran: bool) -> int:
    """Print a result, and how to go on with it; returns the exit code.

    `ran` is whether anything was run now; if not, the result comes from the journal.
    The result is for whoever reads standard output; everything else is for the person.
    """
    if arguments.json:
        print(result.to_json(), file=arguments.output)
    else:
        if result.calls:
            progress.print(receipts_table(result.calls, progress.width))
        for warning in result.warnings:
            progress.print(f"[yellow]warning:[/] {escape(warning)}", highlight=False)
        print(result.text(), file=arguments.output)
    if result.pending and arguments.journal:
        print(how_to_answer(result, arguments), file=sys.stderr)
        return PAUSED
    if result.status == "paused":
        print(_NOBODY, file=sys.stderr)
    elif not ran and arguments.journal:
        print(
            f"toolscript: run {result.run_id} is over: nothing was run now, and this is its result "
            "from the journal; a run of another name (--run-id) begins anew",
            file=sys.stderr,
        )
    return _ENDINGS[result.status]


def how_to_answer(result: RunResult, arguments: argparse.Namespace) -> str:
    """Each call that waits, and the command that answers."""
    waits = "\n".join(f"  {call_of(pending)}" for pending in result.pending)
    answers = " ".join(f"--approve {pending.seq}" for pending in result.pending)
    command = resume_command(result.run_id, arguments)
    if result.error is None:
        return (
            f"toolscript: run {result.run_id} waits for leave:\n{waits}\n"
            f"go on with it by:  {command} {answers}\n"
            "or with --reject CALL and --reason TEXT, or --edit CALL=JSON for other arguments"
        )
    return (
        f"toolscript: run {result.run_id} waits for somebody who knows what became of:\n{waits}\n"
        f"to make it again:  {command} {answers}\n"
        "if it did not take effect:  --reject CALL and --reason TEXT\n"
        "if it did:  --happened CALL=JSON, with what it came to"
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
