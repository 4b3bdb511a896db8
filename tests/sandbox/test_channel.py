"""Drivers that move bytes: any place with a Node.js, and what goes wrong on the way to it."""

from __future__ import annotations

import asyncio
import json
import shutil
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript.errors import ConfigurationError
from toolscript.sandbox.channel import Channel, Driver, Finished
from toolscript.sandbox.node import framed_source, node_command
from toolscript.sandbox.node_source import runner_source
from toolscript.sandbox.remote import ChannelRuntime
from toolscript.sandbox.runtime import Program, Runtime
from toolscript.testing import RuntimeConformance
from toolscript.testing.guest_host import execute, surface
from toolscript.testing.runtimes.base import ANSWERS, NAMES

GUARD_S = 30.0
PROGRAM = Program(code="return 1", surface=surface(NAMES))


# -- a driver as somebody else would write it: a process behind a TCP connection


class TcpChannel(Channel):
    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, over: asyncio.Event
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._over = over

    async def read(self) -> bytes:
        return await self._reader.read(7000)

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def finished(self) -> Finished:
        await self._over.wait()
        return Finished("failed", "the connection ended")

    async def aclose(self) -> None:
        self._writer.close()
        await self._over.wait()


class TcpDriver(Driver):
    """Passes bytes between a connection and the standard streams of a Node.js."""

    @property
    def description(self) -> str:
        return "Node.js behind a TCP connection. Not a sandbox."

    @property
    def isolation(self) -> Mapping[str, bool | str]:
        return {"sandbox": "none"}

    async def connect(self, runner_source: str) -> Channel:
        pipe = asyncio.subprocess.PIPE
        over = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            process = await asyncio.create_subprocess_exec(*node_command(), stdin=pipe, stdout=pipe)
            assert process.stdin is not None
            assert process.stdout is not None
            await asyncio.gather(copy(reader, process.stdin), copy(process.stdout, writer))
            await process.wait()
            server.close()
            over.set()

        server = await asyncio.start_server(serve, "127.0.0.1")
        host, port = server.sockets[0].getsockname()
        channel = TcpChannel(*await asyncio.open_connection(host, port), over)
        await channel.write(framed_source(runner_source))
        return channel


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(5000):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not on PATH")
class TestChannelRuntime(RuntimeConformance):
    @classmethod
    def make_runtime(cls) -> Runtime:
        return ChannelRuntime(TcpDriver())


# -- drivers that fail, in memory

Script = Callable[["Peer"], AsyncIterator[bytes]]
"""What a faked runner does: it is given its peer, and yields what it says."""


class Peer(Channel):
    """A runner of the test's own."""

    def __init__(self, script: Script) -> None:
        self.received = asyncio.Queue[bytes]()
        self.closed = 0
        self._said = script(self)
        self._over = asyncio.Event()

    async def read(self) -> bytes:
        async for data in self._said:
            return data
        self._over.set()
        return b""

    async def write(self, data: bytes) -> None:
        self.received.put_nowait(data)

    async def finished(self) -> Finished:
        await self._over.wait()
        return Finished("failed", "the faked runner ended")

    async def aclose(self) -> None:
        self.closed += 1
        self._over.set()


class FakeDriver(Driver):
    def __init__(self, script: Script) -> None:
        self._script = script
        self.peers: list[Peer] = []

    @property
    def description(self) -> str:
        return "A faked environment."

    @property
    def isolation(self) -> Mapping[str, bool | str]:
        return {"sandbox": "none"}

    async def connect(self, runner_source: str) -> Channel:
        self.peers.append(Peer(self._script))
        return self.peers[-1]


def block(number: int, body: bytes) -> bytes:
    return struct.pack("<II", len(body) + 4, number) + body


def greeting(**changes: object) -> bytes:
    told = {"runner": runner_source()[1], "node": "20.1.0", **changes}
    return block(0, b"b\n" + json.dumps(told).encode() + b"\n")


async def silent(peer: Peer) -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


async def dead(peer: Peer) -> AsyncIterator[bytes]:
    return
    yield b""


