"""A pair of pipes, each with a thread that blocks in the host's place: Windows.

No event loop of Windows watches pipes, and writing to one that is full blocks there. So one
thread reads and tells the run's loop, and one writes. Each closes its own end: closing what
another thread is reading from would wait for it.
"""

from __future__ import annotations

import asyncio
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final

from toolscript.sandbox.pipe import READ_BYTES, Pipe

# What may lie here untaken before the worker has to wait.
MOST_UNTAKEN_BYTES: Final = 1 << 20


def launch(
    command: Sequence[str], environment: Mapping[str, str], folder: str
) -> tuple[subprocess.Popen[bytes], Pipe]:
    """Start a worker with two pipes as its standard input and output."""
    flags = 0
    if sys.platform == "win32":
        # Ctrl-C of a terminal is for the host, and no window opens for a worker.
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    process = subprocess.Popen(
        command,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=folder,
        start_new_session=True,
        creationflags=flags,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    return process, ThreadPipe(process.stdout, process.stdin)


@dataclass(slots=True)
class Attachment:
    """A run that is served. `told` while word is on its way to its loop."""

    loop: asyncio.AbstractEventLoop
    readable: Callable[[], None]
    listens: bool = False
    told: bool = False


class ThreadPipe(Pipe):
    """Hands over between two threads of its own and whoever has the worker."""

    # Asking holds the interpreter that the reading thread needs.
    answers_at_once = False

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._changed = threading.Condition()
        self._arrived: list[bytes] = []
        self._size = 0
        self._ended = False
        self._closed = False
        self._attachment: Attachment | None = None
        self._outgoing: queue.SimpleQueue[Sequence[bytes] | None] = queue.SimpleQueue()
        for name, work, end in (("reads", self._read, source), ("writes", self._write, sink)):
            threading.Thread(
                target=work, args=(end,), name=f"toolscript-{name}", daemon=True
            ).start()

    def receive(self) -> memoryview:
        with self._changed:
            if not self._arrived and not self._ended:
                raise BlockingIOError
            return self._take()

    def wait(self, seconds: float) -> memoryview:
        with self._changed:
            if not self._changed.wait_for(lambda: self._arrived or self._ended, seconds):
                raise TimeoutError("timed out")
            return self._take()

    def attach(self, loop: asyncio.AbstractEventLoop, readable: Callable[[], None]) -> None:
        with self._changed:
            self._attachment = Attachment(loop, readable)

    def listen(self, on: bool) -> None:
        with self._changed:
            if self._attachment is not None:
                self._attachment.listens = on
                self._tell()

    def send(self, pieces: Sequence[bytes]) -> None:
        self._outgoing.put(pieces)

    def detach(self) -> bool:
        with self._changed:
            self._attachment = None
        # What is still on its way is written before anything that comes later.
        return True

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._outgoing.put(None)

    def _take(self) -> memoryview:
        data = b"".join(self._arrived)
        self._arrived.clear()
        self._size = 0
        self._changed.notify_all()
        return memoryview(data)

    def _tell(self) -> None:
        """Have the run receive what there is, unless it knows already."""
        run = self._attachment
        if run is None or not run.listens or run.told or not (self._arrived or self._ended):
            return
        run.told = True
        try:
            run.loop.call_soon_threadsafe(self._arrive, run)
        except RuntimeError:
            # The run's loop was closed without closing its execution: nobody waits.
            self._attachment = None

    def _arrive(self, run: Attachment) -> None:
        with self._changed:
            run.told = False
            current = run is self._attachment and run.listens
        if current:
            run.readable()
            with self._changed:
                # The end is told again and again, as it is to those who watch a socket.
                self._tell()

    def _read(self, source: IO[bytes]) -> None:
        with source:
            while not self._ended:
                try:
                    data = source.read(READ_BYTES)
                except OSError:
                    data = b""
                with self._changed:
                    if data and not self._closed:
                        self._arrived.append(data)
                        self._size += len(data)
                    self._ended = not data
                    self._changed.notify_all()
                    self._tell()
                    self._changed.wait_for(self._may_go_on)

    def _may_go_on(self) -> bool:
        return self._size < MOST_UNTAKEN_BYTES or self._closed

    def _write(self, sink: IO[bytes]) -> None:
        with sink:
            while (pieces := self._outgoing.get()) is not None:
                try:
                    for piece in pieces:
                        view = memoryview(piece)
                        while view:
                            view = view[sink.write(view) :]
                except OSError:
                    # The reading side tells of the worker's end.
                    return
