"""`ChannelRuntime`: scripts in an environment that a driver has started, over one byte channel."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any, Final, TypeVar

from toolscript.errors import ClosedError, ConfigurationError
from toolscript.sandbox.channel import Driver, Finished
from toolscript.sandbox.connection import Connection, connect
from toolscript.sandbox.frames import EndFrame, Frame
from toolscript.sandbox.node_source import runner_source
from toolscript.sandbox.program import encode_program
from toolscript.sandbox.runtime import Capabilities, Execution, Program, Runtime, Usage
from toolscript.sandbox.wire import BLOCK_SLACK, Decoder, ProtocolError, settlement

# How long the runner may take to end a script's thread before the environment is given up.
LET_GO_S: Final = 3.0
CLOSED: Final = "the runtime was closed; it executes no more programs"

T = TypeVar("T")


class ChannelRuntime(Runtime):
    """Runs scripts in an environment of a driver, many at once.

    The environment is started with the first script, and again when it has died; its scripts end
    as `worker_exit` then. Each script runs in a thread of its own with fresh built-ins. A script
    whose thread does not end within 3 seconds, because native code holds it, takes the whole
    environment with it. May be used from any number of event loops and threads.

    Args:
        driver: starts the environment.
        boot_s: seconds within which it must be ready.
    """

    def __init__(self, driver: Driver, *, boot_s: float = 10.0) -> None:
        self._driver = driver
        self._boot_s = boot_s
        self._lock = threading.Lock()
        self._closed = False
        self._home: _Home | None = None

    @property
    def description(self) -> str:
        return self._driver.description

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            kills_native_loops=True,
            cpu_clock=True,
            deterministic=True,
            imports=True,
            sandboxed=self._driver.sandboxed,
        )

    @property
    def isolation(self) -> Mapping[str, bool | str]:
        return self._driver.isolation

    def type_definitions(self) -> Mapping[str, str]:
        return self._driver.type_definitions()

    async def open(self, program: Program) -> Execution:
        """Begin to execute.

        Raises:
            ClosedError: after `aclose`.
            ConfigurationError: if the environment cannot be started.
        """
        home = self._at_home()
        execution = ChannelExecution(home, program)
        try:
            await home.run(home.begin(execution, encode_program(program)))
        except BaseException:
            home.post(execution.drop)
            raise
        return execution

    async def finished(self) -> Finished:
        """Waits until the environment that runs now, or is started next, has ended."""
        return await _result(self._at_home().finished)

    async def aclose(self) -> None:
        """End the environment and wait until it has ended, also if it is being ended already."""
        with self._lock:
            self._closed = True
            home = self._home
        if home is not None and home.pid == os.getpid():
            home.close()
            await _result(home.gone)

    def _at_home(self) -> _Home:
        with self._lock:
            if self._closed:
                raise ClosedError(CLOSED)
            # A fork takes no thread along, and the environment stays its parent's.
            if self._home is None or self._home.pid != os.getpid():
                self._home = _Home(self._driver, self._boot_s)
            return self._home


async def _result(future: Future[T]) -> T:
    """Wait for what happens in another thread, and go on there when this is cancelled."""
    loop = asyncio.get_running_loop()
    done = asyncio.Event()

    def tell(_: Future[T]) -> None:
        # A loop that was closed has nobody who waits.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(done.set)

    future.add_done_callback(tell)
    await done.wait()
    return future.result()


class _Home:
    """The thread in which a runtime's environment is spoken to, whatever loops use it."""

    def __init__(self, driver: Driver, boot_s: float) -> None:
        self.pid = os.getpid()
        self.finished: Future[Finished] = Future()
        self.gone: Future[None] = Future()
        self._driver = driver
        self._boot_s = boot_s
        self._source, self._identity = runner_source()
        self._connection: Connection | None = None
        self._loop = asyncio.new_event_loop()
        self._booting = asyncio.Lock()
        self._closing: asyncio.Future[None] = self._loop.create_future()
        # Nothing is begun in the thread once it has stopped: nobody would end it.
        self._lock = threading.Lock()
        self._stopped = False
        threading.Thread(target=self._live, name="toolscript-channel", daemon=True).start()

    def _live(self) -> None:
        loop = self._loop
        loop.run_until_complete(self._serve())
        # What was asked for at the last moment.
        late = asyncio.all_tasks(loop)
        for task in late:
            task.cancel()
        if late:
            loop.run_until_complete(asyncio.wait(late))
        loop.close()
        self.gone.set_result(None)

    async def _serve(self) -> None:
        await self._closing
        async with self._booting:
            if self._connection is not None:
                await self._connection.aclose()
        if not self.finished.done():
            self.finished.set_result(Finished("closed"))
        with self._lock:
            self._stopped = True

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait, on the caller's loop, for what is done in the thread. It is done to its end."""
        with self._lock:
            if self._stopped:
                work.close()
                raise ClosedError(CLOSED)
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return await _result(future)
        except CancelledError as error:
            raise ClosedError(CLOSED) from error

    def post(self, act: Callable[..., object], *args: Any) -> None:
        """Have something done in the thread; nothing, when it has ended and all scripts with it."""
        with self._lock:
            if not self._stopped:
                self._loop.call_soon_threadsafe(act, *args)

    def close(self) -> None:
        """End the environment, and then the thread: `gone` tells."""
        self.post(lambda: self._closing.done() or self._closing.set_result(None))

    async def begin(self, execution: ChannelExecution, program: list[bytes]) -> None:
        async with self._booting:
            if self._closing.done():
                raise ClosedError(CLOSED)
            connection = self._connection
            if connection is None or not connection.alive:
                if connection is not None:
                    await connection.aclose()
                connection = self._connection = await self._connect()
        execution.begin(connection, program)

    async def _connect(self) -> Connection:
        try:
            return await connect(
                self._driver,
                self._source,
                self._identity,
                self._boot_s,
                self._closing,
                self._lost,
            )
        except ConfigurationError as error:
            if self._closing.done():
                raise ClosedError(CLOSED) from error
            raise

    def _lost(self, finished: Finished) -> None:
        ended, self.finished = self.finished, Future()
        ended.set_result(finished)


