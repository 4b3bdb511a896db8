"""`QuickJSRuntime`: each script in a fresh QuickJS context of a confined worker process."""

from __future__ import annotations

import asyncio
import contextvars
import json
import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Literal

from toolscript.given import SECONDS, check, maybe, one_of, tells_names, whole
from toolscript.sandbox.frames import EndFrame, Frame, IdleFrame
from toolscript.sandbox.patience import Patience
from toolscript.sandbox.pool import Pool, PoolSettings
from toolscript.sandbox.process import Worker
from toolscript.sandbox.program import encode_program
from toolscript.sandbox.runtime import Capabilities, Execution, Program, Runtime, Usage
from toolscript.sandbox.wire import ProtocolError, block, settlement

# How much later than its own clock the host stops a script that the engine does not stop.
GRACE_S: Final = 0.3
# What delivering one result may cost the worker besides the script's own computing.
DELIVERY_S: Final = 200e-6
# How long the host looks for an answer before it sleeps.
LOOK_S: Final = 150e-6
# A process that grew by this share of a script's memory has run out of it.
MEMORY_SHARE: Final = 0.75
# What the engine throws when it has no memory left for an error, as text.
BARE: Final = frozenset({"null", "[uninitialized]"})
# In less computing than this no program can fill more than a few megabytes: asking the system
# what it holds would take longer than all of it.
WEIGHED_S: Final = 0.001
# Frames that nobody has taken yet, before the worker is made to wait.
MOST_BUFFERED: Final = 10_000
# Batches of frames that are answered in one turn of the loop.
MOST_ROUNDS: Final = 16

_outer: contextvars.ContextVar[WorkerExecution | None] = contextvars.ContextVar(
    "toolscript_execution", default=None
)


@tells_names
class QuickJSRuntime(Runtime):
    """Runs scripts in a pool of warm worker processes.

    A worker runs one script at a time, each in a context of its own, and is confined before it
    sees a script: whatever a script does to the engine ends its worker and nothing else.

    Args:
        max_workers: most processes at a time; more runs wait for their turn. Nested runs never
            wait: they get a process of their own.
        max_runs: runs after which a worker is replaced.
        idle_s: seconds without a run after which a worker is ended.
        isolation: "required" refuses to run without every protection there is (`isolation` names
            them); only Linux has them all.
    """

    def __init__(
        self,
        *,
        max_workers: int | None = None,
        max_runs: int = 1000,
        idle_s: float = 60.0,
        isolation: Literal["best", "required"] = "best",
    ) -> None:
        check("QuickJSRuntime(max_workers=)", maybe(whole(1)), max_workers)
        check("QuickJSRuntime(max_runs=)", whole(1), max_runs)
        check("QuickJSRuntime(idle_s=)", SECONDS, idle_s)
        check("QuickJSRuntime(isolation=)", one_of("best", "required"), isolation)
        workers = min(32, 4 * (os.cpu_count() or 1) + 4) if max_workers is None else max_workers
        self._pool = Pool(PoolSettings(workers, max_runs, idle_s, isolation == "required"))

    @property
    def description(self) -> str:
        """One sentence about the environment, for the person or the agent that uses it."""
        return (
            "QuickJS in a confined process: ECMAScript 2023 without network, files, modules or "
            "Node.js APIs."
        )

    @property
    def capabilities(self) -> Capabilities:
        """What the runtime can promise: all but `imports`."""
        return Capabilities(
            kills_native_loops=True,
            survives_crash=True,
            cpu_clock=True,
            deterministic=True,
            sandboxed=True,
            byte_columns=True,
        )

    @property
    def isolation(self) -> Mapping[str, bool | str]:
        """Each protection by name: True where it is in force, as probed, else why it is not."""
        return self._pool.probe()

    def open_now(self, program: Program) -> Execution | None:
        worker = self._pool.take()
        return None if worker is None else self._begin(worker, program, 0.0)

    async def open(self, program: Program) -> Execution:
        began = time.monotonic()
        worker = self._pool.take()
        if worker is None:
            outer = _outer.get()
            worker = await self._pool.wait(nested=outer is not None and not outer.closed)
        return self._begin(worker, program, time.monotonic() - began)

    def _begin(self, worker: Worker, program: Program, queue_s: float) -> Execution:
        execution = WorkerExecution(self._pool, worker, program, queue_s)
        _outer.set(execution)
        return execution

    async def aclose(self) -> None:
        await self._pool.aclose()


