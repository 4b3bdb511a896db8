"""One running environment: handshake, scripts by number, and what becomes of them when it dies.

All of it happens on the event loop of the runtime's own thread, but for what says otherwise.
"""

from __future__ import annotations

import asyncio
import json
import logging
import struct
from collections.abc import Callable
from typing import Any, Final, Protocol, cast

from toolscript.errors import ConfigurationError
from toolscript.sandbox.channel import Channel, Driver, Finished
from toolscript.sandbox.wire import HEADER, Decoder, ProtocolError, check_json

LOGGER: Final = logging.getLogger("toolscript")
NUMBER: Final = struct.Struct("<I")
LEAST_NODE: Final = 20
# Before the handshake a runner has nothing long to say.
GREETING_BYTES: Final = 64 * 1024
MOST_REASON: Final = 2000
# How much longer than its bytes an environment may take to say why it ended.
LAST_WORDS_S: Final = 0.5


class Script(Protocol):
    """What the connection tells an execution. Called on the connection's loop."""

    frame_bytes: int

    def said(self, body: bytes) -> None:
        """A block of the guest."""

    def gone(self, cpu_s: float, reason: str) -> None:
        """The script's place has ended; nothing more comes."""


class Connection:
    """A channel with a runner at its end that has said who it is."""

    def __init__(self, channel: Channel, lost: Callable[[Finished], None]) -> None:
        self._channel = channel
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._decoder = Decoder(GREETING_BYTES)
        self._scripts: dict[int, Script] = {}
        self._last = 0
        self._outgoing: list[bytes] = []
        self._more = asyncio.Event()
        self._work: list[asyncio.Task[None]] = []
        self._ended = False

    @property
    def alive(self) -> bool:
        return not self._ended

    async def greet(self, identity: str) -> None:
        """Wait for the runner's first words, then begin to serve.

        Raises:
            ConfigurationError: if it is not the runner that this host has sent.
        """
        greeting = await self._greeting()
        if greeting.get("runner") != identity:
            raise ConfigurationError(
                f"the runner at the other end is version {str(greeting.get('runner'))[:40]!r}, "
                f"and this host speaks with version {identity!r}: start the source that "
                "`connect` was given"
            )
        node = str(greeting.get("node"))[:40]
        major = node.partition(".")[0]
        if not major.isdigit() or int(major) < LEAST_NODE:
            raise ConfigurationError(
                f"Node.js {LEAST_NODE} or newer is needed, and this is version {node}"
            )
        serving = asyncio.ensure_future(self._serve())
        watching = asyncio.ensure_future(self._watch(serving))
        self._work += [serving, watching, asyncio.ensure_future(self._write())]

    async def _greeting(self) -> dict[str, Any]:
        while data := await self._channel.read():
            self._decoder.feed(data)
            for block in self._decoder.blocks():
                head, _, rest = block[NUMBER.size :].partition(b"\n")
                if block[: NUMBER.size] != NUMBER.pack(0) or head != b"b":
                    raise ProtocolError("it said something else than that it is ready")
                check_json(rest)
                greeting = json.loads(rest)
                if isinstance(greeting, dict):
                    return cast(dict[str, Any], greeting)
                raise ProtocolError("its first words are malformed")
        raise ProtocolError((await self._finished()).error)

    async def _finished(self) -> Finished:
        """Why the channel ended. What is behind it ends at about the same time, or is of no use."""
        try:
            async with asyncio.timeout(LAST_WORDS_S):
                finished = await self._channel.finished()
        except TimeoutError:
            finished = Finished("failed")
        return finished if finished.error else Finished("failed", "the channel ended")

    # -- scripts

    def add(self, script: Script, program: list[bytes]) -> int:
        """Send a program; what its guest says goes to `script`. Gives its number."""
        if self._ended:
            script.gone(0.0, "the environment has ended")
            return 0
        self._last += 1
        self._scripts[self._last] = script
        self._decoder.begin(max(each.frame_bytes for each in self._scripts.values()))
        self.send(self._last, b"R", program)
        return self._last

    def send(self, number: int, kind: bytes, parts: list[bytes]) -> bool:
        """Send a block to a script, if it is still there; whether it is."""
        if number not in self._scripts:
            return False
        size = NUMBER.size + len(kind) + sum(map(len, parts))
        self._outgoing += [HEADER.pack(size) + NUMBER.pack(number) + kind, *parts]
        self._more.set()
        return True

    async def _write(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            pieces, self._outgoing = self._outgoing, []
            try:
                await self._channel.write(b"".join(pieces))
            except OSError:
                # What is read, or its end, tells why.
                return

    async def _serve(self) -> None:
        try:
            while data := await self._channel.read():
                self._decoder.feed(data)
                for block in self._decoder.blocks():
                    self._take(block)
            self._end(await self._finished())
        except ProtocolError as error:
            self.fail(f"the runner broke the protocol: {error}")
        except Exception as error:
            LOGGER.exception("a channel failed")
            self.fail(f"the channel failed ({type(error).__name__})")

    def _take(self, block: bytes) -> None:
        if len(block) < NUMBER.size:
            raise ProtocolError("a block has no number")
        (number,) = NUMBER.unpack_from(block)
        if number == 0:
            self._gone(block[NUMBER.size :])
        elif number in self._scripts:
            self._scripts[number].said(block[NUMBER.size :])
        else:
            raise ProtocolError("a script spoke that is not there")

    def _gone(self, body: bytes) -> None:
        head, _, rest = body.partition(b"\n")
        match head.split(b" "):
            case [b"g", number, used] if number.isdigit() and used.isdigit():
                check_json(rest)
                try:
                    reason = json.loads(rest)
                except ValueError as error:
                    raise ProtocolError("a line holds no JSON") from error
                script = self._scripts.pop(int(number[:10]), None)
                if script is None:
                    raise ProtocolError("a script has gone that was not there")
                script.gone(int(used[:18]) / 1e6, str(reason)[:MOST_REASON])
            case _:
                raise ProtocolError("an unknown word of the runner")

    # -- the end

    async def _watch(self, serving: asyncio.Task[None]) -> None:
        finished = await self._channel.finished()
        # What it said before is still to be read.
        await asyncio.wait([serving], timeout=LAST_WORDS_S)
        self._end(finished)

    def fail(self, error: str) -> None:
        """Give the environment up: it does not answer, or cannot be believed."""
        self._end(Finished("failed", error))

    def _end(self, finished: Finished) -> None:
        if self._ended:
            return
        self._ended = True
        reason = finished.error or "the environment was closed"
        scripts, self._scripts = self._scripts, {}
        for script in scripts.values():
            script.gone(0.0, reason)
        self._lost(finished)
        # The tasks may be the caller's own: the environment is ended by one of its own.
        self._closing = asyncio.ensure_future(self._close())

    async def _close(self) -> None:
        for task in self._work:
            task.cancel()
        try:
            await self._channel.aclose()
        except Exception:
            # Whoever waits can do nothing about it, and others may wait for their scripts.
            LOGGER.exception("an environment could not be ended")

    async def aclose(self) -> None:
        """End the environment and wait until it has ended."""
        self._end(Finished("closed"))
        await asyncio.gather(self._closing, *self._work, return_exceptions=True)


async def connect(
    driver: Driver,
    source: str,
    identity: str,
    boot_s: float,
    closing: asyncio.Future[None],
    lost: Callable[[Finished], None],
) -> Connection:
    """Start an environment and wait until its runner is ready.

    Raises:
        ConfigurationError: if there is none within `boot_s` seconds, or before `closing`; nothing
            is left of it then.
    """
    boot = asyncio.ensure_future(_boot(driver, source, identity, lost))
    await asyncio.wait([boot, closing], timeout=boot_s, return_when=asyncio.FIRST_COMPLETED)
    if not boot.done():
        # Once only: what it has started is being ended then.
        boot.cancel()
        await asyncio.wait([boot])
    try:
        return await boot
    except asyncio.CancelledError as error:
        raise ConfigurationError(
            f"the environment was not ready within {boot_s:g} seconds (boot_s): "
            f"{driver.description}"
        ) from error
    except (OSError, ValueError, ProtocolError) as error:
        raise ConfigurationError(f"the environment did not start: {error}") from error


async def _boot(
    driver: Driver, source: str, identity: str, lost: Callable[[Finished], None]
) -> Connection:
    channel = await driver.connect(source)
    try:
        connection = Connection(channel, lost)
        await connection.greet(identity)
    except BaseException:
        await channel.aclose()
        raise
    return connection
