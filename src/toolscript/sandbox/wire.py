"""The bytes between host and guest: blocks in, frames out, and everything doubted on the way.

The lines of a block are described in `guest/bridge.js`, those of the worker's own in `worker.py`.
What does not fit exactly raises `ProtocolError`; nothing is parsed before its size, nesting and
digits are known, and no check takes longer than reading the bytes does.
"""

from __future__ import annotations

import json
import re
import struct
import sys
from collections.abc import Iterator
from typing import Any, Final, cast, get_args

from toolscript.jsonscan import deeper_than, outside_strings
from toolscript.sandbox.frames import (
    CallFrame,
    CancelFrame,
    EndFrame,
    Frame,
    IdleFrame,
    Outcome,
    OutputFrame,
    ProgressFrame,
    StoreFrame,
)

HEADER: Final = struct.Struct("<I")
SETTLEMENT: Final = struct.Struct("<IBBqIi")
MAX_DEPTH: Final = 512
MAX_DIGITS: Final = 4300
MAX_LINES: Final = 400_000
# What a block may hold beyond one frame of the largest size.
BLOCK_SLACK: Final = 4 << 20

# How most scripts end; nothing of it has to be looked at.
_RETURNED: Final = b'{"outcome":"returned"}'
# Up to so many bytes it costs less to put pieces together than to keep count of them.
_SMALL: Final = 16_384
_OUTCOMES: Final = frozenset(get_args(Outcome))
_MIME_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_LARGEST: Final = sys.float_info.max
_DIGITS: Final = re.compile(rb"[0-9]*")
_NUMBERS: Final = re.compile(rb"[0-9]+")


class ProtocolError(Exception):
    """What arrived is not what a guest of ours sends."""


def check_json(text: bytes) -> None:
    """Refuse JSON text that would cost too much to parse: too deep, or with endless numbers.

    Raises:
        ProtocolError: for more than 512 levels or a number of more than 4,300 digits.
    """
    if deeper_than(text, MAX_DEPTH):
        raise ProtocolError(f"a value is nested deeper than {MAX_DEPTH} levels")
    if len(text) > MAX_DIGITS and _has_endless_number(text):
        raise ProtocolError(f"a number has more than {MAX_DIGITS} digits")


def _has_endless_number(text: bytes) -> bool:
    # A run longer than the limit covers a sample point in its first part.
    stride = MAX_DIGITS // 2
    for at in range(0, len(text), stride):
        found = _DIGITS.match(text, at, at + stride)
        if found is not None and found.end() - at >= stride:
            runs = _NUMBERS.finditer(outside_strings(text))
            return any(run.end() - run.start() > MAX_DIGITS for run in runs)
    return False


def _number(word: bytes) -> int:
    if not word.isdigit() or len(word) > 10:
        raise ProtocolError("a number was expected")
    return int(word)


def _loads(line: bytes) -> Any:
    check_json(line)
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a line holds no JSON") from error


def _text(line: bytes) -> str:
    if line[:1] != b'"':
        raise ProtocolError("a string was expected")
    value = _loads(line)
    if not isinstance(value, str):
        raise ProtocolError("a string was expected")
    return value


