"""Worker processes: started, lent to one run at a time, replaced, ended.

A worker belongs to no event loop. It is started by one permanent thread, because the signal that
ends a worker with its host fires when the thread that started it ends.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import json
import logging
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolscript.errors import ClosedError, ConfigurationError
from toolscript.sandbox.wire import Decoder, ProtocolError

LOGGER: Final = logging.getLogger("toolscript")
FOLDER: Final = Path(__file__).parent
BOOT_S: Final = 30.0
READ_BYTES: Final = 1 << 18
# Room for a large value on its way; the system may allow less.
PIPE_BYTES: Final = 1 << 20
# A worker may use this much address space and computing in its life; it is replaced long before.
ADDRESS_BYTES: Final = 2 << 30
LIFE_CPU_S: Final = 7200
RESIDENT_BYTES: Final = 256 << 20
# What a subprocess needs to start at all; the worker empties its environment itself.
NEEDED_VARIABLES: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
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


class Worker:
    """One process and the host's end of its pipe."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: socket.socket) -> None:
        self.process = process
        self.pipe = pipe
        self._received = memoryview(bytearray(READ_BYTES))
        self.decoder = Decoder(0)
        self.ready = False
        self.runs = 0
        self.isolation: dict[str, bool | str] = {}
        self.idle_since = 0.0

    def receive(self) -> memoryview:
        """What has arrived, empty when the worker has ended; valid until the next call.

        Raises:
            BlockingIOError: if nothing has.
        """
        count = self.pipe.recv_into(self._received)
        return self._received[:count]

    @property
    def pid(self) -> int:
        return self.process.pid

    def cpu_s(self) -> float | None:
        """Computing time of the process so far, or None where it cannot be known."""
        if sys.platform != "linux":
            return None
        try:
            # The process's CPU clock (see clock_getcpuclockid): three bits of kind, the rest ~pid.
            return time.clock_gettime((~self.process.pid << 3) | 2)
        except OSError:
            return None

    def resident_bytes(self) -> int:
        """Memory that the process holds now, 0 where it cannot be known."""
        try:
            with open(f"/proc/{self.process.pid}/statm", "rb") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            return 0

    def poll_ready(self) -> bool:
        """Whether a context is waiting; never blocks. Raises `OSError` if the worker died."""
        while not self.ready:
            try:
                data = self.pipe.recv(4096)
            except BlockingIOError:
                return False
            if not data:
                raise ConnectionResetError("the worker ended")
            self.decoder.feed(data)
            for block in self.decoder.blocks():
                if block != b"r\n" or self.ready:
                    raise ConnectionResetError("an idle worker spoke")
                self.ready = True
        try:
            # Nothing more may come from a worker that waits, but it may have died since.
            self.pipe.recv(1)
        except BlockingIOError:
            return True
        raise ConnectionResetError("the worker ended, or spoke, while it was idle")

    def kill(self) -> None:
        self.process.kill()
        self.pipe.close()


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """`max_workers` processes at most; each is replaced after `max_runs` runs, and ended when
    nobody used it for `idle_s` seconds."""

    max_workers: int
    max_runs: int
    idle_s: float
    required: bool


class Starter:
    """The permanent thread that starts workers and collects dead ones."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        thread = threading.Thread(target=self._serve, name="toolscript-starter", daemon=True)
        thread.start()

    def submit(self, work: Callable[[], None]) -> None:
        self._work.put(work)

    def _serve(self) -> None:
        while True:
            work = self._work.get()
            try:
                work()
            except Exception:
                LOGGER.exception("a task of the worker pool failed")


_starter: Starter | None = None
_starter_lock = threading.Lock()


def starter() -> Starter:
    global _starter
    with _starter_lock:
        if _starter is None:
            _starter = Starter()
        return _starter


def start_worker() -> Worker:
    """Start a process and wait until it is confined and ready.

    Raises:
        ConfigurationError: if it cannot be started here.
    """
    engine = importlib.util.find_spec("_quickjs")
    if engine is None or engine.origin is None:
        raise ConfigurationError("the engine is not installed: `pip install quickjs-ng`")
    if not sys.executable:
        raise ConfigurationError(
            "there is no Python interpreter to start a worker with; use InlineRuntime for "
            "trusted scripts"
        )
    try:
        ours, theirs = socket.socketpair()
    except OSError as error:
        raise ConfigurationError(f"a worker process cannot be started: {error}") from error
    for end in (ours, theirs):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, PIPE_BYTES)
    boot = {
        "confinement": {
            "host_pid": os.getpid(),
            "address_bytes": ADDRESS_BYTES,
            "cpu_s": LIFE_CPU_S,
        },
    }
    try:
        process = subprocess.Popen(
            [
                sys.executable,
                "-I",
                "-S",
                "-B",
                str(FOLDER / "worker.py"),
                str(FOLDER),
                engine.origin,
                json.dumps(boot),
            ],
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in NEEDED_VARIABLES if name in os.environ},
            cwd=os.path.abspath(os.sep),
            start_new_session=True,
        )
    except OSError as error:
        ours.close()
        raise ConfigurationError(f"a worker process cannot be started: {error}") from error
    finally:
        theirs.close()
    worker = Worker(process, ours)
    try:
        worker.isolation = _await_boot(worker)
    except (OSError, ValueError, ProtocolError) as error:
        worker.kill()
        code = process.wait()
        raise ConfigurationError(
            f"a worker process did not start (exit code {code}): {error}"
        ) from error
    return worker


def _await_boot(worker: Worker) -> dict[str, bool | str]:
    worker.pipe.settimeout(BOOT_S)
    while True:
        data = worker.pipe.recv(65536)
        if not data:
            raise ConnectionResetError("it ended before it was ready")
        worker.decoder.feed(data)
        for block in worker.decoder.blocks():
            if not block.startswith(b"b\n"):
                raise ValueError("it said something else than that it is ready")
            worker.pipe.setblocking(False)
            return json.loads(block[2:])


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
        self.isolation: Mapping[str, bool | str] | None = None
        _POOLS.add(self)

    async def acquire(self, *, nested: bool = False) -> Worker:
        """A worker for one run; waits for its turn, unless `nested`.

        Raises:
            ClosedError: after `aclose`.
            ConfigurationError: if no worker can be started, or not with all that is required.
        """
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._closed:
                raise ClosedError("the runtime was closed; it executes no more programs")
            worker = self._take_idle()
            room = self._count() < self.settings.max_workers
            if worker is not None:
                if not worker.ready and room and self._starting == 0:
                    # Runs come faster than contexts are made: the next one finds one more.
                    self._start()
                return worker
            waiter = Waiter(loop, loop.create_future())
            if nested:
                self._waiting.appendleft(waiter)
            else:
                self._waiting.append(waiter)
            if nested or room:
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
            worn = worn or worker.resident_bytes() > RESIDENT_BYTES
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
                return
            self._settle(self._waiting.popleft(), worker)

    def _start(self) -> None:
        self._starting += 1

        def work() -> None:
            outcome: Worker | Exception
            try:
                outcome = start_worker()
            except Exception as error:
                outcome = error
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
            LOGGER.warning("scripts run with less isolation than possible: %s", missing)

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
        global _starter, _starter_lock
        _starter = None
        _starter_lock = threading.Lock()
        for pool in self._pools:
            pool.forget()


_POOLS: Final = _Pools()
atexit.register(_POOLS.kill_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_POOLS.forget)