def saying(*words: bytes) -> Script:
    async def script(peer: Peer) -> AsyncIterator[bytes]:
        for word in words:
            yield word
        await asyncio.Event().wait()

    return script


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (silent, "boot_s"),
        (dead, "the faked runner ended"),
        (saying(greeting(runner="other")), "'other'"),
        (saying(greeting(node="18.20.0")), "18.20.0"),
        (saying(greeting(node="new")), "new"),
        (saying(greeting()[:20]), "boot_s"),
        (saying(block(1, b"i 0\n")), "something else"),
        (saying(block(0, b"b\nnot json")), "did not start"),
        (saying(block(0, b"b\n[]\n")), "malformed"),
        (saying(block(0, b"b\n" + b"[" * 100_000)), "nested deeper"),
        (saying(b"\xff" * 8), "larger than allowed"),
    ],
)
async def test_a_failed_boot_says_why_and_leaves_nothing(script: Script, message: str) -> None:
    driver = FakeDriver(script)
    runtime = ChannelRuntime(driver, boot_s=0.3)
    for _ in range(2):
        async with asyncio.timeout(GUARD_S):
            with pytest.raises(ConfigurationError, match=message):
                await runtime.open(PROGRAM)
    await runtime.aclose()
    assert [peer.closed for peer in driver.peers] == [1, 1]


async def test_a_driver_that_raises_is_told_as_it_is() -> None:
    class Broken(FakeDriver):
        async def connect(self, runner_source: str) -> Channel:
            raise ConfigurationError("there is no container")

    runtime = ChannelRuntime(Broken(silent))
    with pytest.raises(ConfigurationError, match="there is no container"):
        await runtime.open(PROGRAM)
    await runtime.aclose()


async def test_an_environment_that_dies_ends_its_scripts_and_is_started_again() -> None:
    async def once(peer: Peer) -> AsyncIterator[bytes]:
        yield greeting()
        await peer.received.get()
        yield block(1, b'e\n{"outcome":"returned"}\n1\n')

    driver = FakeDriver(once)
    runtime = ChannelRuntime(driver)
    assert (await execute(runtime, PROGRAM, ANSWERS)).value == 1
    assert (await execute(runtime, PROGRAM, ANSWERS)).value == 1
    assert len(driver.peers) == 2
    await runtime.aclose()
    assert all(peer.closed for peer in driver.peers)


async def test_words_of_a_runner_that_are_wrong_end_everything() -> None:
    for words in (
        block(7, b"i 0\n"),
        block(0, b'g 9 1\n""\n'),
        block(0, b"g x y\n\n"),
        block(0, b"unknown\n"),
        struct.pack("<I", 2) + b"ab",
        struct.pack("<I", 1 << 31),
    ):

        async def script(peer: Peer, words: bytes = words) -> AsyncIterator[bytes]:
            yield greeting()
            await peer.received.get()
            yield words
            await asyncio.Event().wait()

        runtime = ChannelRuntime(FakeDriver(script))
        async with asyncio.timeout(GUARD_S):
            ended = await execute(runtime, PROGRAM, ANSWERS)
        assert ended.outcome == "worker_exit", words
        assert ended.end is not None
        assert "protocol" in ended.end.message
        await runtime.aclose()


@settings(max_examples=40)
@given(st.lists(st.binary(max_size=60), max_size=5), st.integers(0, 3))
def test_no_bytes_of_a_hostile_runner_harm_the_host(bodies: list[bytes], number: int) -> None:
    async def script(peer: Peer) -> AsyncIterator[bytes]:
        yield greeting()
        await peer.received.get()
        for body in bodies:
            yield block(number, body)
        yield b"".join(bodies) or b"\0"

    async def run() -> str:
        runtime = ChannelRuntime(FakeDriver(script))
        async with asyncio.timeout(GUARD_S):
            ended = await execute(runtime, replace(PROGRAM, frame_bytes=1000), ANSWERS)
            await runtime.aclose()
        return ended.outcome

    assert asyncio.run(run()) == "worker_exit"
