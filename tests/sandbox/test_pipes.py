"""The pipe to a worker, over a socket and over threads: all bytes, in order, without blocking."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolscript.sandbox import socket_pipe, thread_pipe
from toolscript.sandbox.pipe import Pipe

GUARD_S: Final = 60.0
MIB: Final = 1024 * 1024
ECHO: Final = """
import os
while data := os.read(0, 1 << 16):
    while data:
        data = data[os.write(1, data):]
"""
DEAF: Final = "import time; time.sleep(600)"
FLOOD: Final = "import os\nfor _ in range(64): os.write(1, bytes(1 << 20))"

Launch = Callable[[str], tuple[subprocess.Popen[bytes], Pipe]]


@pytest.fixture(
    params=[
        pytest.param(
            socket_pipe.launch,
            marks=pytest.mark.skipif(sys.platform == "win32", reason="needs sockets as streams"),
        ),
        thread_pipe.launch,
    ],
    ids=["socket", "threads"],
)
def launch(request: pytest.FixtureRequest) -> Iterator[Launch]:
    started: list[tuple[subprocess.Popen[bytes], Pipe]] = []

    def start(code: str) -> tuple[subprocess.Popen[bytes], Pipe]:
        command = [sys.executable, "-I", "-c", code]
        started.append(request.param(command, dict(os.environ), os.path.abspath(os.sep)))
        return started[-1]

    yield start
    for process, pipe in started:
        process.kill()
        pipe.close()
        process.wait()


class Listener:
    """A run's ears: gathers what arrives while it listens."""

    def __init__(self, pipe: Pipe) -> None:
        self.pipe = pipe
        self.heard = bytearray()
        self.ended = False
        self.more = asyncio.Event()
        pipe.attach(asyncio.get_running_loop(), self.readable)
        pipe.listen(True)

    def readable(self) -> None:
        try:
            data = self.pipe.receive()
        except BlockingIOError:
            return
        self.heard += data
        if not data:
            self.ended = True
            self.pipe.listen(False)
        self.more.set()

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(GUARD_S):
            while not done():
                self.more.clear()
                await self.more.wait()


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(runs=st.lists(st.lists(st.binary(max_size=300) | st.just(b"x" * MIB), max_size=4)))
def test_what_is_sent_comes_back_in_each_of_many_runs(
    launch: Launch, runs: list[list[bytes]]
) -> None:
    _, pipe = launch(ECHO)
    for pieces in runs:
        expected = b"".join(pieces)

        async def run(pieces: list[bytes], expected: bytes) -> None:
            listener = Listener(pipe)
            pipe.send(pieces)
            await listener.until(lambda: len(listener.heard) >= len(expected))
            assert listener.heard == expected
            assert pipe.detach()

        asyncio.run(run(pieces, expected))


def test_between_runs_it_is_asked(launch: Launch) -> None:
    _, pipe = launch(ECHO)
    with pytest.raises(BlockingIOError):
        pipe.receive()
    with pytest.raises(TimeoutError):
        pipe.wait(0.01)
    pipe.send([b"a", b"bc"])
    heard = b""
    while heard != b"abc":
        heard += pipe.wait(GUARD_S)


async def test_sending_to_who_does_not_read_blocks_nobody(launch: Launch) -> None:
    process, pipe = launch(DEAF)
    listener = Listener(pipe)
    pipe.send([bytes(MIB)] * 16)
    process.kill()
    await listener.until(lambda: listener.ended)
    assert listener.heard == b""


async def test_who_is_not_listened_to_has_to_wait(launch: Launch) -> None:
    process, pipe = launch(FLOOD)
    listener = Listener(pipe)
    await listener.until(lambda: len(listener.heard) > 0)
    pipe.listen(False)
    await asyncio.sleep(0.2)
    heard = len(listener.heard)
    assert process.poll() is None
    await asyncio.sleep(0)
    assert len(listener.heard) == heard
    pipe.listen(True)
    await listener.until(lambda: listener.ended)
    assert listener.heard == bytes(64 * MIB)


async def test_what_arrived_while_nobody_listened_is_told_later(launch: Launch) -> None:
    process, pipe = launch("import os; os.write(1, b'last words')")
    await asyncio.to_thread(process.wait)
    listener = Listener(pipe)
    await listener.until(lambda: listener.ended)
    assert listener.heard == b"last words"


async def test_a_run_that_is_over_hears_nothing(launch: Launch) -> None:
    _, pipe = launch(ECHO)
    first = Listener(pipe)
    pipe.detach()
    second = Listener(pipe)
    pipe.send([b"x"])
    await second.until(lambda: bool(second.heard))
    assert not first.more.is_set()


def test_a_loop_that_was_closed_without_a_word_harms_no_later_run(launch: Launch) -> None:
    _, pipe = launch(ECHO)

    async def forget() -> None:
        Listener(pipe)

    async def again() -> bytes:
        listener = Listener(pipe)
        pipe.send([b"y"])
        await listener.until(lambda: bool(listener.heard))
        return bytes(listener.heard)

    asyncio.run(forget())
    pipe.send([b"x"])
    assert pipe.wait(GUARD_S) == b"x"
    pipe.detach()
    assert asyncio.run(again()) == b"y"


async def test_closing_it_ends_who_reads_from_it(launch: Launch) -> None:
    process, pipe = launch(ECHO)
    pipe.close()
    async with asyncio.timeout(GUARD_S):
        await asyncio.to_thread(process.wait)
    assert process.returncode == 0
