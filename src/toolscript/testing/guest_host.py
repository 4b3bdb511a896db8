"""The smallest host that a runtime can have: it answers calls and keeps all frames."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolscript.sandbox.frames import (
    CallFrame,
    EndFrame,
    Frame,
    IdleFrame,
    OutputFrame,
    ProgressFrame,
    StoreFrame,
)
from toolscript.sandbox.runtime import Program, Runtime, Usage
from toolscript.sandbox.surface import Group, Helper, Member, Surface

Answer = Callable[[Any], Any | Awaitable[Any]]
"""Answers a call: takes its JSON arguments, returns a JSON value or raises."""

ALL_BUILTINS = (
    "codemode",
    "discovery",
    "console",
    "emit",
    "exit",
    "image",
    "input",
    "list",
    "progress",
    "store",
    "text",
    "timers",
    "web",
)


@dataclass(slots=True)
class Ended:
    """What one execution came to. `end` is None when it stalled: nothing could go on."""

    end: EndFrame | None = None
    calls: list[CallFrame] = field(default_factory=list[CallFrame])
    output: list[OutputFrame] = field(default_factory=list[OutputFrame])
    stored: list[StoreFrame] = field(default_factory=list[StoreFrame])
    progress: list[ProgressFrame] = field(default_factory=list[ProgressFrame])
    usage: Usage = field(default_factory=Usage)

    @property
    def outcome(self) -> str:
        return "stalled" if self.end is None else self.end.outcome

    @property
    def value(self) -> Any:
        """The returned value as JSON; None also where there is none."""
        return json.loads(self.end.value) if self.end is not None and self.end.value else None

    @property
    def printed(self) -> str:
        return "\n".join(item.text for item in self.output if item.type == "text")


def surface(
    names: Sequence[str],
    *,
    builtins: Sequence[str] = ALL_BUILTINS,
    groups: Sequence[Group] = (),
    helpers: Sequence[Helper] = (),
    shortcuts: Mapping[str, int] | None = None,
    hints: Mapping[str, str] | None = None,
    string_argument: str | None = None,
) -> str:
    """The surface of tools of these names, by index in that order."""
    members = tuple(
        Member(name, "".join(c if c.isalnum() else "_" for c in name), index, string_argument)
        for index, name in enumerate(names)
    )
    return Surface(
        groups=(Group("tools", members), *groups),
        builtins=tuple(builtins),
        helpers=tuple(helpers),
        shortcuts=dict(shortcuts or {}),
        hints=dict(hints or {}),
    ).to_json()


async def execute(runtime: Runtime, program: Program, answers: Mapping[Any, Answer]) -> Ended:
    """Run a program to its end. `answers` holds functions by tool index or helper name."""
    execution = await runtime.open(program)
    ended = Ended()
    at_work: set[asyncio.Task[None]] = set()
    sent = 0

    async def reply(frame: CallFrame) -> None:
        nonlocal sent
        try:
            value: Any = answers[frame.target](json.loads(frame.args))
            if inspect.isawaitable(value):
                value = await value
        except Exception as error:
            told = {"message": str(error), "tool": str(frame.target)}
            execution.reject(frame.seq, {**told, "code": "failed", "details": None})
        else:
            execution.resolve(frame.seq, json.dumps(value), bigints=_has_bigint(value))
        sent += 1

    def take(frame: Frame) -> bool:
        """Keep a frame; True when the execution is over."""
        match frame:
            case CallFrame():
                ended.calls.append(frame)
                task = asyncio.create_task(reply(frame))
                at_work.add(task)
                task.add_done_callback(at_work.discard)
            case OutputFrame():
                ended.output.append(frame)
            case StoreFrame():
                ended.stored.append(frame)
            case ProgressFrame():
                ended.progress.append(frame)
            case EndFrame():
                ended.end = frame
                return True
            case IdleFrame():
                return frame.settled == sent and not at_work
            case _:
                pass
        return False

    try:
        over = False
        while not over:
            for frame in await execution.receive():
                over = take(frame) or over
    finally:
        for task in at_work:
            task.cancel()
        await execution.aclose()
    ended.usage = execution.usage
    return ended


def _has_bigint(value: Any) -> bool:
    return any(len(digits) > 15 for digits in re.findall(r"\d+", json.dumps(value)))
