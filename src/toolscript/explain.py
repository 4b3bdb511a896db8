"""From the last frame of an execution to an error that helps a model to mend its script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from toolscript.contract.contract import Contract
from toolscript.host.limits import Limits
from toolscript.result import ErrorKind, RunError
from toolscript.sandbox.frames import EndFrame
from toolscript.script.diagnostic import Diagnostic, excerpt
from toolscript.script.ends import return_place, throw_place
from toolscript.script.hints import hint_for
from toolscript.script.script import Script

_KINDS: Final = {
    "threw": ErrorKind.EXCEPTION,
    "syntax": ErrorKind.SYNTAX,
    "invalid_output": ErrorKind.INVALID_OUTPUT,
    "memory": ErrorKind.MEMORY,
    "timeout": ErrorKind.TIMEOUT,
    "limit": ErrorKind.OUTPUT_LIMIT,
    "worker_exit": ErrorKind.WORKER_EXIT,
}

_POSITION = re.compile(r"(?<=script:)(\d+):(\d+)")


def explain_end(
    frame: EndFrame,
    *,
    script: Script,
    byte_columns: bool,
    limits: Limits,
    globals_known: Sequence[str],
    contract: Contract,
) -> RunError:
    """The error of a run that ended with `frame`, in the coordinates of the model's source.

    `byte_columns` tells that the runtime counts columns in bytes.
    """
    kind = _KINDS[frame.outcome]
    if kind is ErrorKind.TIMEOUT:
        return RunError(
            kind,
            f"the script computed for longer than {limits.cpu_s:g} s (cpu_s)"
            if limits.cpu_s is not None
            else "the script computed for too long",
            limit="cpu_s",
            allowed=limits.cpu_s,
            hint="Work on less data at a time, or avoid the expensive loop or pattern.",
        )
    if kind is ErrorKind.MEMORY:
        return RunError(
            kind,
            "out of memory: the script held more than the "
            f"{limits.memory_bytes:,} bytes that are allowed (memory_bytes)"
            if limits.memory_bytes is not None
            else "out of memory",
            limit="memory_bytes",
            allowed=limits.memory_bytes,
            hint="Keep only the fields that you need of each result, and work on one page at a time.",
        )
    line, column = frame.line, frame.column
    moved = None
    if line is not None:
        moved = _call_place(frame, line, script, contract)
        line, column = moved or script.locate(line, column or 1, in_bytes=byte_columns)
    elif (place := _place_in_text(frame, script)) is not None:
        line, column = place
    return RunError(
        kind,
        frame.message,
        name=frame.name,
        stack=_relocated(frame.stack, script, byte_columns, first=moved),
        line=line,
        column=column,
        excerpt=excerpt(script.source, line, column or 1) if line is not None else "",
        hint=_elsewhere(frame, contract)
        or hint_for(
            script.source,
            name=frame.name,
            message=frame.message,
            line=line,
            column=column,
            globals_known=globals_known,
            tool_names=tuple(entry.expression.removeprefix("tools.") for entry in contract.entries),
        ),
        tool=frame.tool,
        code=frame.code or "",
        limit=frame.limit,
    )


def explain_diagnostics(kind: ErrorKind, diagnostics: Sequence[Diagnostic]) -> RunError:
    """The error of a script that was refused before it ran."""
    first = diagnostics[0]
    more = "".join(f"\n{item.line}:{item.column}: {item.message}" for item in diagnostics[1:])
    return RunError(
        kind,
        first.message + more,
        name="SyntaxError" if kind is ErrorKind.SYNTAX else "",
        line=first.line,
        column=first.column,
        excerpt=first.excerpt,
        hint=first.hint,
    )


def _place_in_text(frame: EndFrame, script: Script) -> tuple[int, int] | None:
    """Where the value stands that ended the script: only errors know their line."""
    if frame.outcome == "invalid_output":
        return return_place(script.source)
    if frame.outcome == "threw" and not frame.stack:
        return throw_place(script.source)
    return None


def _elsewhere(frame: EndFrame, contract: Contract) -> str:
    """Where a tool is that a script looked for in the wrong place."""
    if frame.code != "unknown_tool" or frame.tool is None:
        return ""
    if "Did you mean" in frame.message:
        return ""
    named: dict[str, list[str]] = {}
    for entry in contract.shown:
        for name in {entry.identifier, entry.tool.name}:
            named.setdefault(name, []).append(entry.expression)
    near = get_close_matches(frame.tool, named, n=1, cutoff=0.8)
    return f"Did you mean {' or '.join(f'`{place}`' for place in named[near[0]])}?" if near else ""


def _call_place(
    frame: EndFrame, line: int, script: Script, contract: Contract
) -> tuple[int, int] | None:
    """Where the call stands that failed, if the engine places it on a line of its arguments."""
    if frame.tool is None:
        return None
    called = [entry.index for entry in contract.entries if entry.tool.name == frame.tool]
    names = {frame.tool, *(name for index in called for name in contract.call_names[index])}
    return script.locate_call(line, names)


def _relocated(
    stack: str, script: Script, byte_columns: bool, *, first: tuple[int, int] | None
) -> str:
    """A stack in the coordinates of the model's source; `first` is the place of its first frame."""
    places = [first] if first is not None else []

    def moved(match: re.Match[str]) -> str:
        own = script.locate(int(match[1]), int(match[2]), in_bytes=byte_columns)
        line, column = places.pop() if places else own
        return f"{line}:{column}"

    return _POSITION.sub(moved, stack)