class WorkerExecution(Execution):
    """One program in one worker, attached to the event loop that opened it."""

    def __init__(self, pool: Pool, worker: Worker, program: Program, queue_s: float) -> None:
        self._pool = pool
        self._worker = worker
        self._pipe = worker.pipe
        self._loop = asyncio.get_running_loop()
        self._frames: list[Frame] = []
        self._listener: Callable[[Sequence[Frame]], None] | None = None
        self._handing = False
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._lost = False
        self._spent = False
        self._has_context = worker.ready
        self.closed = False
        self._whole = True
        self._settlements: list[bytes] = []
        self._soon = False
        self._sent = 0
        self._open_calls = 0
        self._patience = pool.patience_for_runs
        self._asked_at: float | None = None
        self._looks = False
        self._queue_s = queue_s
        self._cpu_limit_s = program.cpu_s
        self._memory_bytes = program.memory_bytes
        self._cpu_began = worker.cpu_s()
        self._cpu_used: float | None = None
        self._memory_used: int | None = None
        self._busy_since: float | None = time.monotonic()
        self._busy_s = 0.0
        self._cpu_timer: asyncio.TimerHandle | None = None
        worker.ready = False
        worker.decoder.begin(program.frame_bytes)
        self._pipe.attach(self._loop, self._readable)
        self._pipe.send(block(b"R", encode_program(program)))
        if program.cpu_s is not None:
            self._watch(program.cpu_s + GRACE_S)

    async def receive(self) -> Sequence[Frame]:
        while not self._frames:
            if self._ended:
                return ()
            self._pipe.listen(True)
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        frames, self._frames = self._frames, []
        return frames

    def listen(self, take: Callable[[Sequence[Frame]], None]) -> Callable[[], Awaitable[None]]:
        self._listener = take
        if not self._frames and not self._ended:
            self._look(self._pool.patience_for_runs)
        self._hand_over()

        async def stop() -> None:
            self._listener = None

        return stop

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
        if self.closed:
            return
        self.closed = True
        self._account()
        self._weigh()
        ended = self._ended
        self._stop()
        if ended and not self._lost and not self._spent and self._whole:
            self._pool.release(self._worker)
        else:
            self._pool.discard(self._worker)

    @property
    def worker_pid(self) -> int:
        """The process in which the program runs."""
        return self._worker.pid

    @property
    def usage(self) -> Usage:
        if not self.closed:
            self._account()
            self._weigh()
        return Usage(self._cpu_used, self._memory_used, self._queue_s)

    def _settle(self, pieces: list[bytes]) -> None:
        if self._ended or self.closed:
            return
        self._settlements += pieces
        self._sent += 1
        self._open_calls -= 1
        if self._soon or self._handing:
            return
        if self._open_calls == 0 and self._listener is not None:
            # The script waits for nothing else: its next call is a few microseconds away.
            self._go_on()
        else:
            self._soon = True
            self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        self._soon = False
        self._send_settlements()
        self._hand_over()

    def _send_settlements(self) -> None:
        if self._ended or self.closed or not self._settlements:
            return
        pieces, self._settlements = self._settlements, []
        if self._busy_since is None:
            self._busy_since = time.monotonic()
        self._pipe.send(block(b"S", pieces))
        if self._open_calls == 0 and not self._ended:
            self._look(self._pool.patience_for_results)

    def _hand_over(self) -> None:
        """Give the listener what there is, and the guest what the listener answers at once.

        A bounded number of times in one turn of the loop, which has other work too.
        """
        if self._handing:
            return
        self._handing = True
        try:
            for _ in range(MOST_ROUNDS):
                if self._listener is None or not self._frames:
                    break
                frames, self._frames = self._frames, []
                self._listener(frames)
                self._send_settlements()
        finally:
            self._handing = False
        if self._listener is None:
            return
        if self._frames and not self._soon:
            self._soon = True
            self._loop.call_soon(self._go_on)
        if not self._ended:
            self._pipe.listen(True)

    def _look(self, patience: Patience) -> None:
        """Wait for an answer that may come at once, before the event loop sleeps."""
        if not self._pipe.answers_at_once:
            return
        self._patience = patience
        self._looks = patience.looks()
        self._asked_at = now = time.monotonic()
        if not self._looks:
            return
        until = now + LOOK_S
        while not self._frames and time.monotonic() < until:
            self._arrived()

    def _readable(self) -> None:
        self._arrived()
        self._hand_over()

    def _arrived(self) -> None:
        try:
            data = self._pipe.receive()
        except BlockingIOError:
            return
        except OSError:
            data = memoryview(b"")
        self._take(data)

    def _take(self, data: memoryview) -> None:
        if not data:
            self._lose(EndFrame("worker_exit", message="the worker process ended unexpectedly"))
            return
        decoder = self._worker.decoder
        decoder.feed(data)
        try:
            for part in decoder.blocks():
                if part == b"r\n":
                    self._context_ready()
                    continue
                for frame in decoder.frames(part):
                    self._receive(frame)
        except ProtocolError as error:
            self._lose(EndFrame("worker_exit", message=f"the worker broke the protocol: {error}"))
        if len(self._frames) > MOST_BUFFERED:
            self._pipe.listen(False)
        if self._frames and self._asked_at is not None:
            self._patience.took(time.monotonic() - self._asked_at, looked=self._looks)
            self._asked_at = None
        if self._frames and self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _context_ready(self) -> None:
        """The context for this program, if it was not there before; after the end, the next."""
        if not self._has_context:
            self._has_context = True
        elif self._ended and not self._worker.ready:
            self._worker.ready = True
        else:
            raise ProtocolError("a context was announced that nobody waits for")

    def _receive(self, frame: Frame) -> None:
        if self._ended:
            raise ProtocolError("something came after the end")
        if isinstance(frame, IdleFrame):
            if frame.settled > self._sent:
                raise ProtocolError("more results were counted than sent")
            if frame.settled == self._sent and self._busy_since is not None:
                self._busy_s += time.monotonic() - self._busy_since
                self._busy_since = None
        elif isinstance(frame, EndFrame):
            frame = self._with_reason(frame)
            # A process that was full once is not asked again how full it is.
            self._spent = frame.outcome == "memory"
            self._finish(frame)
            return
        else:
            self._open_calls += hasattr(frame, "args")
        self._frames.append(frame)

    def _with_reason(self, frame: EndFrame) -> EndFrame:
        """The end, or the end of memory: an engine that has too little left throws no error."""
        is_bare = frame.outcome == "threw" and not frame.name and frame.message in BARE
        if not is_bare or self._memory_bytes is None:
            return frame
        grown = self._worker.memory()[1] - self._worker.bare_bytes
        if grown < self._memory_bytes * MEMORY_SHARE:
            return frame
        return EndFrame("memory", message="out of memory")

    def _lose(self, frame: EndFrame) -> None:
        """End without the worker: it died, or cannot be trusted, and serves nobody else.

        Whether its process has ended cannot be asked: a killed one may take a moment to.
        """
        self._lost = True
        self._finish(frame)

    def _finish(self, frame: EndFrame) -> None:
        if self._ended:
            return
        self._account()
        self._weigh()
        self._ended = True
        self._frames.append(frame)
        self._stop()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        if self._listener is not None and not self._soon:
            self._soon = True
            self._loop.call_soon(self._go_on)

    def _stop(self) -> None:
        self._whole = self._pipe.detach() and self._whole
        if self._cpu_timer is not None:
            self._cpu_timer.cancel()
            self._cpu_timer = None

    def _account(self) -> None:
        """Measure what the worker has computed for this program."""
        now = self._worker.cpu_s()
        if now is not None and self._cpu_began is not None:
            self._cpu_used = now - self._cpu_began
        elif self._cpu_used is None or not self._ended:
            busy = 0.0 if self._busy_since is None else time.monotonic() - self._busy_since
            self._cpu_used = self._busy_s + busy

    def _weigh(self) -> None:
        """Measure what the worker held at most for this program, as far as can be known.

        Its peak is known for its life. Where earlier programs reached that, this one had less:
        what it holds now is the most that is known of it.
        """
        if self._ended:
            return
        worker = self._worker
        if self._cpu_used is not None and self._cpu_used < WEIGHED_S:
            self._memory_used = worker.held_bytes
            return
        now, peak = worker.memory()
        worker.held_bytes = now
        if peak > worker.peak_bytes:
            worker.peak_bytes = self._memory_used = peak
        elif now > (self._memory_used or 0):
            self._memory_used = now

    def _watch(self, wait_s: float) -> None:
        self._cpu_timer = self._loop.call_later(wait_s, self._check_cpu)

    def _check_cpu(self) -> None:
        if self._ended or self._cpu_limit_s is None:
            return
        self._account()
        allowed = self._cpu_limit_s + GRACE_S + DELIVERY_S * self._sent
        left = allowed - (self._cpu_used or 0.0)
        if left > 0:
            self._watch(max(left, 0.02))
            return
        # A process that has ended tells nothing.
        self._weigh()
        self._worker.process.kill()
        self._lose(EndFrame("timeout", message="the script used up its computing time"))


_shared: QuickJSRuntime | None = None
_shared_lock = threading.Lock()


def shared_runtime() -> QuickJSRuntime:
    """The one pool of this process, for every engine that is given no runtime of its own."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = QuickJSRuntime()
        return _shared
