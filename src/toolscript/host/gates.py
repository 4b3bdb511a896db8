"""What an engine keeps for a tool from run to run: its validators, and how often it may be called."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from toolscript.contract.effort import most_properties, too_many_tries
from toolscript.contract.tool import Tool
from toolscript.contract.validation import validate_input, validate_output
from toolscript.errors import ToolError
from toolscript.jsonscan import count_properties
from toolscript.result import UNSET, Unset

_CROWD_BYTES: Final = 1 << 16
"""Less is read in a millisecond, and an error can name what is wrong with it."""


class Turnstile:
    """At most so many at once, and so many a second, across runs, threads and event loops."""

    def __init__(self, most: int | None, rate_per_s: float | None) -> None:
        self._lock = threading.Lock()
        self._free = most
        self._waiting: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()
        self._gap = 1.0 / rate_per_s if rate_per_s else 0.0
        self._next_start = 0.0

    async def enter(self) -> None:
        """Wait for a place and for the time to start. Each `enter` needs one `leave`."""
        await self._take_place()
        if self._gap:
            with self._lock:
                start = max(time.monotonic(), self._next_start)
                self._next_start = start + self._gap
            try:
                await asyncio.sleep(start - time.monotonic())
            except BaseException:
                self.leave()
                raise

    async def _take_place(self) -> None:
        with self._lock:
            if self._free is None:
                return
            if self._free > 0:
                self._free -= 1
                return
            loop = asyncio.get_running_loop()
            place = loop.create_future()
            self._waiting.append((loop, place))
        try:
            await place
        except asyncio.CancelledError:
            with self._lock:
                waiting = (loop, place) in self._waiting
                if waiting:
                    self._waiting.remove((loop, place))
            if not waiting:
                self.leave()
            raise

    def leave(self) -> None:
        while True:
            with self._lock:
                if self._free is None:
                    return
                if not self._waiting:
                    self._free += 1
                    return
                loop, place = self._waiting.popleft()
            try:
                loop.call_soon_threadsafe(_give, place, self)
            except RuntimeError:
                # That loop was closed with the call still waiting: the place goes on.
                continue
            return


def _give(place: asyncio.Future[None], turnstile: Turnstile) -> None:
    if not place.done():
        place.set_result(None)


class ToolGate:
    """One tool's lasting parts, each made when it is first needed."""

    __slots__ = (
        "_check_input",
        "_check_output",
        "_most_properties",
        "_takes_anything",
        "_tries",
        "is_async",
        "tool",
        "turnstile",
    )

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.is_async = inspect.iscoroutinefunction(tool.call) or inspect.iscoroutinefunction(
            getattr(tool.call, "__call__", None)  # noqa: B004
        )
        options = tool.options
        limited = options.max_concurrency is not None or options.rate_per_s is not None
        self.turnstile = Turnstile(options.max_concurrency, options.rate_per_s) if limited else None
        self._takes_anything = tool.input_schema is True or tool.input_schema == {}
        self._tries = None if tool.parse_input is None else too_many_tries(tool.input_schema)
        self._most_properties: int | Unset | None = UNSET
        self._check_input: Callable[[Any], None] | None = None
        self._check_output: Callable[[Any], None] | None = None

    def check_input(self, args: Any) -> None:
        """Raises `ToolError` (`invalid_args`) for arguments that do not fit."""
        if self._takes_anything:
            return
        if self._check_input is None:
            self._check_input = validate_input(
                self.tool.input_schema, where=f"tool {self.tool.name!r}: input schema"
            )
        self._check_input(args)

    def check_crowd(self, text: bytes) -> None:
        """Raises `ToolError` for JSON of arguments with more properties than could ever fit.

        Nobody has to read them for that, which takes longer than anything else that is done with
        arguments.
        """
        if len(text) < _CROWD_BYTES:
            return
        most = self._most_properties
        if isinstance(most, Unset):
            most = self._most_properties = most_properties(self.tool.input_schema)
        if most is not None and (seen := count_properties(text)) > most:
            raise ToolError(
                f"invalid arguments: they hold {seen:,} properties, and no more than {most:,} are "
                "accepted; pass those that the declaration names",
                code="invalid_args",
            )

    def check_effort(self, args: Any) -> None:
        """Raises `ToolError` for arguments that the tool's own validation would be lost in."""
        if self._tries is not None and self._tries(args):
            raise ToolError(
                "invalid arguments: they are nested too deeply for a schema with alternatives "
                "inside of alternatives; nest less, or send the parts one by one",
                code="invalid_args",
            )

    def check_output(self, result: Any) -> None:
        """Raises `ToolError` (`invalid_result`) for a result that does not fit."""
        if self._check_output is None:
            schema = self.tool.output_schema
            self._check_output = validate_output(
                True if schema is None else schema,
                where=f"tool {self.tool.name!r}: output schema",
            )
        self._check_output(result)


class ToolGates:
    """The `ToolGate` of every tool of one engine."""

    def __init__(self) -> None:
        self._gates: dict[int, ToolGate] = {}

    def of(self, tool: Tool) -> ToolGate:
        # By identity: a gate keeps its tool alive, so the id cannot come to mean another one.
        found = self._gates.get(id(tool))
        if found is None:
            found = self._gates.setdefault(id(tool), ToolGate(tool))
        return found
