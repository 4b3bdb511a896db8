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
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from toolscript.errors import ConfigurationError
from toolscript.sandbox.wire import Decoder, ProtocolError

_PEAK: Final = re.compile(rb"^VmHWM:\s+(\d+) kB", re.M)
LOGGER: Final = logging.getLogger("toolscript")
FOLDER: Final = Path(__file__).parent
BOOT_S: Final = 30.0
READ_BYTES: Final = 1 << 18
# Room for a large value on its way; the system may allow less.
PIPE_BYTES: Final = 1 << 20
# A worker may use this much address space and computing in its life; it is replaced long before.
ADDRESS_BYTES: Final = 2 << 30
LIFE_CPU_S: Final = 7200
# What a subprocess needs to start at all; the worker empties its environment itself.
NEEDED_VARIABLES: Final = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


class Worker:
    """One process and the host's end of its pipe."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: socket.socket) -> None:
        self.process = process
        self.pipe = pipe
        self._received = memoryview(bytearray(READ_BYTES))
        self.decoder = Decoder(0)
        self.ready = False
        self.runs = 0
        self.bare_bytes = 0
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

    def peak_bytes(self) -> int:
        """Most memory that the process held so far, 0 where it cannot be known."""
        try:
            with open(f"/proc/{self.process.pid}/status", "rb") as file:
                found = _PEAK.search(file.read())
        except OSError:
            return 0
        return int(found[1]) * 1024 if found else 0

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
        worker.bare_bytes = worker.peak_bytes()
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
