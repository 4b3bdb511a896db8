"""Runs inside the worker process: reads programs and results, runs scripts, writes frames.

Started by path in Python's isolated mode, without the package: it imports the standard library,
the engine (`_quickjs`, from the path that it is given) and three of its neighbours only. Nothing that
arrives here is doubted: it comes from the host. All that leaves is doubted there.

A block is a length (4 bytes, little-endian) and that many bytes. From the host, the first byte
says what it is: `R` a program, `S` settlements. To the host it is lines of text; see
`guest/bridge.js` for those of the guest. The worker's own are:

    b ↵ JSON      booted; what protections are in force
    r             a context is ready
    i COUNT       nothing can go on; COUNT results were delivered so far
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import select
import signal
import struct
import sys
import time
from types import ModuleType
from typing import Any

HEADER = struct.Struct("<I")
SETTLEMENT = struct.Struct("<IBBqIi")
# How long to look for an answer before sleeping.
LOOK_S = 100e-6
# After a script's end the host has its result to handle, maybe on this very processor: making the
# next context at once would stand in its way.
AFTER_END_MS = 1
IDLE_MS = 20
READ_BYTES = 1 << 18
STACK_BYTES = 4 << 20
REHEARSAL: dict[str, Any] = {
    "options": '{"frame_bytes":1048576,"clock":null,"json":"bigint","track_lines":true,'
    '"allow_eval":true}',
    "code": "return new Date().toString()",
    "surface": '{"groups":[{"name":"tools","members":[],"error_class":null}],"builtins":[],'
    '"helpers":[],"shortcuts":{},"hints":{},"options":{}}',
    "catalog": "[]",
    "input": "",
    "store": "{}",
    "modules": "{}",
    "memory_bytes": 64 << 20,
    "stack_bytes": 1 << 20,
    "cpu_s": 1.0,
    "frame_bytes": 1 << 20,
}
BOUNDS = ("memory_bytes", "stack_bytes", "cpu_s", "frame_bytes")
TEXTS = ("options", "code", "surface", "catalog", "input", "store", "modules")


def load(name: str, path: str) -> ModuleType:
    """A module from a file that no import path leads to."""
    loader: Any = importlib.machinery.ExtensionFileLoader
    if path.endswith(".py"):
        loader = importlib.machinery.SourceFileLoader
    spec = importlib.util.spec_from_file_location(name, path, loader=loader(name, path))
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {name} from {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Pipe:
    """Blocks in and out of two descriptors."""

    def __init__(self, source: int, sink: int, patience: Any) -> None:
        self._source = source
        self._sink = sink
        self._patience = patience
        self._buffer = bytearray()
        # One buffer for all reading: a fresh one each time costs more than the reading.
        self._received = memoryview(bytearray(READ_BYTES))
        # Windows has neither.
        self._readv: Any = getattr(os, "readv", None)
        self._poll: Any = None
        self._drained: Any = None
        if sys.platform != "win32":
            os.set_blocking(source, False)
            self._poll = select.poll()
            self._poll.register(source, select.POLLIN)
            self._drained = select.poll()
            self._drained.register(sink, select.POLLOUT)

    def answer(self) -> bytes:
        """The next block, which answers what was said last and may be there soon."""
        if self._poll is None or self._buffer:
            return self.read()
        looks = self._patience.looks()
        asked = now = time.monotonic()
        until = now + LOOK_S if looks else now
        while now <= until and not self._arrived():
            now = time.monotonic()
        block = self.read()
        self._patience.took(time.monotonic() - asked, looked=looks)
        return block

    def read(self) -> bytes:
        """The next block. Ends the process when the host has closed the pipe."""
        buffer = self._buffer
        while len(buffer) < 4:
            self._fill()
        (length,) = HEADER.unpack_from(buffer)
        while len(buffer) < 4 + length:
            self._fill()
        block = bytes(memoryview(buffer)[4 : 4 + length])
        del buffer[: 4 + length]
        return block

    def waiting(self, wait_ms: int = 0) -> bool:
        """Whether the host has said something, or does so within that time."""
        return bool(self._buffer) or self._poll is None or bool(self._poll.poll(wait_ms))

    def _fill(self) -> None:
        while not self._arrived():
            self._poll.poll()

    def _arrived(self) -> bool:
        """Take what has arrived, if anything has."""
        try:
            count = self._read()
        except BlockingIOError:
            return False
        if not count:
            os._exit(0)
        self._buffer += self._received[:count]
        return True

    def _read(self) -> int:
        if self._readv is not None:
            return self._readv(self._source, [self._received])
        data = os.read(self._source, READ_BYTES)
        self._received[: len(data)] = data
        return len(data)

    def write(self, data: bytes) -> None:
        view = memoryview(HEADER.pack(len(data)) + data)
        while view:
            try:
                view = view[os.write(self._sink, view) :]
            except BlockingIOError:
                self._drained.poll()


class Worker:
    """Serves one program after the other."""

    def __init__(self, pipe: Pipe, machines: ModuleType, engine: ModuleType, library: Any) -> None:
        self._pipe = pipe
        self._machines = machines
        self._engine = engine
        self._library = library

    def machine(self) -> Any:
        return self._machines.Machine(self._engine, self._library)

    def serve(self) -> None:
        while True:
            machine = self.machine()
            self._pipe.write(b"r\n")
            if not self._pipe.waiting(IDLE_MS):
                # Nobody is in a hurry: compile ahead what the next script may need.
                for _ in machine.warm():
                    if self._pipe.waiting():
                        break
            block = self._pipe.read()
            while block[:1] != b"R":
                block = self._pipe.read()
            program = read_program(block)
            try:
                self._run(machine, program)
            except self._machines.Rejected as error:
                self._end("syntax", error.message, line=error.line, column=error.column)
            except self._machines.Stopped as stop:
                self._stopped(machine, program, stop)
            except MemoryError:
                self._end("memory", "out of memory")
            self._pipe.waiting(AFTER_END_MS)

    def _run(self, machine: Any, program: dict[str, Any]) -> None:
        machine.start(program, STACK_BYTES)
        most = program["frame_bytes"]
        while True:
            if self._drain(machine, most):
                return
            block = self._pipe.answer()
            if block[:1] != b"S":
                raise SystemExit("a program arrived before the last one ended")
            view = memoryview(block)
            at = 1
            while at < len(block):
                seq, ok, bigints, now, length, face_length = SETTLEMENT.unpack_from(block, at)
                at += SETTLEMENT.size
                text = str(view[at : at + length], "utf-8")
                at += length
                now_ms = None if now < 0 else now
                if ok:
                    face = None
                    if face_length >= 0:
                        face = str(view[at : at + face_length], "utf-8")
                        at += face_length
                    machine.resolve(seq, text, bool(bigints), face, now_ms)
                else:
                    machine.reject(seq, text, now_ms)
                # One at a time: the order of a script's calls must not depend on how results
                # were batched.
                if at < len(block) and self._drain(machine, most, batch=True):
                    return

    def _drain(self, machine: Any, most: int, *, batch: bool = False) -> bool:
        """Run all jobs and send what the guest says. True when the script has ended."""
        said: list[bytes] = []
        size = 0
        for text in machine.drain():
            data = text.encode()
            if len(data) > most:
                self._end("limit", "a single message is larger than the host takes", "frame_bytes")
                return True
            said.append(data)
            size += len(data)
            if size > READ_BYTES or machine.busy:
                self._flush(said)
                size = 0
        ended = machine.ended
        if machine.broken:
            self._flush(said)
            self._end("memory", "out of memory")
            return True
        if not ended and not batch:
            said.append(b"i %d\n" % machine.settled)
        self._flush(said)
        return ended

    def _flush(self, said: list[bytes]) -> None:
        if said:
            self._pipe.write(b"".join(said))
            said.clear()

    def _stopped(self, machine: Any, program: dict[str, Any], stop: Any) -> None:
        """Send what the script had said, then why it was stopped."""
        machine.unlimited()
        try:
            for text in machine.fetch():
                data = text.encode()
                if len(data) <= program["frame_bytes"]:
                    self._flush([data])
        except (self._machines.Stopped, MemoryError):
            # There is no memory left for it; the rest is lost with the context.
            self._end(stop.outcome, str(stop))
            return
        if not machine.ended:
            self._end(stop.outcome, str(stop))

    def _end(
        self, outcome: str, message: str, limit: str = "", *, line: int = 0, column: int = 0
    ) -> None:
        record: dict[str, Any] = {"outcome": outcome, "message": message}
        if limit:
            record["limit"] = limit
        if line:
            record["line"] = line
            record["column"] = column
        if outcome == "syntax":
            record["name"] = "SyntaxError"
        self._pipe.write(b"e\n" + json.dumps(record).encode() + b"\n\n")


def read_program(block: bytes) -> dict[str, Any]:
    """A program, as `encode_program` in `program.py` writes it."""
    end = block.index(b"\n")
    numbers: list[Any] = json.loads(block[1:end])
    program: dict[str, Any] = dict(zip(BOUNDS, numbers[: len(BOUNDS)], strict=True))
    view = memoryview(block)
    at = end + 1
    for name, length in zip(TEXTS, numbers[len(BOUNDS) :], strict=True):
        program[name] = str(view[at : at + length], "utf-8")
        at += length
    return program


def main(arguments: list[str]) -> None:
    folder, engine_path, boot_text = arguments
    boot: dict[str, Any] = json.loads(boot_text)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The C library reads the time zone once; afterwards the environment is empty.
    os.environ["TZ"] = "UTC"
    if sys.platform != "win32":
        time.tzset()
    os.environ.clear()
    machines = load("machine", os.path.join(folder, "machine.py"))
    confinement = load("confinement", os.path.join(folder, "confinement.py"))
    engine = load("_quickjs", engine_path)
    sources: dict[str, str] = {}
    for name in (*machines.BASE, *machines.PARTS, *machines.ENGLISH):
        with open(os.path.join(folder, "guest", name + ".js"), encoding="utf-8") as file:
            sources[name] = file.read()
    patience = load("patience", os.path.join(folder, "patience.py"))
    pipe = Pipe(0, 1, patience.Patience())
    worker = Worker(pipe, machines, engine, machines.Library(sources))
    # Run one script before the doors close: whatever loads late is loaded now.
    rehearsal = worker.machine()
    rehearsal.start(REHEARSAL, STACK_BYTES)
    list(rehearsal.drain())
    del rehearsal
    state = confinement.confine(boot["confinement"])
    pipe.write(b"b\n" + json.dumps(state).encode() + b"\n")
    worker.serve()


if __name__ == "__main__":
    main(sys.argv[1:])
