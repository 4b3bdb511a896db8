"""What JSON text holds, found out without parsing it: a pass or two at the speed of memory.

All of it takes text that is JSON; of other text it says something, in the same time.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

NESTING: Final = 512
"""Levels of arrays and objects that a value may have."""

_STRUCTURE: Final = bytes(set(range(256)) - set(b'[]{}"'))
_STRING: Final = re.compile(rb'"[^"]*"')
_ROUNDS: Final = 3
_DIGITS_ONLY: Final = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))
_STRIDE: Final = 4
_EXACT: Final = 2**53
_EXACT_DIGITS: Final = 16
"""An integer beyond 2^53 has at least so many."""
_LONG_INTEGER: Final = re.compile(rb"(?:\A|[:\[,\s])-?([0-9]{16,})(?=[,\]}\s]|\Z)")


def deeper_than(text: bytes, most: int) -> bool:
    """Whether arrays and objects are nested in more levels than `most`."""
    if len(text) <= most:
        return False
    structure = _without_quotes_in_strings(text).translate(None, _STRUCTURE)
    if structure.count(b"[") + structure.count(b"{") <= most:
        return False
    brackets = _without_strings(structure)
    fewer = brackets
    for _ in range(_ROUNDS):
        # Wide values, the usual ones, vanish in a few rounds.
        fewer = fewer.replace(b"[]", b"").replace(b"{}", b"")
    # Each round took two levels of the deepest place at most; of nothing left, all were taken.
    left = max(most - 2 * _ROUNDS, -1)
    return (left < 0 or _exceeds(fewer, left)) and _exceeds(brackets, most)


def _exceeds(brackets: bytes, most: int) -> bool:
    depth = 0
    for start in range(0, len(brackets), 256):
        part = brackets[start : start + 256]
        up = part.count(b"[") + part.count(b"{")
        if depth + up > most:
            steps = [1 if byte in b"[{" else -1 for byte in part]
            if max(accumulate(steps, initial=depth)) > most:
                return True
        depth += 2 * up - len(part)
    return False


def outside_strings(text: bytes) -> bytes:
    """What stands outside of strings."""
    return _without_strings(_without_quotes_in_strings(text))


def _without_quotes_in_strings(text: bytes) -> bytes:
    if b"\\" not in text:
        return text
    # Backslashes in a row are pairs from the left; what is left of them escapes a quote.
    return text.replace(b"\\\\", b"").replace(b'\\"', b"")


def _without_strings(text: bytes) -> bytes:
    # Two quotes side by side join two strings or are an empty one: what is inside stays inside.
    return _STRING.sub(b"", text.replace(b'""', b"")).replace(b'"', b"")


def count_properties(text: bytes) -> int:
    """How many properties all objects have together, at least.

    Those whose names end with a backslash, or stand apart from their colon, may be missing.
    """
    # A quote inside of a string has a backslash in front.
    return text.count(b'":') - text.count(b'\\":')


def has_digits(text: bytes, many: int) -> bool:
    """Whether so many digits stand in a row somewhere, inside of strings too."""
    # Of a long run each fourth byte is a digit too: most texts need no closer look.
    some = text[::_STRIDE].translate(_DIGITS_ONLY)
    return b"0" * (many // _STRIDE) in some and b"0" * many in text.translate(_DIGITS_ONLY)


def holds_bigint(text: bytes) -> bool:
    """Whether some number is an integer beyond 2^53, which a double cannot hold."""
    return (
        has_digits(text, _EXACT_DIGITS)
        and _long_integer(text)
        # It may stand in a string.
        and _long_integer(outside_strings(text))
    )


def _long_integer(text: bytes) -> bool:
    return any(
        len(found[1]) > _EXACT_DIGITS or int(found[1]) > _EXACT
        for found in _LONG_INTEGER.finditer(text)
    )
