"""The host's ears: whatever bytes a worker sends, frames come of it or the run ends."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolscript.sandbox.frames import CallFrame, EndFrame, Frame, Outcome, OutputFrame
from toolscript.sandbox.inline import InlineRuntime
from toolscript.sandbox.pool import Pool, PoolSettings
from toolscript.sandbox.process import Worker
from toolscript.sandbox.quickjs import WorkerExecution
from toolscript.sandbox.runtime import Program
from toolscript.sandbox.socket_pipe import SocketPipe
from toolscript.sandbox.wire import Decoder, ProtocolError, check_json
from toolscript.testing.guest_host import execute, surface

MIB = 1024 * 1024


def decode(data: bytes, most: int = MIB) -> list[Frame]:
    decoder = Decoder(most)
    decoder.feed(data)
    return [frame for block in decoder.blocks() for frame in decoder.frames(block)]


def blocks(*texts: bytes) -> bytes:
    return b"".join(struct.pack("<I", len(text)) + text for text in texts)


# -- what is no frame

LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                b"c 1 0 0",
                b"c 2 0 0",
                b"n 1 0",
                b"h 1 0",
                b"x 1",
                b"i 0",
                b"e",
                b"s",
                b"p",
                b"o text stdout 1",
                b"o value stdout 0",
                b"o image stdout 0",
                b'"text"',
                b"{}",
                b"[]",
                b"null",
                b"",
                b'["m",0.5]',
                b'{"outcome":"returned"}',
                b'{"outcome":"threw","line":-1}',
            ]
        ),
        st.binary(max_size=30),
    ),
    max_size=12,
)


@given(st.binary(max_size=200))
def test_random_bytes_are_frames_or_a_broken_protocol(data: bytes) -> None:
    try:
        decode(data)
    except ProtocolError:
        return


@given(LINES)
@example([b"e", b'{"outcome":"returned","line":true}', b""])
@example([b"e", b'{"outcome":["returned"]}', b""])
@example([b"p", b"[1e999,null]"])
@example([b"c 1 0 0", b"\xff"])
def test_random_lines_are_frames_or_a_broken_protocol(lines: Sequence[bytes]) -> None:
    try:
        frames = decode(blocks(b"".join(line + b"\n" for line in lines)))
    except ProtocolError:
        return
    for frame in frames:
        assert not isinstance(frame, EndFrame) or frame is frames[-1]


@pytest.mark.parametrize(
    "text",
    [
        b"c 1 0 0\n",
        b"c 1 0 0\n\n",
        b"c 0 0 0\n{}\n",
        b"c 2 0 0\n{}\n",
        b"c 1 -1 0\n{}\n",
        b"c 1 0\n{}\n",
        b"c 1 99999999999 0\n{}\n",
        b"c 1 0 0\n{}",
        b"c 1 0 0\n{}\nc 1 0 0\n{}\n",
        b"n 1 0\n5\n{}\n",
        b'n 1 0\n"\n{}\n',
        b"x 1\n",
        b'o text stdout 2\n"a"\n',
        b'o text stdin 1\n"a"\n',
        b"o text stdout 1\n{}\n",
        b"o value stdout 0\n\n",
        b'o image stdout 0\n["a","image/svg+xml"]\n',
        b'o image stdout 0\n["\\u00e9","image/png"]\n',
        b"p\n[1,2]\n",
        b'p\n["a",true,1]\n',
        b'p\n["a",NaN]\n',
        b'p\n["a",true]\n',
        b'e\n{"outcome":"threw","line":true}\n\n',
        b'e\n{"outcome":"threw","column":false}\n\n',
        b'e\n{"outcome":"threw","line":1e3}\n\n',
        b'e\n{"outcome":"returned","text":5}\n1\n',
        b'p\n["a",1' + b"0" * 400 + b"]\n",
        b"e\n{}\n\n",
        b'e\n{"outcome":"worker_exit"}\n\n',
        b'e\n{"outcome":"threw"}\n5\n',
        b'e\n{"outcome":"returned"}\n1\ni 0\n',
        b'e\n{"outcome":"threw","message":5}\n\n',
        b'e\n{"outcome":"threw","line":1.5}\n\n',
        b"z\n",
        b"\n",
        b" \n",
    ],
)
def test_what_no_guest_sends(text: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(blocks(text))


def test_a_block_larger_than_allowed_is_refused_before_it_arrives() -> None:
    with pytest.raises(ProtocolError):
        decode(struct.pack("<I", 1 << 31))


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 1_000_000,
        b'{"a":' * 1_000_000,
        b"[" * 1_000_000 + b"]" * 1_000_000,
        b"[0," * 600 + b"0" + b"]" * 600,
        b'["]]]]' + b'"' + b",[" * 600,
        b"9" * 1_000_000,
        b"[1," + b"7" * 4301 + b"]",
        b"-" + b"1" * 5000 + b".5",
    ],
)
def test_what_is_costly_to_parse_is_refused_at_once(text: bytes) -> None:
    began = time.process_time()
    with pytest.raises(ProtocolError):
        check_json(text)
    # It takes milliseconds of computing.
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 512 + b"]" * 512,
        json.dumps(["[" * 5000, '"[' * 5000, "\\" * 5000, "1" * 5000]).encode(),
        json.dumps([[{"a": []}] for _ in range(20_000)]).encode(),
        b"[" + b"9" * 4300 + b"," + b"9" * 4300 + b"]",
        b'"' + b"1" * 1_000_000 + b'"',
    ],
)
def test_what_is_only_large_is_not(text: bytes) -> None:
    check_json(text)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_json_passes_the_check(value: Any) -> None:
    check_json(json.dumps(value).encode())


# -- fields of the wrong type

SIMPLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 1 << 33),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.text(max_size=3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
MESSAGES = st.one_of(
    st.tuples(
        st.just(b"e"),
        st.builds(
            lambda outcome, rest: {"outcome": outcome, **rest},
            st.sampled_from(get_args(Outcome)) | SIMPLE,
            st.dictionaries(
                st.sampled_from([field.name for field in fields(EndFrame)] + ["cause"]), SIMPLE
            ),
        ),
    ),
    st.tuples(st.just(b"p"), st.lists(SIMPLE, max_size=3)),
    st.tuples(st.just(b"o image stdout 0"), st.lists(SIMPLE | st.just("image/png"), max_size=3)),
    st.tuples(st.just(b"o text stderr 1"), SIMPLE),
    st.tuples(st.just(b"s"), SIMPLE),
    st.tuples(st.just(b"n 1 0"), SIMPLE),
    st.tuples(st.just(b"h 1 0"), SIMPLE),
)
VALUED = (b"e", b"s", b"n 1 0", b"h 1 0")


def fits(value: object, hint: Any) -> bool:
    """Whether a value has exactly the type of a field; a boolean is no integer."""
    if get_origin(hint) is Literal:
        return type(value) is str and value in get_args(hint)
    return any(fits(value, part) for part in get_args(hint)) or type(value) is hint


@given(MESSAGES, st.sampled_from([b"", b"1", b"{}"]))
def test_every_field_of_a_frame_has_its_type(message: tuple[bytes, Any], value: bytes) -> None:
    head, payload = message
    lines = [head, json.dumps(payload).encode(), *([value] if head in VALUED else [])]
    try:
        (frame,) = decode(blocks(b"\n".join(lines) + b"\n"))
    except ProtocolError:
        return
    hints = get_type_hints(type(frame))
    for field in fields(frame):
        assert fits(getattr(frame, field.name), hints[field.name]), (field.name, frame)


# -- a worker that lies


def sleeper() -> subprocess.Popen[bytes]:
    """A process that stands for a worker's; its words come from the test."""
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])


