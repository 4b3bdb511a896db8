"""The pool: workers lent to one run at a time, shared by all threads and event loops, replaced."""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from toolscript.errors import ClosedError, ConfigurationError
from toolscript.sandbox.patience import Patience
from toolscript.sandbox.process import (
    LIFE_CPU_S,
    LOGGER,
    Worker,
    forget_starter,
    start_worker,
    starter,
)
from toolscript.sandbox.wire import ProtocolError

RESIDENT_BYTES: Final = 256 << 20
REQUIRED: Final = (
    "process",
    "no_new_privileges",
    "dies_with_host",
    "closed_descriptors",
    "capabilities_dropped",
    "landlock",
    "limits",
    "seccomp",
)


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """`max_workers` processes at most; each is replaced after `max_runs` runs, and ended when
    nobody used it for `idle_s` seconds."""

    max_workers: int
    max_runs: int
    idle_s: float
    required: bool


@dataclass(slots=True)
class Waiter:
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Worker]


class Pool:
    """Workers, shared by all runs of one runtime, on any thread and event loop."""

    def __init__(self, settings: PoolSettings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._starting = 0
        self._waiting: deque[Waiter] = deque()
        self._closed = False
        self._warned = False
        self._timer: threading.Timer | None = None
        self.patience_for_runs = Patience()
        self.patience_for_results = Patience()
        self.isolation: Mapping[str, bool | str] | None = None
        _POOLS.add(self)

    def take(self) -> Worker | None:
        """A worker for one run if one is idle.

        Raises:
            ClosedError: after `aclose`.
        """
        with self._lock:
            if self._closed:
                raise ClosedError("the runtime was closed; it executes no more programs")
            worker = self._take_idle()
            if worker is not None and not worker.ready and self._starting == 0 and self._room():
                # Runs come faster than contexts are made: the next one finds one more.
                self._start()
            return worker

    async def wait(self, *, nested: bool = False) -> Worker:
        """A worker for one run, when `take` gave none; waits for its turn, unless `nested`.

        Raises:
            ClosedError: after `aclose`.
            ConfigurationError: if no worker can be started, or not with all that is required.
        """
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._closed:
                raise ClosedError("the runtime was closed; it executes no more programs")
            waiter = Waiter(loop, loop.create_future())
            if nested:
                self._waiting.appendleft(waiter)
            else:
                self._waiting.append(waiter)
            if nested or self._room():
                self._start()
        try:
            return await waiter.future
        except asyncio.CancelledError:
            with self._lock:
                if waiter in self._waiting:
                    self._waiting.remove(waiter)
            future = waiter.future
            if future.done() and not future.cancelled() and future.exception() is None:
                self.release(future.result())
            raise

    def release(self, worker: Worker) -> None:
        """Take back a worker whose program has ended."""
        worker.runs += 1
        worn = worker.runs >= self.settings.max_runs
        if not worn and worker.runs % 16 == 0:
            cpu_s = worker.cpu_s()
            worn = cpu_s is not None and cpu_s > LIFE_CPU_S / 2
            worn = worn or worker.memory()[0] > RESIDENT_BYTES
        if worn:
            self.discard(worker)
            return
        with self._lock:
            self._busy.discard(worker)
            if not self._closed:
                worker.idle_since = time.monotonic()
                self._idle.append(worker)
                self._hand_over()
                self._schedule_sweep()
                return
        self._end(worker)

    def discard(self, worker: Worker) -> None:
        """End a worker that cannot be used again."""
        with self._lock:
            self._busy.discard(worker)
            if self._waiting and not self._closed:
                self._start()
        self._end(worker)

    async def aclose(self) -> None:
        """End all workers and wait until they have ended."""
        with self._lock:
            self._closed = True
            workers = [*self._idle, *self._busy]
            self._idle.clear()
            self._busy.clear()
            waiting = list(self._waiting)
            self._waiting.clear()
        for waiter in waiting:
            self._settle(waiter, ClosedError("the runtime was closed"))
        for worker in workers:
            worker.kill()
        for worker in workers:
            await asyncio.to_thread(worker.process.wait)

    def probe(self) -> Mapping[str, bool | str]:
        """Which protections are in force, as a worker found them; starts one if none ran yet."""
        if self.isolation is None:
            done = threading.Event()
            failed: list[Exception] = []

            def work() -> None:
                try:
                    worker = start_worker()
                except Exception as error:
                    failed.append(error)
                else:
                    with self._lock:
                        self._learn(worker)
                        self._idle.append(worker)
                        worker.idle_since = time.monotonic()
                        self._schedule_sweep()
                done.set()

            starter().submit(work)
            done.wait()
            if failed:
                raise failed[0]
        assert self.isolation is not None
        return self.isolation

    def kill_all(self) -> None:
        """End all workers without waiting (the interpreter is ending)."""
        self._closed = True
        for worker in [*self._idle, *self._busy]:
            worker.kill()

    def forget(self) -> None:
        """Let go of workers that belong to the process that this one was forked from."""
        for worker in [*self._idle, *self._busy]:
            worker.pipe.close()
        self._lock = threading.Lock()
        self._idle.clear()
        self._busy.clear()
        self._waiting.clear()
        self._starting = 0
        self._timer = None

    def _room(self) -> bool:
        return self._count() < self.settings.max_workers

    def _count(self) -> int:
        return len(self._busy) + len(self._idle) + self._starting

    def _take_idle(self) -> Worker | None:
        """An idle worker, one with a context ready if there is."""
        for worker in reversed(self._idle[:]):
            try:
                ready = worker.poll_ready()
            except (OSError, ProtocolError):
                self._idle.remove(worker)
                self._end(worker)
                continue
            if ready:
                self._idle.remove(worker)
                self._busy.add(worker)
                return worker
        if not self._idle:
            return None
        worker = self._idle.pop(0)
        self._busy.add(worker)
        return worker

    def _hand_over(self) -> None:
        while self._waiting and self._idle:
            worker = self._take_idle()
            if worker is None:
                # They have died while nobody used them; those who wait need others.
                break
            self._settle(self._waiting.popleft(), worker)
        if self._starting < len(self._waiting) and self._room():
            self._start()

    def _start(self) -> None:
        self._starting += 1

        def work() -> None:
            outcome: Worker | Exception
            try:
                outcome = start_worker()
            except Exception as error:
                outcome = error
                if self._closed:
                    return
            with self._lock:
                self._starting -= 1
                if isinstance(outcome, Worker):
                    self._learn(outcome)
                    missing = self._missing() if self.settings.required else ""
                    if missing:
                        self._end(outcome)
                        outcome = ConfigurationError(
                            'isolation="required", but this system refuses: ' + missing
                        )
                if not isinstance(outcome, Worker):
                    if self._count():
                        LOGGER.warning("no further worker could be started: %s", outcome)
                        return
                    while self._waiting:
                        self._settle(self._waiting.popleft(), outcome)
                elif self._closed:
                    self._end(outcome)
                else:
                    outcome.idle_since = time.monotonic()
                    self._idle.append(outcome)
                    self._hand_over()
                    self._schedule_sweep()

        starter().submit(work)

    def _learn(self, worker: Worker) -> None:
        self.isolation = dict(worker.isolation)
        missing = self._missing()
        if missing and not self._warned:
            self._warned = True
            there = ", ".join(name for name, state in self.isolation.items() if state is True)
            LOGGER.warning(
                "scripts run with less isolation than possible; in force: %s; not in force: %s",
                there,
                missing,
            )

    def _missing(self) -> str:
        state = self.isolation or {}
        return "; ".join(
            f"{name} ({state.get(name, 'unknown')})"
            for name in REQUIRED
            if state.get(name) is not True
        )

    def _schedule_sweep(self) -> None:
        if self._timer is None and self._idle:
            self._timer = threading.Timer(self.settings.idle_s, self._sweep)
            self._timer.daemon = True
            self._timer.start()

    def _sweep(self) -> None:
        with self._lock:
            self._timer = None
            now = time.monotonic()
            old = [w for w in self._idle if now - w.idle_since >= self.settings.idle_s]
            self._idle = [w for w in self._idle if w not in old]
            self._schedule_sweep()
        for worker in old:
            self._end(worker)

    def _settle(self, waiter: Waiter, outcome: Worker | Exception) -> None:
        def deliver() -> None:
            if waiter.future.done():
                if isinstance(outcome, Worker):
                    self.release(outcome)
            elif isinstance(outcome, Worker):
                waiter.future.set_result(outcome)
            else:
                waiter.future.set_exception(outcome)

        try:
            waiter.loop.call_soon_threadsafe(deliver)
        except RuntimeError:
            # The waiter's event loop was closed before its turn came.
            if isinstance(outcome, Worker):
                starter().submit(lambda: self.release(outcome))

    def _end(self, worker: Worker) -> None:
        worker.kill()
        starter().submit(lambda: _collect(worker))


def _collect(worker: Worker) -> None:
    worker.process.wait()


class _Pools:
    """All pools of this process, to end them with it."""

    def __init__(self) -> None:
        self._pools: list[Pool] = []

    def add(self, pool: Pool) -> None:
        self._pools.append(pool)

    def kill_all(self) -> None:
        for pool in self._pools:
            pool.kill_all()

    def forget(self) -> None:
        forget_starter()
        for pool in self._pools:
            pool.forget()


_POOLS: Final = _Pools()
atexit.register(_POOLS.kill_all)
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_POOLS.forget)
