"""The native TypeScript checker as a process that stays warm and sees no file but ours.

It speaks the checker's own protocol (`tsgo --api --async`): JSON-RPC over its standard streams,
in which it asks back for every file. What it asks for is answered from memory; only the
declaration files that ship beside its binary may come from disk.
"""

from __future__ import annotations

import json
import os
import posixpath
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

ROOT: Final = "/toolscript"
"""The folder in which the checker believes that it works. It exists nowhere."""

_CALLBACKS: Final = "readFile,fileExists,directoryExists,getAccessibleEntries,realpath"
_MEMORY_BYTES: Final = 4 * 1024**3
_LARGEST_MESSAGE: Final = 64 * 1024 * 1024


class CheckerDied(Exception):
    """The checker ended, was stopped for taking too long, or said what makes no sense."""

    def __init__(self, message: str, *, too_long: bool = False):
        super().__init__(message)
        self.too_long = too_long


class CheckerProcess:
    """One checker. Used by one thread at a time."""

    def __init__(self, binary: Path):
        self.files: dict[str, str] = {}
        self._library = binary.parent.as_posix()
        self._sent = 0
        self._expired = False
        self._process = subprocess.Popen(
            [binary, "--api", "--async", "--cwd", ROOT, f"--callbacks={_CALLBACKS}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,
        )
        _bound_memory(self._process.pid)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def call(self, method: str, params: Mapping[str, Any] | None, timeout_s: float) -> Any:
        """Ask the checker something.

        Raises:
            CheckerDied: if no answer comes.
        """
        watch = threading.Timer(timeout_s, self._expire)
        watch.daemon = True
        watch.start()
        try:
            return self._exchange(method, params)
        except (OSError, ValueError, KeyError, TypeError) as error:
            message = "it took too long" if self._expired else f"it broke off: {error}"
            self.close()
            raise CheckerDied(message, too_long=self._expired) from None
        finally:
            watch.cancel()

    def close(self) -> None:
        """End the process and wait for its end."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    # What was still to be written has nobody left to read it.
                    continue

    def _expire(self) -> None:
        self._expired = True
        self._process.kill()

    def _exchange(self, method: str, params: Mapping[str, Any] | None) -> Any:
        self._sent += 1
        self._send({"jsonrpc": "2.0", "id": self._sent, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message:
                if "id" in message:
                    answer = self._answer(message["method"], message.get("params"))
                    self._send({"jsonrpc": "2.0", "id": message["id"], "result": answer})
            elif message.get("id") == self._sent:
                if "error" in message:
                    raise ValueError(str(message["error"])[:500])
                return message.get("result")

    def _send(self, message: Mapping[str, Any]) -> None:
        stream = self._process.stdin
        assert stream is not None
        # Lone surrogates have no UTF-8, but an escape.
        data = json.dumps(message).encode("ascii")
        stream.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        stream.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._process.stdout
        assert stream is not None
        length = -1
        while (line := stream.readline(1024)) not in (b"\r\n", b"\n"):
            if not line:
                raise OSError("the checker ended")
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = int(value)
        if not 0 <= length <= _LARGEST_MESSAGE:
            raise ValueError("a message of the checker has no acceptable length")
        data = stream.read(length)
        if len(data) < length:
            raise OSError("the checker ended")
        message: Any = json.loads(data)
        if not isinstance(message, dict):
            raise TypeError("a message of the checker is no object")
        return cast(dict[str, Any], message)

    def _answer(self, method: str, params: Any) -> Any:
        """Answer a question about files. None would let the checker look at the disk itself."""
        path = posixpath.normpath(params) if isinstance(params, str) else ""
        if path == self._library or path.startswith(self._library + "/"):
            return None
        folder = path.rstrip("/") + "/"
        if method == "readFile":
            return {"content": self.files.get(path)}
        if method == "fileExists":
            return path in self.files
        if method == "directoryExists":
            return any(name.startswith(folder) for name in self.files)
        if method == "getAccessibleEntries":
            below = [name.removeprefix(folder) for name in self.files if name.startswith(folder)]
            return {
                "files": [name for name in below if "/" not in name],
                "directories": sorted({name.split("/")[0] for name in below if "/" in name}),
            }
        return path


def _environment() -> dict[str, str]:
    """Nothing of ours, but for what no process on Windows can do without."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return {**kept, "GOMEMLIMIT": str(_MEMORY_BYTES // 4), "GOTRACEBACK": "none"}


def _bound_memory(pid: int) -> None:
    """The operating system ends a checker that wants more; elsewhere its own limit must do."""
    if sys.platform == "linux":
        import resource

        resource.prlimit(pid, resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
