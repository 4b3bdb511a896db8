"""One worker process: how it starts, how it is spoken to, how it ends.

Workers are started by one permanent thread, because the signal that ends a worker with its host
fires when the thread that started it ends.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from toolscript.errors import ConfigurationError
from toolscript.sandbox import socket_pipe, thread_pipe
from toolscript.sandbox.job import Job
from toolscript.sandbox.pipe import Pipe
from toolscript.sandbox.wire import Decoder, ProtocolError

_MEMORY: Final = re.compile(rb"^VmHWM:\s+(\d+) kB\nVmRSS:\s+(\d+) kB", re.M)
LOGGER: Final = logging.getLogger("toolscript")
FOLDER: Final = Path(__file__).parent
BOOT_S: Final = 30.0
STATUS_BYTES: Final = 8192
# A worker may use this much address space and computing in its life; it is replaced long before.
ADDRESS_BYTES: Final = 2 << 30
LIFE_CPU_S: Final = 7200
# What a subprocess needs to start at all; the worker empties its environment itself.
NEEDED_VARIABLES: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
# For the GNU C library (mallopt(3)): keep what one script has freed for the next one. Giving it
# back and taking it again costs more than parsing what is put there.
ALLOCATION: Final = {"MALLOC_TRIM_THRESHOLD_": "33554432", "MALLOC_MMAP_THRESHOLD_": "33554432"}

# How a worker is started and spoken to here.
launch = thread_pipe.launch if sys.platform == "win32" else socket_pipe.launch


class Worker:
    """One process and the host's end of its pipe."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: Pipe) -> None:
        self.process = process
        self.pipe = pipe
        self.job: Job | None = None
        self.decoder = Decoder(0)
        self.ready = False
        self.runs = 0
        self.bare_bytes = 0
        self.peak_bytes = 0
        self.held_bytes = 0
        self.isolation: dict[str, bool | str] = {}
        self.idle_since = 0.0

    @property
    def pid(self) -> int:
        return self.process.pid

    def cpu_s(self) -> float | None:
        """Computing time of the process so far, or None where it cannot be known."""
        try:
            if self.job is not None:
                return self.job.cpu_s()
            if sys.platform != "linux":
                return None
            # The process's CPU clock (see clock_getcpuclockid): three bits of kind, the rest ~pid.
            return time.clock_gettime((~self.process.pid << 3) | 2)
        except OSError:
            return None

    def memory(self) -> tuple[int, int]:
        """Bytes that the process holds now and held at most so far; zeros where nobody tells."""
        try:
            if self.job is not None:
                return self.job.memory()
            if sys.platform != "linux":
                return 0, 0
            # In one piece and unbuffered, as this is asked in every run.
            file = os.open(f"/proc/{self.process.pid}/status", os.O_RDONLY)
            try:
                status = os.read(file, STATUS_BYTES)
            finally:
                os.close(file)
        except OSError:
            return 0, 0
        found = _MEMORY.search(status)
        # A process that has ended holds none, and its status says nothing of it.
        return (int(found[2]) * 1024, int(found[1]) * 1024) if found else (0, 0)

    def poll_ready(self) -> bool:
        """Whether a context is waiting; never blocks. Raises `OSError` if the worker died."""
        while True:
            try:
                data = self.pipe.receive()
            except BlockingIOError:
                return self.ready
            if not data:
                raise ConnectionResetError("the worker ended")
            if self.ready:
                raise ConnectionResetError("an idle worker spoke")
            self.decoder.feed(data)
            for block in self.decoder.blocks():
                if block != b"r\n" or self.ready:
                    raise ConnectionResetError("an idle worker spoke")
                self.ready = True

    def kill(self) -> None:
        self.process.kill()
        self.pipe.close()
        if self.job is not None:
            self.job.close()


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


def forget_starter() -> None:
    """Let go of a thread that a fork did not take along."""
    global _starter, _starter_lock
    _starter = None
    _starter_lock = threading.Lock()


def start_worker() -> Worker:
    """Start a process and wait until it is confined and ready.

    Raises:
        ConfigurationError: if it cannot be started here.
    """
    engine = importlib.util.find_spec("_quickjs")
    if engine is None or engine.origin is None:
        raise ConfigurationError("the engine is not installed: `pip install quickjs-ng`")
    python = _python()
    if not python:
        raise ConfigurationError(
            "there is no Python interpreter to start a worker with; use InlineRuntime for "
            "trusted scripts"
        )
    boot = {
        "confinement": {
            "host_pid": os.getpid(),
            "address_bytes": ADDRESS_BYTES,
            "cpu_s": LIFE_CPU_S,
        },
    }
    file = str(FOLDER / "worker.py")
    command = [python, "-I", "-S", "-B", file, str(FOLDER), engine.origin, json.dumps(boot)]
    environment = ALLOCATION | {
        name: os.environ[name] for name in NEEDED_VARIABLES if name in os.environ
    }
    try:
        process, pipe = launch(command, environment, os.path.abspath(os.sep))
    except OSError as error:
        raise ConfigurationError(f"a worker process cannot be started: {error}") from error
    worker = Worker(process, pipe)
    try:
        bounds = _bound(worker)
        worker.isolation = _await_boot(worker) | bounds
        worker.held_bytes, worker.peak_bytes = worker.memory()
        worker.bare_bytes = worker.peak_bytes
    except (OSError, ValueError, ProtocolError) as error:
        worker.kill()
        code = process.wait()
        raise ConfigurationError(
            f"a worker process did not start (exit code {code}): {error}"
        ) from error
    return worker


def _python() -> str:
    """The interpreter that runs workers.

    Of a virtual environment on Windows, `sys.executable` is a launcher, and the worker would be
    its child; workers need nothing that is installed there.
    """
    if sys.platform == "win32":
        return getattr(sys, "_base_executable", sys.executable)
    return sys.executable


def _bound(worker: Worker) -> dict[str, bool | str]:
    """Limits that the host sets from outside, before the worker sees a script; which are in force.

    Elsewhere than on Windows, workers set their own.
    """
    if sys.platform != "win32":
        return {}
    state: bool | str = True
    try:
        worker.job = Job(worker.pid, memory_bytes=ADDRESS_BYTES, cpu_s=LIFE_CPU_S)
    except OSError as error:
        state = f"refused: {error}"
    return {"limits": state, "dies_with_host": state}


def _await_boot(worker: Worker) -> dict[str, bool | str]:
    while True:
        data = worker.pipe.wait(BOOT_S)
        if not data:
            raise ConnectionResetError("it ended before it was ready")
        worker.decoder.feed(data)
        for block in worker.decoder.blocks():
            if not block.startswith(b"b\n"):
                raise ValueError("it said something else than that it is ready")
            return json.loads(block[2:])