def _printable(text: str) -> str:
    """The text with each lone surrogate replaced: what is printed must be encodable."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Decoder:
    """Bytes of one guest → blocks → frames. Keeps count of what a guest must keep in order."""

    def __init__(self, frame_bytes: int) -> None:
        self._most = frame_bytes
        self._buffer = bytearray()
        self._seq = 0

    def begin(self, frame_bytes: int) -> None:
        """Start counting for a new program."""
        self._most = frame_bytes
        self._seq = 0

    def feed(self, data: bytes | memoryview) -> None:
        self._buffer += data

    def blocks(self) -> Iterator[bytes]:
        """The complete blocks that have arrived."""
        buffer = self._buffer
        while len(buffer) >= 4:
            (length,) = HEADER.unpack_from(buffer)
            if length > self._most + BLOCK_SLACK:
                raise ProtocolError(f"a block of {length} bytes is larger than allowed")
            if len(buffer) < 4 + length:
                return
            block = bytes(memoryview(buffer)[4 : 4 + length])
            del buffer[: 4 + length]
            yield block

    def frames(self, block: bytes) -> list[Frame]:
        """The frames of one block of the guest.

        Raises:
            ProtocolError: for anything that is not exactly what a guest sends.
        """
        if block.count(b"\n") > MAX_LINES:
            raise ProtocolError("a block has too many lines")
        lines = block.split(b"\n")
        if lines.pop() != b"":
            raise ProtocolError("a block ends in the middle of a line")
        lines.reverse()
        found: list[Frame] = []
        try:
            while lines:
                head = lines.pop().split(b" ")
                if found and isinstance(found[-1], EndFrame):
                    raise ProtocolError("something came after the end")
                frame = self._frame(head, lines)
                if frame is not None:
                    found.append(frame)
        except IndexError as error:
            raise ProtocolError("a frame lacks a line") from error
        return found

    def _frame(self, head: list[bytes], lines: list[bytes]) -> Frame | None:
        match head:
            case [b"c", seq, index, line]:
                return self._call(seq, "tool", _number(index), line, lines.pop())
            case [b"n", seq, line]:
                name = _text(lines.pop())
                return self._call(seq, "named", name, line, lines.pop())
            case [b"h", seq, line]:
                name = _text(lines.pop())
                return self._call(seq, "helper", name, line, lines.pop())
            case [b"o", kind, stream, console]:
                return _output(kind, stream, console, lines.pop())
            case [b"i", count]:
                return IdleFrame(_number(count))
            case [b"x", seq]:
                number = _number(seq)
                if not 0 < number <= self._seq:
                    raise ProtocolError("a call that was never made is cancelled")
                return CancelFrame(number)
            case [b"s"]:
                key = _text(lines.pop())
                value = lines.pop()
                check_json(value)
                return StoreFrame(key, value or None)
            case [b"p"]:
                return _progress(_loads(lines.pop()))
            case [b"e"]:
                record = lines.pop()
                value = lines.pop()
                check_json(value)
                if record == _RETURNED:
                    return EndFrame("returned", value=value or None)
                return _end(_loads(record), value or None)
            case _:
                raise ProtocolError("an unknown frame")

    def _call(
        self, seq: bytes, kind: Any, target: int | str, line: bytes, args: bytes
    ) -> CallFrame:
        number = _number(seq)
        if number != self._seq + 1:
            raise ProtocolError(f"call {number} came after call {self._seq}")
        self._seq = number
        if len(args) > self._most:
            raise ProtocolError("the arguments of a call are larger than allowed")
        if not args:
            raise ProtocolError("a call lacks its arguments")
        check_json(args)
        return CallFrame(number, kind, target, args, _number(line) or None)


def _output(kind: bytes, stream: bytes, console: bytes, payload: bytes) -> OutputFrame:
    if stream not in (b"stdout", b"stderr") or console not in (b"0", b"1"):
        raise ProtocolError("an output frame is malformed")
    where: Any = stream.decode()
    if kind == b"text":
        text = _printable(_text(payload))
        return OutputFrame("text", text=text, stream=where, console=console == b"1")
    if kind == b"value" and payload:
        check_json(payload)
        return OutputFrame("value", value=payload, stream=where)
    if kind == b"image":
        match _loads(payload):
            case [str(data), str(mime)] if mime in _MIME_TYPES and data.isascii():
                return OutputFrame("image", data=data, mime_type=mime, stream=where)
            case _:
                pass
    raise ProtocolError("an output frame is malformed")


def _progress(value: Any) -> ProgressFrame:
    match value:
        case [str(message), None]:
            return ProgressFrame(_printable(message))
        case [str(message), int(part) | float(part)] if _is_number(part):
            return ProgressFrame(_printable(message), float(part))
        case _:
            raise ProtocolError("a progress frame is malformed")


def _is_number(value: int | float) -> bool:
    """Whether it is a finite number; for Python, a boolean is an integer."""
    return not isinstance(value, bool) and abs(value) <= _LARGEST


def _end(record: Any, value: bytes | None) -> EndFrame:
    if not isinstance(record, dict):
        raise ProtocolError("the end is malformed")
    fields = cast(dict[str, Any], record)

    def text(name: str, most: int) -> str:
        found = fields.get(name, "")
        if not isinstance(found, str) or len(found) > most:
            raise ProtocolError(f"the end has a malformed {name}")
        return _printable(found)

    def place(name: str) -> int | None:
        found = fields.get(name)
        if found is None:
            return None
        if type(found) is not int or not 0 < found < 1 << 31:
            raise ProtocolError(f"the end has a malformed {name}")
        return found

    outcome = cast(Outcome, text("outcome", 32))
    if outcome not in _OUTCOMES or outcome == "worker_exit":
        raise ProtocolError("the end has no outcome")
    if value is not None and outcome != "returned":
        raise ProtocolError("a script that did not return has a value")
    details = text("details", 1 << 26)
    cause = text("cause", 4096)
    message = text("message", 1 << 17)
    if cause:
        message = f"{message} (cause: {cause})" if message else f"cause: {cause}"
    shown = fields.get("text")
    return EndFrame(
        outcome=outcome,
        value=value,
        text=None if shown is None else text("text", 1 << 26),
        name=text("name", 1024),
        message=message,
        stack=text("stack", 1 << 18),
        line=place("line"),
        column=place("column"),
        tool=text("tool", 1024) or None,
        code=text("code", 1024) or None,
        details=_details(details),
        limit=text("limit", 64) or None,
    )


def _details(text: str) -> bytes | None:
    if not text:
        return None
    line = text.encode("utf-8", "backslashreplace")
    check_json(line)
    return line


def block(kind: bytes, parts: list[bytes]) -> list[bytes]:
    """A block for the guest, as pieces to be written one after the other: one where it is small."""
    size = len(kind) + sum(map(len, parts))
    pieces = [HEADER.pack(size) + kind, *parts]
    return [b"".join(pieces)] if size < _SMALL else pieces


def settlement(
    seq: int,
    ok: bool,
    text: str,
    *,
    bigints: bool = False,
    face: str | None = None,
    now_ms: int | None = None,
) -> list[bytes]:
    """One settlement, as pieces."""
    body = _encode_json(text)
    shown = None if face is None else face.encode("utf-8", "replace")
    head = SETTLEMENT.pack(
        seq,
        ok,
        bigints,
        -1 if now_ms is None else now_ms,
        len(body),
        -1 if shown is None else len(shown),
    )
    return [head, body] if shown is None else [head, body, shown]


def _encode_json(text: str) -> bytes:
    # Lone surrogates stand in strings only, where the escape means the same.
    return text.encode("utf-8", "backslashreplace")
