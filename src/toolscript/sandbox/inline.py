"""`InlineRuntime`: QuickJS in this process, without a thread, for scripts that are trusted."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from toolscript.errors import ClosedError
from toolscript.sandbox.frames import EndFrame, Frame, IdleFrame
from toolscript.sandbox.machine import BASE, ENGLISH, PARTS, Library, Machine, Rejected, Stopped
from toolscript.sandbox.program import program_settings
from toolscript.sandbox.runtime import Capabilities, Execution, Program, Runtime, Usage
from toolscript.sandbox.wire import Decoder, ProtocolError

LOGGER: Final = logging.getLogger("toolscript")
# Threads may have small stacks; the engine must end its recursion before theirs does.
STACK_BYTES: Final = 200 << 10


class InlineRuntime(Runtime):
    """Runs scripts with the engine in this process: no sandbox, and no process or thread either.

    For trusted scripts, for platforms without processes, and for event loops that allow no
    threads. While a script computes, the event loop stands still; a script that crashes the
    engine, or loops inside of it, takes this process with it. So does one that goes on with its
    memory full: the engine has none left then to interrupt it with.
    """

    def __init__(self) -> None:
        self._closed = False

    @property
    def description(self) -> str:
        """One sentence about the environment, for the person or the agent that uses it."""
        return (
            "QuickJS inside the host's own process: ECMAScript 2023 without network, files, "
            "modules or Node.js APIs. Not a sandbox: for trusted scripts only."
        )

    @property
    def capabilities(self) -> Capabilities:
        """What the runtime can promise; it is no sandbox."""
        return Capabilities(cpu_clock=True, deterministic=True, byte_columns=True)

    @property
    def isolation(self) -> Mapping[str, bool | str]:
        """That there is none."""
        return {"process": "scripts run inside the host's process; this is no sandbox"}

    async def open(self, program: Program) -> Execution:
        if self._closed:
            raise ClosedError("the runtime was closed; it executes no more programs")
        return InlineExecution(program)

    async def aclose(self) -> None:
        self._closed = True


class InlineExecution(Execution):
    """One program; its computing happens in callbacks of the event loop that opened it."""

    def __init__(self, program: Program) -> None:
        self._loop = asyncio.get_running_loop()
        self._program = program
        self._decoder = Decoder(program.frame_bytes)
        self._decoder.begin(program.frame_bytes)
        self._frames: list[Frame] = []
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._work: deque[Callable[[], None]] = deque()
        self._cpu_s = 0.0
        self._machine: Machine | None = Machine(_engine(), _library())
        self._later(self._start)

    async def receive(self) -> Sequence[Frame]:
        while not self._frames:
            if self._ended:
                return ()
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        frames, self._frames = self._frames, []
        return frames

    def resolve(
        self,
        seq: int,
        value: str,
        *,
        bigints: bool = False,
        text: str | None = None,
        now_ms: int | None = None,
    ) -> None:
        self._later(lambda: self._in().resolve(seq, value, bigints, text, now_ms))

    def reject(self, seq: int, error: Mapping[str, Any], *, now_ms: int | None = None) -> None:
        told = json.dumps(dict(error))
        self._later(lambda: self._in().reject(seq, told, now_ms))

    async def aclose(self) -> None:
        self._ended = True
        self._machine = None
        self._work.clear()

    @property
    def usage(self) -> Usage:
        if self._machine is not None:
            self._cpu_s = self._machine.cpu_s
        return Usage(cpu_s=self._cpu_s)

    def _in(self) -> Machine:
        assert self._machine is not None
        return self._machine

    def _start(self) -> None:
        self._in().start(program_settings(self._program), STACK_BYTES)

    def _later(self, work: Callable[[], None]) -> None:
        if self._ended:
            return
        self._work.append(work)
        if len(self._work) == 1:
            self._loop.call_soon(self._slice)

    def _slice(self) -> None:
        """Do one piece of work and all that follows from it."""
        if self._ended or not self._work:
            return
        machine = self._in()
        try:
            self._work[0]()
            for text in machine.drain():
                self._say(text)
            if machine.broken:
                raise Stopped("memory", "out of memory")
        except Rejected as error:
            self._finish(
                EndFrame(
                    "syntax",
                    name="SyntaxError",
                    message=error.message,
                    line=error.line,
                    column=error.column,
                )
            )
        except Stopped as stop:
            machine.unlimited()
            # Where there is no memory left for it, the rest is lost with the context.
            with contextlib.suppress(Stopped):
                for text in machine.fetch():
                    self._say(text)
            self._finish(
                EndFrame("timeout" if stop.outcome == "timeout" else "memory", message=str(stop))
            )
        except ProtocolError as error:
            self._finish(EndFrame("worker_exit", message=f"the guest broke the protocol: {error}"))
        except Exception as error:
            # Nobody waits for this callback but the run: what failed here must end it.
            LOGGER.exception("the engine failed")
            self._finish(EndFrame("worker_exit", message=f"the engine failed: {error}"))
        if self._ended:
            self._wake()
            return
        self._work.popleft()
        self._frames.append(IdleFrame(machine.settled))
        self._wake()
        if self._work:
            self._loop.call_soon(self._slice)

    def _say(self, text: str) -> None:
        data = text.encode()
        if len(data) > self._program.frame_bytes:
            self._finish(
                EndFrame("limit", message="too much was said at once", limit="frame_bytes")
            )
            return
        for frame in self._decoder.frames(data):
            if self._ended:
                return
            if isinstance(frame, EndFrame):
                self._finish(frame)
            else:
                self._frames.append(frame)

    def _finish(self, frame: EndFrame) -> None:
        if not self._ended:
            self._ended = True
            self._frames.append(frame)
            self._cpu_s = self._in().cpu_s
            self._machine = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


@cache
def _engine() -> Any:
    return importlib.import_module("_quickjs")


@cache
def _library() -> Library:
    folder = Path(__file__).parent / "guest"
    names = (*BASE, *PARTS, *ENGLISH)
    return Library({name: (folder / f"{name}.js").read_text(encoding="utf-8") for name in names})
