"""JSON text of JSON values, under any depth of the caller's stack.

Values have at most 512 levels, which the standard encoder and decoder can do, but not from deep
inside a caller's stack: they count against the same recursion limit. A thread starts at zero.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

import orjson

from toolscript.jsonscan import has_digits

T = TypeVar("T")

_LARGE: Final = 64
"""Bytes from which on the faster decoder pays."""
_LOSSY_DIGITS: Final = 19
"""An integer that the faster decoder takes for a double has at least so many."""


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:20]} is beyond what a number can hold")
    return number


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


_DECODER: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)


def _decode(text: str) -> Any:
    try:
        # Without the search for spaces on both sides, which takes longer than a small value does.
        value, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError:
        return _DECODER.decode(text)
    return value if end == len(text) else _DECODER.decode(text)


def dumps(value: Any, *, sort_keys: bool = False) -> str:
    """Compact JSON text of a value made of dicts, lists, strings, numbers, booleans and None.

    Lone surrogates are escaped, so that the text can always be encoded as UTF-8.

    Raises:
        TypeError: for a value of another type.
        ValueError: for NaN, an infinity or a cycle.
        RecursionError: for a value of many more than 512 levels.
    """

    def encode() -> str:
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=sort_keys
        )

    return escape_lone_surrogates(_with_room(encode))


def loads(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: if it is none.
        RecursionError: for a value of many more than 512 levels.
    """
    if len(text) >= _LARGE:
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        if not has_digits(data, _LOSSY_DIGITS):
            try:
                return orjson.loads(data)
            except orjson.JSONDecodeError:
                # It may hold lone surrogates; if it is no JSON, the other decoder says so too.
                pass
    if isinstance(text, bytes):
        text = text.decode()
    try:
        return _decode(text)
    except RecursionError:
        return _with_room(lambda: _decode(text))


def escape_lone_surrogates(text: str) -> str:
    """The text with each lone surrogate written as `\\udXXX`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def printable(value: Any) -> Any:
    """A copy of a JSON value in which U+FFFD stands for each lone surrogate."""
    text = _with_room(lambda: json.dumps(value, ensure_ascii=False))
    return loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _with_room(work: Callable[[], T]) -> T:
    """Does the work here or, where the stack is too deep already, in a thread of its own."""
    try:
        return work()
    except RecursionError:
        done: list[T] = []
        failed: list[Exception] = []

        def again() -> None:
            try:
                done.append(work())
            except Exception as error:
                failed.append(error)

        thread = threading.Thread(target=again)
        thread.start()
        thread.join()
        if failed:
            raise failed[0] from None
        return done[0]