async def run_with(said: bytes, *, hang_up: bool = True) -> list[Frame]:
    """The frames of an execution whose worker says this, whatever it is told."""
    ours, theirs = socket.socketpair()
    process = sleeper()
    pool = Pool(PoolSettings(max_workers=1, max_runs=1, idle_s=60, required=False))
    worker = Worker(process, SocketPipe(ours))
    execution = WorkerExecution(pool, worker, Program(code="", surface="{}", frame_bytes=MIB), 0.0)
    loop = asyncio.get_running_loop()
    theirs.setblocking(False)
    sending = asyncio.ensure_future(loop.sock_sendall(theirs, said))
    frames: list[Frame] = []
    try:
        async with asyncio.timeout(60):
            while not frames or not isinstance(frames[-1], EndFrame):
                frames += await execution.receive()
                if hang_up and sending.done():
                    theirs.close()
    finally:
        sending.cancel()
        await execution.aclose()
        await pool.aclose()
        process.wait()
        theirs.close()
    return frames


@pytest.mark.parametrize(
    "said",
    [
        blocks(b"r\n", b"nonsense\n"),
        blocks(b"c 1 0 0\n{}\n", b"c 3 0 0\n{}\n"),
        blocks(b"i 7\n"),
        blocks(b"r\n", b"r\n"),
        blocks(b'e\n{"outcome":"returned"}\n1\n', b"c 1 0 0\n{}\n")[:-3] + b"\xff\xff\xff",
        struct.pack("<I", 1 << 31),
        blocks(b"c 1 0 0\n" + b"[" * 1_000_000 + b"\n"),
    ],
)
async def test_a_worker_that_breaks_the_protocol_ends_its_run(said: bytes) -> None:
    frames = await run_with(said, hang_up=False)
    end = frames[-1]
    assert isinstance(end, EndFrame)
    assert end.outcome in ("worker_exit", "returned")
    assert sum(isinstance(frame, EndFrame) for frame in frames) == 1


