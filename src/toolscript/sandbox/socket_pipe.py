"""A pipe that is a socket, which an event loop watches itself: Linux and macOS."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from toolscript.sandbox.pipe import READ_BYTES, Pipe

# Room for a large value on its way; the system may allow less.
BUFFER_BYTES: Final = 1 << 20
MOST_PIECES: Final = 512


def launch(
    command: Sequence[str], environment: Mapping[str, str], folder: str
) -> tuple[subprocess.Popen[bytes], Pipe]:
    """Start a worker with a socket as its standard input and output."""
    ours, theirs = socket.socketpair()
    try:
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        process = subprocess.Popen(
            command,
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    return process, SocketPipe(ours)


class SocketPipe(Pipe):
    """Reads and writes without blocking; the loop tells when that can go on."""

    answers_at_once = True

    def __init__(self, ours: socket.socket) -> None:
        ours.setblocking(False)
        self._socket = ours
        # A number: the selector formats what it does not know yet, which a socket makes slow.
        self._descriptor = ours.fileno()
        # One buffer for all reading: a fresh one each time costs more than the reading.
        self._received = memoryview(bytearray(READ_BYTES))
        self._outgoing: list[bytes | memoryview] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._readable: Callable[[], None] | None = None
        self._reading = False
        self._writing = False

    def receive(self) -> memoryview:
        count = self._socket.recv_into(self._received)
        return self._received[:count]

    def wait(self, seconds: float) -> memoryview:
        self._socket.settimeout(seconds)
        try:
            return self.receive()
        finally:
            self._socket.setblocking(False)

    def attach(self, loop: asyncio.AbstractEventLoop, readable: Callable[[], None]) -> None:
        self._loop = loop
        self._readable = readable

    def listen(self, on: bool) -> None:
        loop, readable = self._loop, self._readable
        if on == self._reading or loop is None or readable is None:
            return
        self._reading = on
        if on:
            loop.add_reader(self._descriptor, readable)
        else:
            loop.remove_reader(self._descriptor)

    def send(self, pieces: Sequence[bytes]) -> None:
        self._outgoing += pieces
        self._write()

    def detach(self) -> bool:
        self.listen(False)
        self._watch_room(False)
        self._loop = self._readable = None
        return not self._outgoing

    def close(self) -> None:
        self._socket.close()

    def _write(self) -> None:
        assert sys.platform != "win32"
        try:
            while self._outgoing:
                sent = self._socket.sendmsg(self._outgoing[:MOST_PIECES])
                self._outgoing = _rest(self._outgoing, sent)
        except BlockingIOError:
            self._watch_room(True)
            return
        except OSError:
            # The reading side tells of the worker's end.
            self._outgoing.clear()
        self._watch_room(False)

    def _watch_room(self, on: bool) -> None:
        if on == self._writing or self._loop is None:
            return
        self._writing = on
        if on:
            self._loop.add_writer(self._descriptor, self._write)
        else:
            self._loop.remove_writer(self._descriptor)


def _rest(pieces: list[bytes | memoryview], sent: int) -> list[bytes | memoryview]:
    """What is left of the pieces after so many bytes were sent."""
    at = 0
    while at < len(pieces) and sent >= len(pieces[at]):
        sent -= len(pieces[at])
        at += 1
    rest = pieces[at:]
    if rest and sent:
        rest[0] = memoryview(rest[0])[sent:]
    return rest
