"""Changes to a text that keep its lines, and the way back from the result to the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from toolscript.script.text import Lines

LINE_ENDS: Final = "\n\r\u2028\u2029"


_NO_LINE_END: Final = re.compile(f"[^{LINE_ENDS}]")


def blank(text: str) -> str:
    """Spaces instead of a text; ends of lines stay."""
    # No end of a line is printable.
    return " " * len(text) if text.isprintable() else _NO_LINE_END.sub(" ", text)


def _changed(units: str, changes: list[tuple[int, int, str]]) -> str:
    """A text with ranges overwritten by texts of the same width, the later ones over the
    earlier ones."""
    if not changes:
        return units
    chars = list(units)
    for start, end, text in changes:
        chars[start:end] = text
    return "".join(chars)


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
        self._changes: list[tuple[int, int, str]] = []
        self._erased = bytearray(len(units))
        self._inserts: dict[int, str] = {}
        self._cuts: list[tuple[int, int]] = []

    def cut(self, start: int, end: int) -> None:
        """Take out a range that is no type: `with_types` does not show it either."""
        self.blank(start, end)
        self._cuts.append((start, end))

    def blank(self, start: int, end: int) -> None:
        """Take out a range: spaces in its place, ends of lines stay."""
        self._changes.append((start, end, blank(self.units[start:end])))
        self._erased[start:end] = b"\x01" * (end - start)

    def put(self, offset: int, text: str) -> None:
        """Overwrite what was blanked at an offset."""
        self._changes.append((offset, offset + len(text), text))

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
        return self._with_inserts(self._changes)

    def with_types(self, hide: str) -> str:
        """The changed text with its types: lines and columns are those of `apply`'s text.

        Insertions show spaces instead of `hide`.
        """
        cuts = [(start, end, blank(self.units[start:end])) for start, end in self._cuts]
        return self._with_inserts(cuts, hide)[0]

    def _with_inserts(
        self, changes: list[tuple[int, int, str]], hide: str = ""
    ) -> tuple[str, PositionMap]:
        units = _changed(self.units, changes)
        parts: list[str] = []
        starts, origins, inserted = [0], [0], [False]
        done = length = 0
        for offset, text in sorted(self._inserts.items()):
            shown = text.replace(hide, " " * len(hide)) if hide else text
            parts += (units[done:offset], shown)
            length += offset - done
            starts += (length, length + len(text))
            origins += (offset, offset)
            inserted += (True, False)
            length += len(text)
            done = offset
        parts.append(units[done:])
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