async def test_a_worker_that_dies_ends_its_run() -> None:
    frames = await run_with(blocks(b"r\n", b"c 1 0 0\n{}\n", b"i 0\n"))
    assert isinstance(frames[0], CallFrame)
    assert isinstance(frames[-1], EndFrame)
    assert frames[-1].outcome == "worker_exit"


async def test_a_flood_is_taken_no_faster_than_it_is_read() -> None:
    line = b'o text stdout 1\n"' + b"x" * 100 + b'"\n'
    block = blocks(line * 1000)
    frames = await run_with(blocks(b"r\n") + block * 60 + blocks(b'e\n{"outcome":"returned"}\n1\n'))
    assert sum(isinstance(frame, OutputFrame) for frame in frames) == 60_000


# -- values


@settings(max_examples=80)
@given(JSON)
@example({"__proto__": {"a": 1}, "constructor": None, "toJSON": 1, "then": 2})
@example([-0.0, 5e-324, 1.7976931348623157e308, 2**53, 2**53 + 1, -(2**70)])
@example(["\ud800", "\udc00\ud800", "\x00", "\u2028", "😀"])
def test_any_value_crosses_the_boundary_in_every_direction(value: Any) -> None:
    received: list[Any] = []

    def keep(args: Any) -> Any:
        received.append(args["value"])
        return args["value"]

    text = json.dumps(value)
    program = Program(
        code="const back = await tools.keep({ value: input }); store('k', back);"
        " return [input, back, load('k'), load('given')]",
        surface=surface(["keep"]),
        input=text,
        store=json.dumps({"given": value}),
    )
    ended = asyncio.run(execute(InlineRuntime(), program, {0: keep}))
    assert ended.outcome == "returned", ended.end
    assert ended.value == [value] * 4
    assert received == [value]
    assert ended.stored[0].value is not None
    assert json.loads(ended.stored[0].value) == value
