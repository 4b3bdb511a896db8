"""Runs scripts through the host and a real runtime, without the engine around it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolscript.contract.entry import Entry
from toolscript.contract.tool import Tool, ToolOptions
from toolscript.events import OnEvent
from toolscript.host.gates import ToolGates
from toolscript.host.run import NestedScope, RunSetup, drive
from toolscript.profiles import Knobs, Profile, profile_named
from toolscript.result import ErrorKind, RunError, RunResult
from toolscript.sandbox.frames import EndFrame
from toolscript.sandbox.quickjs import QuickJSRuntime
from toolscript.sandbox.runtime import Program, Runtime
from toolscript.sandbox.surface import Group, Member, Surface

KINDS = {
    "threw": ErrorKind.EXCEPTION,
    "syntax": ErrorKind.SYNTAX,
    "invalid_output": ErrorKind.INVALID_OUTPUT,
    "memory": ErrorKind.MEMORY,
    "timeout": ErrorKind.TIMEOUT,
    "limit": ErrorKind.OUTPUT_LIMIT,
    "worker_exit": ErrorKind.WORKER_EXIT,
}

_runtime: QuickJSRuntime | None = None


def runtime() -> Runtime:
    """One pool of workers for all tests of this process."""
    global _runtime
    if _runtime is None:
        _runtime = QuickJSRuntime(max_workers=4)
    return _runtime


def tool(
    name: str,
    call: Callable[..., Any],
    *,
    schema: Mapping[str, Any] | bool = True,
    output: Mapping[str, Any] | None = None,
    parse_input: Callable[[dict[str, Any]], Any] | None = None,
    dump_output: Callable[[Any], Any] | None = None,
    **options: Any,
) -> Tool:
    return Tool(
        name,
        f"the tool {name}",
        schema,
        output,
        call,
        ToolOptions(**options),
        parse_input=parse_input,
        dump_output=dump_output,
    )


def explain(frame: EndFrame) -> RunError:
    return RunError(
        KINDS[frame.outcome],
        frame.message,
        name=frame.name,
        tool=frame.tool,
        code=frame.code or "",
        limit=frame.limit,
    )


async def run(
    script: str,
    tools: Sequence[Tool] = (),
    *,
    profile: str | Profile = "default",
    knobs: Knobs | None = None,
    limits: Mapping[str, Any] | None = None,
    wall_s: float | None = 30.0,
    on: Runtime | None = None,
    on_event: OnEvent | None = None,
    **setup: Any,
) -> RunResult:
    """The result of one script, as `drive` gives it."""
    base = profile_named(profile) if isinstance(profile, str) else profile
    chosen = base.with_knobs(knobs or Knobs(), limits)
    entries = [Entry(i, one, None, one.name) for i, one in enumerate(tools)]
    surface = Surface(
        groups=(
            Group(
                "tools",
                tuple(
                    Member(e.tool.name, e.identifier, e.index)
                    for e in entries
                    if not e.tool.options.hidden
                ),
            ),
        ),
        builtins=(
            *sorted(chosen.builtins),
            *(("timers",) if chosen.timers else ()),
            "codemode",
            "discovery",
        ),
        options={"broker": chosen.broker},
    )
    program = Program(
        code=script,
        surface=surface.to_json(),
        cpu_s=min(
            (part for part in (chosen.limits.cpu_s, wall_s) if part is not None), default=None
        ),
        memory_bytes=chosen.limits.memory_bytes,
        stack_bytes=chosen.limits.stack_bytes,
        json=chosen.json,
        track_lines=chosen.track_lines,
    )
    place = on or runtime()

    async def nested(source: str, scope: NestedScope) -> RunResult:
        return await run(
            source,
            tools,
            profile=chosen,
            wall_s=wall_s,
            on=on,
            on_event=on_event,
            **{
                **setup,
                "depth": scope.depth,
                "authority": scope.authority,
                "person_decides": scope.person_decides,
                "run_id": f"{scope.run_id}.{scope.seq}",
            },
        )

    values: dict[str, Any] = {
        "run_id": "run-1",
        "entries": entries,
        "helpers": {},
        "profile": chosen,
        "policy": None,
        "authority": None,
        "approve": None,
        "app": None,
        "observers": () if on_event is None else (on_event,),
        "deadline": None if wall_s is None else time.monotonic() + wall_s,
        "wall_s": wall_s,
        "cancel": None,
        "explain": explain,
        "place": lambda line, entry: line,
        "nested": nested,
        "gates": ToolGates(),
    }
    return await drive(RunSetup(**{**values, **setup}), await place.open(program))
