"""JSON text of JSON values, at any depth of value and of caller.

The standard encoder recurses, and so fails for a deep value or under a deep stack; values here
may have 512 levels and a caller may be anywhere. Fast path: the standard encoder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast


def dumps(value: Any, *, sort_keys: bool = False) -> str:
    """Compact JSON text of a value made of dicts, lists, strings, numbers, booleans and None.

    Lone surrogates are escaped, so that the text can always be encoded as UTF-8.

    Raises:
        TypeError: for a value of another type.
        ValueError: for NaN, an infinity or a cycle.
    """
    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=sort_keys
        )
    except RecursionError:
        text = _dumps_deep(value, sort_keys=sort_keys)
    return escape_lone_surrogates(text)


def escape_lone_surrogates(text: str) -> str:
    """The text with each lone surrogate written as `\\udXXX`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def _dumps_deep(value: Any, *, sort_keys: bool) -> str:
    """The same text by a loop: a stack of iterators of pieces."""
    pieces: list[str] = []
    stack: list[Iterator[str | _Nested]] = [iter((_Nested(value),))]
    while stack:
        piece = next(stack[-1], None)
        if piece is None:
            stack.pop()
        elif isinstance(piece, str):
            pieces.append(piece)
        elif isinstance(piece.value, dict):
            stack.append(_object(cast("dict[str, Any]", piece.value), sort_keys=sort_keys))
        elif isinstance(piece.value, list):
            stack.append(_array(cast("list[Any]", piece.value)))
        else:
            pieces.append(json.dumps(piece.value, ensure_ascii=False, allow_nan=False))
    return "".join(pieces)


class _Nested:
    """A value inside another, still to be written."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value


def _object(value: dict[str, Any], *, sort_keys: bool) -> Iterator[str | _Nested]:
    separator = "{"
    for key in sorted(value) if sort_keys else value:
        yield f"{separator}{json.dumps(key, ensure_ascii=False)}:"
        yield _Nested(value[key])
        separator = ","
    yield "{}" if separator == "{" else "}"


def _array(value: list[Any]) -> Iterator[str | _Nested]:
    separator = "["
    for item in value:
        yield separator
        yield _Nested(item)
        separator = ","
    yield "[]" if separator == "[" else "]"
