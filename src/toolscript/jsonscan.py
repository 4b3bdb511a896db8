"""What JSON text holds, found out without parsing it: a pass or two at the speed of memory.

All of it takes text that is JSON; of other text it says something, in the same time.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

_STRUCTURE: Final = bytes(set(range(256)) - set(b'[]{}"'))
_STRING: Final = re.compile(rb'"[^"]*"')
_ESCAPE: Final = re.compile(rb"\\.", re.DOTALL)
_ROUNDS: Final = 3
_DIGITS_ONLY: Final = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))


def deeper_than(text: bytes, most: int) -> bool:
    """Whether arrays and objects are nested in more levels than `most`."""
    if text.count(b"[") + text.count(b"{") <= most:
        return False
    brackets = outside_strings(text, _STRUCTURE)
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


def outside_strings(text: bytes, drop: bytes = b"") -> bytes:
    """What stands outside of strings, without the bytes of `drop`."""
    if b"\\" in text:
        text = _ESCAPE.sub(b"", text)
    # Two quotes side by side join two strings or are an empty one: what is inside stays inside.
    return _STRING.sub(b"", text.translate(None, drop).replace(b'""', b"")).replace(b'"', b"")


def has_digits(text: bytes, many: int) -> bool:
    """Whether so many digits stand in a row somewhere, inside of strings too."""
    return b"0" * many in text.translate(_DIGITS_ONLY)
