"""Changes to a text that keep its lines, and the way back from the result to the text."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from toolscript.script.text import Lines

LINE_ENDS: Final = "\n\r\u2028\u2029"


@dataclass(frozen=True, slots=True)
class PositionMap:
    """Offsets of a changed text → offsets of the text that it was made from.

    `starts[i]` is where piece `i` begins in the result, `origins[i]` where in the original. A
    piece with `inserted[i]` has no original; it stands for the offset where it was inserted.
    """

    starts: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)
    inserted: tuple[bool, ...] = (False,)

    def original(self, offset: int) -> int:
        piece = bisect_right(self.starts, offset) - 1
        if self.inserted[piece]:
            return self.origins[piece]
        return self.origins[piece] + offset - self.starts[piece]


class Edits:
    """Collects changes to one text. All offsets are offsets of the unchanged text."""

    def __init__(self, units: str):
        self.units = units
        self._chars = list(units)
        self._erased = bytearray(len(units))
        self._inserts: dict[int, str] = {}
        self._cuts: list[tuple[int, int]] = []

    def cut(self, start: int, end: int) -> None:
        """Take out a range that is no type: `with_types` does not show it either."""
        self.blank(start, end)
        self._cuts.append((start, end))

    def blank(self, start: int, end: int) -> None:
        """Take out a range: spaces in its place, ends of lines stay."""
        chars = self._chars
        for at in range(start, end):
            if chars[at] not in LINE_ENDS:
                chars[at] = " "
        self._erased[start:end] = b"\x01" * (end - start)

    def put(self, offset: int, text: str) -> None:
        """Overwrite what was blanked at an offset."""
        self._chars[offset : offset + len(text)] = text

    def erased(self, offset: int) -> bool:
        return bool(self._erased[offset])

    def taken_out(self, start: int, end: int) -> bool:
        """A range was blanked as a whole, from its first to its last character."""
        return self.erased(start) and self.erased(end - 1)

    def insert(self, offset: int, text: str) -> None:
        """Insert a text in front of an offset, behind what was inserted there before."""
        self._inserts[offset] = self._inserts.get(offset, "") + text

    def apply(self) -> tuple[str, PositionMap]:
        """The changed text and the way back."""
        return self._with_inserts(self._chars)

    def with_types(self, hide: str) -> str:
        """The changed text with its types: lines and columns are those of `apply`'s text.

        Insertions show spaces instead of `hide`.
        """
        chars = list(self.units)
        for start, end in self._cuts:
            chars[start:end] = [char if char in LINE_ENDS else " " for char in chars[start:end]]
        return self._with_inserts(chars, hide)[0]

    def _with_inserts(self, chars: list[str], hide: str = "") -> tuple[str, PositionMap]:
        parts: list[str] = []
        starts, origins, inserted = [0], [0], [False]
        done = length = 0
        for offset, text in sorted(self._inserts.items()):
            shown = text.replace(hide, " " * len(hide)) if hide else text
            parts += ("".join(chars[done:offset]), shown)
            length += offset - done
            starts += (length, length + len(text))
            origins += (offset, offset)
            inserted += (True, False)
            length += len(text)
            done = offset
        parts.append("".join(chars[done:]))
        return "".join(parts), PositionMap(tuple(starts), tuple(origins), tuple(inserted))


@dataclass(frozen=True, slots=True)
class Location:
    """Finds positions of a program's code in the source that it was made from.

    The code went through several changes; `maps` undoes them, the last one first.
    """

    code: Lines
    source: Lines
    maps: tuple[PositionMap, ...]

    def __call__(self, line: int, column: int) -> tuple[int, int]:
        offset = self.code.offset(line, column)
        for step in self.maps:
            offset = step.original(offset)
        return self.source.position(min(offset, len(self.source.units)))