class ChannelExecution(Execution):
    """One program over there. Belongs to the loop that opened it; word of it comes from another."""

    def __init__(self, home: _Home, program: Program) -> None:
        self.frame_bytes = program.frame_bytes
        self._home = home
        self._loop = asyncio.get_running_loop()
        self._decoder = Decoder(program.frame_bytes)
        self._connection: Connection | None = None
        self._number = 0
        self._dropped = False
        self._letting_go: asyncio.TimerHandle | None = None
        self._frames: list[Frame] = []
        self._arrived = asyncio.Event()
        self._left = asyncio.Event()
        self._ended = False
        self._closed = False
        self._settlements: list[bytes] = []
        self._cpu_s: float | None = None

    # -- on the loop of the home

    def begin(self, connection: Connection, program: list[bytes]) -> None:
        """Execute the program, unless nobody waits for it any more."""
        if not self._dropped:
            self._connection = connection
            self._number = connection.add(self, program)

    def said(self, body: bytes) -> None:
        self._tell(self._take, body)

    def gone(self, cpu_s: float, reason: str) -> None:
        if self._letting_go is not None:
            self._letting_go.cancel()
        self._tell(self._leave, cpu_s, reason)

    def _tell(self, act: Callable[..., None], *args: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(act, *args)
        except RuntimeError:
            # The loop of the run was closed without closing its execution: nobody waits.
            self.drop()

    def drop(self) -> None:
        """Have the script's thread ended, or not begun."""
        if self._dropped:
            return
        self._dropped = True
        connection = self._connection
        if connection is not None and connection.send(self._number, b"X", []):
            self._letting_go = asyncio.get_running_loop().call_later(
                LET_GO_S, connection.fail, "a script held its thread and could not be ended"
            )

    # -- on the loop of the run

    async def receive(self) -> Sequence[Frame]:
        while not self._frames:
            if self._ended:
                return ()
            self._arrived.clear()
            await self._arrived.wait()
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
        self._settle(settlement(seq, True, value, bigints=bigints, face=text, now_ms=now_ms))

    def reject(self, seq: int, error: Mapping[str, Any], *, now_ms: int | None = None) -> None:
        self._settle(settlement(seq, False, json.dumps(dict(error)), now_ms=now_ms))

    async def aclose(self) -> None:
        if not self._closed:
            self._closed = True
            self._end(EndFrame("worker_exit", message="the host let go of the script"))
            self._frames.clear()
            self._home.post(self.drop)
        await self._left.wait()

    @property
    def usage(self) -> Usage:
        return Usage(cpu_s=self._cpu_s)

    def _settle(self, pieces: list[bytes]) -> None:
        if self._ended:
            return
        self._settlements += pieces
        if len(self._settlements) == len(pieces):
            self._loop.call_soon(self._send)

    def _send(self) -> None:
        pieces, self._settlements = self._settlements, []
        if self._connection is not None and not self._ended:
            self._home.post(self._connection.send, self._number, b"S", pieces)

    def _take(self, body: bytes) -> None:
        if self._ended:
            return
        try:
            if len(body) > self.frame_bytes + BLOCK_SLACK:
                raise ProtocolError(f"a block of {len(body)} bytes is larger than allowed")
            for frame in self._decoder.frames(body):
                if isinstance(frame, EndFrame):
                    self._end(frame)
                else:
                    self._frames.append(frame)
        except ProtocolError as error:
            self._end(EndFrame("worker_exit", message=f"the script broke the protocol: {error}"))
        self._arrived.set()

    def _leave(self, cpu_s: float, reason: str) -> None:
        self._cpu_s = cpu_s
        self._end(EndFrame("worker_exit", message=reason))
        self._left.set()

    def _end(self, frame: EndFrame) -> None:
        if not self._ended:
            self._ended = True
            self._settlements.clear()
            self._frames.append(frame)
        self._arrived.set()
