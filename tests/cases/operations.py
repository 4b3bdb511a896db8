"""The tools that the cases of execution and resilience name, by what they do."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from toolscript import Tool, ToolContext

Handler = Callable[[Any, ToolContext], Awaitable[Any]]

_ANYTHING = {"type": "object"}
_STANDARD = {"echo": {"op": "echo"}, "add": {"op": "add"}, "fail": {"op": "throw"}}


def tools_of(specs: list[str | dict[str, Any]]) -> list[Tool]:
    """The tools of one case. What they share (traces, counters) is new for each call of this."""
    shared = _Shared()
    found: list[Tool] = []
    for spec in specs:
        named = {"name": spec, **_STANDARD[spec]} if isinstance(spec, str) else spec
        handler = getattr(shared, named["op"])(named)
        found.append(Tool(named["name"], f"Does {named['op']}.", _ANYTHING, None, handler))
    return found


def handler_of(spec: dict[str, Any]) -> Handler:
    return getattr(_Shared(), spec["op"])(spec)


class _Shared:
    """Makes handlers; holds what several of them look at."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.count = 0
        self.running = 0
        self.peak = 0

    def echo(self, spec: Any) -> Handler:
        async def echo(args: Any, context: ToolContext) -> Any:
            return args

        return echo

    def add(self, spec: Any) -> Handler:
        async def add(args: Any, context: ToolContext) -> Any:
            return args["a"] + args["b"]

        return add

    def throw(self, spec: Any) -> Handler:
        kind = type(spec.get("error_name", "ValueError"), (Exception,), {})

        async def throw(args: Any, context: ToolContext) -> Any:
            raise kind(spec.get("message", "boom"))

        return throw

    def const(self, spec: Any) -> Handler:
        async def const(args: Any, context: ToolContext) -> Any:
            return spec["value"]

        return const

    def sleep_echo(self, spec: Any) -> Handler:
        async def sleep_echo(args: Any, context: ToolContext) -> Any:
            captured = copy.deepcopy(args)
            await asyncio.sleep(spec["ms"] / 1000)
            return captured

        return sleep_echo

    def sleep_arg(self, spec: Any) -> Handler:
        async def sleep_arg(args: Any, context: ToolContext) -> Any:
            await asyncio.sleep(args["ms"] / 1000)
            return args["v"]

        return sleep_arg

    def hang(self, spec: Any) -> Handler:
        async def hang(args: Any, context: ToolContext) -> Any:
            await context.cancelled.wait()
            raise asyncio.CancelledError

        return hang

    def rows(self, spec: Any) -> Handler:
        async def rows(args: Any, context: ToolContext) -> Any:
            return [{"id": number, "name": f"row {number}"} for number in range(spec["count"])]

        return rows

    def record(self, spec: Any) -> Handler:
        async def record(args: Any, context: ToolContext) -> Any:
            self.seen.append(args[spec["field"]])

        return record

    def trace(self, spec: Any) -> Handler:
        async def trace(args: Any, context: ToolContext) -> Any:
            return list(self.seen)

        return trace

    def counter(self, spec: Any) -> Handler:
        async def counter(args: Any, context: ToolContext) -> Any:
            self.count += 1
            return self.count

        return counter

    def probe(self, spec: Any) -> Handler:
        async def probe(args: Any, context: ToolContext) -> Any:
            self.running += 1
            self.peak = max(self.peak, self.running)
            await asyncio.sleep(spec["ms"] / 1000)
            self.running -= 1

        return probe

    def probe_peak(self, spec: Any) -> Handler:
        async def probe_peak(args: Any, context: ToolContext) -> Any:
            return self.peak

        return probe_peak

    def describe_args(self, spec: Any) -> Handler:
        async def describe_args(args: Any, context: ToolContext) -> Any:
            keys = list(args) if isinstance(args, dict) else []
            return {
                "type": type(args).__name__,
                "keys": keys,
                "own_proto": "__proto__" in keys,
                "plain": type(args) in (dict, list, str, int, float, bool, type(None)),
            }

        return describe_args

    def host_value(self, spec: Any) -> Handler:
        async def host_value(args: Any, context: ToolContext) -> Any:
            return _HOST_VALUES[spec["kind"]]()

        return host_value


class _Awkward:
    @property
    def field(self) -> int:
        raise RuntimeError("getter")


def _nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def _cycle() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


def _raise(error: BaseException) -> Any:
    raise error


_HOST_VALUES: dict[str, Callable[[], Any]] = {
    "undefined": lambda: None,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "date": lambda: datetime(2026, 11, 30),
    "bigint": lambda: 2**70,
    "function": lambda: len,
    "cycle": _cycle,
    "proto_own": lambda: {"__proto__": {"polluted": 1}, "a": 1},
    "then_data": lambda: {"then": "not a function"},
    "bytes": lambda: b"\x00\xff",
    "map": lambda: {1: "one", 2: "two"},
    "neg_zero": lambda: -0.0,
    "nested_undefined": lambda: {"a": None, "b": [None]},
    "deep": lambda: _nested(3000),
    "big": lambda: "x" * (8 * 1024 * 1024),
    "lone_surrogate": lambda: "a\ud800b",
    "to_json": lambda: type("WithToJson", (), {"to_json": lambda self: {"j": 1}})(),
    "getter_throws": _Awkward,
    "rejected_non_error": lambda: _raise(KeyError(42)),
    "reject_null": lambda: _raise(Exception(None)),
    "error_empty": lambda: _raise(Exception()),
    "sync_throw_type": lambda: _raise(TypeError("not callable")),
    "huge_error": lambda: _raise(Exception("x" * (1024 * 1024))),
}
