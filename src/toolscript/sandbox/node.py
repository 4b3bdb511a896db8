"""`NodeRuntime`: scripts in a Node.js process of the host, with its files and its npm modules."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from toolscript.errors import ConfigurationError
from toolscript.given import NAME, SECONDS, a, check, maybe, tells_names
from toolscript.sandbox.channel import Channel, Driver, Finished
from toolscript.sandbox.node_source import bootstrap
from toolscript.sandbox.remote import ChannelRuntime

READ_BYTES: Final = 1 << 18
# How long a process that was asked to end may take before it is killed.
END_S: Final = 2.0


def node_command(node: str = "node") -> list[str]:
    """The command of a Node.js that takes the runner from its channel, for drivers of others.

    The first that has to be written to the channel is the runner's source, its length in 4 bytes
    (little-endian) before it: `framed_source`. The channel is standard input and output.
    """
    return _command(node, 0, 0)


def _command(node: str, descriptor: int, host: int) -> list[str]:
    """The command with what `node_bootstrap.cjs` is told."""
    return [node, "--no-warnings", "-e", bootstrap(), str(descriptor), str(host)]


def framed_source(runner_source: str) -> bytes:
    """The runner's source as `node_command` takes it."""
    data = runner_source.encode()
    return struct.pack("<I", len(data)) + data


@tells_names
class NodeRuntime(ChannelRuntime):
    """Runs scripts in one long-lived Node.js process, each in a thread of its own.

    For trusted scripts that import npm modules, Node.js modules and files: they are found from
    `cwd`, as Node.js finds them. It is no sandbox: a script may do whatever this process may.
    Scripts have the same globals as everywhere, and those of Node.js (`process`, `Buffer`,
    `fetch`, ...) besides. `memory_bytes` bounds the JavaScript heap of a script, not its buffers.

    Args:
        node: the program, a name on PATH or a path. Node.js 20 or newer.
        cwd: the folder from which imports are found; the current one by default.
        boot_s: seconds within which the process must be ready.
    """

    def __init__(
        self, *, node: str = "node", cwd: str | os.PathLike[str] | None = None, boot_s: float = 10.0
    ) -> None:
        check("NodeRuntime(node=)", NAME, node)
        check("NodeRuntime(cwd=)", maybe(a(str, os.PathLike, words="the path of a folder")), cwd)
        check("NodeRuntime(boot_s=)", SECONDS, boot_s)
        super().__init__(_NodeDriver(node, Path.cwd() if cwd is None else Path(cwd)), boot_s=boot_s)


class _NodeDriver(Driver):
    """Starts a Node.js process of the host."""

    def __init__(self, node: str, cwd: Path) -> None:
        self._node = node
        self._cwd = cwd.absolute()

    @property
    def description(self) -> str:
        return (
            "Node.js on the host: scripts may import npm packages, Node.js modules and files. "
            "Not a sandbox: for trusted scripts only."
        )

    @property
    def isolation(self) -> Mapping[str, bool | str]:
        return {
            "sandbox": "scripts run in a Node.js process with all that the host's user may do; "
            "this is no sandbox"
        }

    async def connect(self, runner_source: str) -> Channel:
        path = shutil.which(self._node)
        if path is None:
            raise ConfigurationError(
                f"there is no program {self._node!r} here: install Node.js 20 or newer, or give "
                "its path as NodeRuntime(node=...)"
            )
        if not self._cwd.is_dir():
            raise ConfigurationError(f"cwd is no folder: {str(self._cwd)!r}")
        channel = await _start(path, self._cwd)
        try:
            # One that ends before it has read all is told when its first words are read.
            with contextlib.suppress(OSError):
                await channel.write(framed_source(runner_source))
        except BaseException:
            await channel.aclose()
            raise
        return channel

    def type_definitions(self) -> Mapping[str, str]:
        """The declarations of `@types/node` where the folder's packages have them, else none."""
        for folder in (self._cwd, *self._cwd.parents):
            types = folder / "node_modules" / "@types" / "node"
            if (types / "index.d.ts").is_file():
                return {
                    file.relative_to(types).as_posix(): file.read_text(encoding="utf-8")
                    for file in sorted(types.rglob("*.d.ts"))
                    # Folders such as `ts5.6` hold the same for older compilers.
                    if not file.relative_to(types).parts[0].startswith("ts")
                }
        return {}


async def _start(path: str, cwd: Path) -> _ProcessChannel:
    """Start a process with a channel: a socket, or its standard streams on Windows.

    A socket of its own keeps what a script's modules print out of the channel.
    """
    nothing = asyncio.subprocess.DEVNULL
    try:
        if sys.platform == "win32":
            pipe = asyncio.subprocess.PIPE
            process = await asyncio.create_subprocess_exec(
                *_command(path, 0, os.getpid()),
                stdin=pipe,
                stdout=pipe,
                stderr=nothing,
                cwd=cwd,
            )
            assert process.stdout is not None
            assert process.stdin is not None
            return _ProcessChannel(path, process, process.stdout, process.stdin)
        ours, theirs = socket.socketpair()
        try:
            # First: nothing may come between the start of a process and having it.
            reader, writer = await asyncio.open_connection(sock=ours)
        except BaseException:
            ours.close()
            theirs.close()
            raise
        try:
            process = await asyncio.create_subprocess_exec(
                *_command(path, theirs.fileno(), os.getpid()),
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                cwd=cwd,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except BaseException:
            writer.close()
            raise
        finally:
            theirs.close()
    except OSError as error:
        raise ConfigurationError(f"Node.js cannot be started: {error}") from error
    return _ProcessChannel(path, process, reader, writer)


class _ProcessChannel(Channel):
    """The channel of a process of ours, which ends with it."""

    def __init__(
        self,
        path: str,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._path = path
        self._process = process
        self._reader = reader
        self._writer = writer
        self._spoke = False
        self._asked = False

    async def read(self) -> bytes:
        try:
            data = await self._reader.read(READ_BYTES)
        except ConnectionError:
            return b""
        self._spoke = self._spoke or data != b""
        return data

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def finished(self) -> Finished:
        code = await self._process.wait()
        if self._asked:
            return Finished("closed")
        if self._spoke:
            return Finished("failed", f"the Node.js process ended unexpectedly (exit code {code})")
        return Finished(
            "failed",
            f"{self._path!r} ended before it was ready (exit code {code}): see whether "
            f"`{self._path} --version` says that it is Node.js 20 or newer",
        )

    async def aclose(self) -> None:
        self._asked = True
        # The runner ends when its channel does.
        self._writer.close()
        try:
            async with asyncio.timeout(END_S):
                await self._process.wait()
        except TimeoutError:
            # It is killed below.
            pass
        finally:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._process.wait()
