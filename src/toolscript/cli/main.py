"""The arguments of each command, and what every command has in common: how it ends."""

from __future__ import annotations

import argparse
import getpass
import math
import sys
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib.metadata import version
from typing import Any, Final

from toolscript.cli.arguments import ArgumentValueError
from toolscript.cli.exit_codes import INTERRUPTED, MISUSE
from toolscript.cli.load_tools import ToolsArgumentError
from toolscript.cli.streams import own_output
from toolscript.errors import ToolscriptError
from toolscript.profiles import PROFILES

_SHOW_WARNING: Final[Any] = warnings.showwarning
_TOOLS_HELP: Final = (
    "where the tools are: a module, module:attribute, file.py or file.py:attribute; "
    "without an attribute, its TOOLS or its public functions that have a docstring; "
    "may be given several times"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code (see the package's docstring).

    Without `argv` it is the process's own command: standard output is then for what the command
    says, until the process ends. Whatever tools print goes to standard error.
    """
    output = own_output() if argv is None else sys.stdout
    parser = _parser()
    with redirect_stdout(output):
        arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return MISUSE
    arguments.output = output
    try:
        with warnings.catch_warnings(), redirect_stdout(sys.stderr):
            warnings.showwarning = _tell
            code = arguments.command(arguments)
            output.flush()
            return code
    except (ArgumentValueError, ToolsArgumentError, ToolscriptError) as error:
        print(f"toolscript: {error}", file=sys.stderr)
        return MISUSE
    except KeyboardInterrupt:
        print("toolscript: interrupted; the run was stopped", file=sys.stderr)
        return INTERRUPTED


def _tell(message: Warning | str, category: type[Warning], *place: Any) -> None:
    """A warning as the command's other messages; where it was raised is nothing to its user."""
    if issubclass(category, UserWarning):
        print(f"toolscript: {message}", file=sys.stderr)
    else:
        _SHOW_WARNING(message, category, *place)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="toolscript",
        description="Code mode for Python agents: run scripts over your own tools, in a sandbox.",
    )
    parser.add_argument(
        "--version", action="version", version=f"toolscript {version('toolscript')}"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    parser.set_defaults(command=None)
    _demo(commands)
    _run(commands)
    _resume(commands)
    _runs(commands)
    _prompt(commands)
    _check(commands)
    _mcp(commands)
    _trace(commands)
    return parser


def _demo(commands: Any) -> None:
    demo = commands.add_parser("demo", help="the whole story, with no key and no network")
    demo.set_defaults(command=_command("demo"))


def _run(commands: Any) -> None:
    run = commands.add_parser("run", help="run a script over your tools")
    _script_and_tools(run)
    run.add_argument("--input", metavar="JSON|@FILE", help="program input of the script")
    run.add_argument(
        "--timeout", type=_seconds, metavar="SECONDS", help="wall time of the run (default: 60)"
    )
    run.add_argument(
        "--journal",
        metavar="FILE",
        help="keep the run in this file, so that it can be resumed after a pause or a crash",
    )
    run.add_argument("--run-id", metavar="RUN", help="what to call the run (default: a new name)")
    _who(run)
    run.add_argument("--json", action="store_true", help="print the whole result as JSON")
    run.set_defaults(command=_command("run"))


def _resume(commands: Any) -> None:
    resume = commands.add_parser(
        "resume", help="go on with a run of a journal that waits for approval or was interrupted"
    )
    resume.add_argument("run_id", metavar="RUN", help="as `toolscript runs` shows it")
    resume.add_argument("--journal", required=True, metavar="FILE", help="where the run is kept")
    _tools(resume)
    for answer, takes, meaning in (
        ("approve", "CALL", "this call may go ahead, or is made again if its outcome is unknown"),
        ("reject", "CALL", "this call is denied, or taken as failed if its outcome is unknown"),
        ("edit", "CALL=JSON", "this call may go ahead with these arguments"),
        ("happened", "CALL=JSON", "this call of unknown outcome took effect, with this result"),
    ):
        resume.add_argument(
            f"--{answer}",
            action="append",
            default=[],
            metavar=takes,
            help=f"{meaning}; CALL is its number or its id; may be given several times",
        )
    resume.add_argument("--reason", metavar="TEXT", help="what the script reads of a rejection")
    _who(resume)
    resume.add_argument(
        "--timeout", type=_seconds, metavar="SECONDS", help="wall time from now on (default: 60)"
    )
    resume.add_argument("--json", action="store_true", help="print the whole result as JSON")
    resume.set_defaults(command=_command("resume"))


def _runs(commands: Any) -> None:
    runs = commands.add_parser("runs", help="list the runs of a journal, and what they wait for")
    runs.add_argument("--journal", required=True, metavar="FILE", help="the file of the journal")
    runs.add_argument("--json", action="store_true", help="print JSON")
    runs.set_defaults(command=_command("runs"))


def _prompt(commands: Any) -> None:
    prompt = commands.add_parser("prompt", help="print what a model reads about your tools")
    _tools(prompt)
    prompt.add_argument("--max-tokens", type=_tokens, metavar="N", help="the budget to fit into")
    prompt.add_argument("--json", action="store_true", help="print text, sizes and names as JSON")
    prompt.set_defaults(command=_command("prompt"))


def _check(commands: Any) -> None:
    check = commands.add_parser("check", help="report what is wrong with a script; runs nothing")
    _script_and_tools(check)
    check.add_argument(
        "--level",
        choices=("none", "types", "constrained"),
        help="what to check beside syntax (default: what the profile checks before a run, else "
        "types, where a type checker is installed)",
    )
    check.add_argument("--json", action="store_true", help="print the diagnostics as JSON")
    check.set_defaults(command=_command("check"))


def _mcp(commands: Any) -> None:
    mcp = commands.add_parser(
        "mcp", help="serve one tool that runs scripts, by MCP on standard input and output"
    )
    _tools(mcp, required=False)
    mcp.add_argument(
        "--server",
        action="append",
        default=[],
        metavar="NAME=URL|COMMAND",
        help="an MCP server whose tools scripts call as NAME.tool(...); may be given several times",
    )
    mcp.add_argument(
        "--name", default="toolscript", help="what this server calls itself (default: toolscript)"
    )
    mcp.set_defaults(command=_command("mcp"))


def _trace(commands: Any) -> None:
    trace = commands.add_parser(
        "trace", help="show the runs of a journal, and what one of them did"
    )
    trace.add_argument("journal", metavar="FILE", help="the file of a SQLiteJournal")
    trace.add_argument("run_id", metavar="RUN", nargs="?", help="one run: its receipts and result")
    trace.add_argument("--json", action="store_true", help="print JSON")
    trace.set_defaults(command=_command("trace"))


def _script_and_tools(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("script", metavar="SCRIPT", help="a file, or - for standard input")
    _tools(parser)


def _tools(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    parser.add_argument(
        "--tools", action="append", required=required, metavar="PLACE", help=_TOOLS_HELP
    )
    parser.add_argument(
        "--profile", choices=tuple(PROFILES), default="default", help="a named set of rules"
    )


def _who(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--who",
        default=_login_name(),
        metavar="NAME",
        help="who answers for calls, as their receipts name them (default: your login name)",
    )


def _login_name() -> str:
    """The name of the person at work here, or "" where the system knows none."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return ""


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"takes a number of seconds above 0, not {text!r}")
    return seconds


def _tokens(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"takes a whole number from 1 on, not {text!r}")
    return int(text)


def _command(name: str) -> Any:
    """Imports a command when it is called, so that `--help` is quick."""

    def call(arguments: argparse.Namespace) -> int:
        from importlib import import_module

        return import_module(f"toolscript.cli.{name}").main(arguments)

    return call
