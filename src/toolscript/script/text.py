"""Source text as a sequence of UTF-16 code units, and positions in it.

JavaScript counts columns in UTF-16 code units, and so does everybody who reports one. Inside
this package a text is a string of one character per code unit, so that an offset is a column.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Final

_LINE_FEED: Final = re.compile("\n")


def words(text: str) -> frozenset[str]:
    """The words of a text; for tables of names."""
    return frozenset(text.split())


def to_units(text: str) -> str:
    """`text` with every character beyond the BMP as its two surrogates."""
    if text.isascii():
        return text
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(map(chr, memoryview(data).cast("H")))


def from_units(units: str) -> str:
    """The ordinary string of a string of code units."""
    if units.isascii():
        return units
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class Lines:
    """Lines of a text of code units. Lines and columns count from 1, `\\n` ends a line."""

    def __init__(self, units: str):
        self.units = units

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins. Most scripts run without anybody asking."""
        return [0, *(found.end() for found in _LINE_FEED.finditer(self.units))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Offset of a line and column; what lies outside of the text moves to its nearest end."""
        if line < 1:
            return 0
        if line > len(self.starts):
            return len(self.units)
        start = self.starts[line - 1]
        return min(start + max(column, 1) - 1, start + len(self.line(line)))

    def column_of_byte(self, line: int, column: int) -> int:
        """The column of the character at the `column`-th byte of a line's UTF-8, from 1."""
        if not 1 <= line <= len(self.starts) or self.units.isascii():
            return column
        data = from_units(self.line(line)).encode("utf-8", "surrogatepass")
        before = data[: max(column, 1) - 1].decode("utf-8", "ignore")
        return len(to_units(before)) + 1

    def line(self, line: int) -> str:
        """The text of a line without its end."""
        start = self.starts[line - 1]
        end = self.starts[line] - 1 if line < len(self.starts) else len(self.units)
        return self.units[start:end].removesuffix("\r")
