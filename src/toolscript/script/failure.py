"""An error of a script as its engine told it, beside the source that it happened in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from toolscript.script.find import find_program
from toolscript.script.syntax import Syntax
from toolscript.script.text import Lines, to_units

# As QuickJS says it, and as V8 does.
_OF_NOTHING: Final = re.compile(
    r"read property '([^']*)' of (undefined|null)"
    r"|read properties of (undefined|null) \(reading '([^']*)'\)"
)
_NO_FUNCTION: Final = re.compile(r"\bnot a function")
_NOT_ITERABLE: Final = re.compile(r"not iterable|Symbol\.iterator")


@dataclass(frozen=True, slots=True)
class Failure:
    """An error of a script, and where it is in the source as it was parsed.

    `offset` is that of the line where no column is known, and None where no line is.
    """

    syntax: Syntax
    name: str
    message: str
    offset: int | None
    globals_known: tuple[str, ...]
    tool_names: tuple[str, ...]

    @property
    def is_no_function(self) -> bool:
        """Whether something was called that cannot be called."""
        return _NO_FUNCTION.search(self.message) is not None

    @property
    def is_not_iterable(self) -> bool:
        """Whether something was looped over or spread that cannot be."""
        return _NOT_ITERABLE.search(self.message) is not None

    @property
    def read_of_nothing(self) -> tuple[str, str] | None:
        """The member that was read of nothing, and which: `undefined` or `null`."""
        match = _OF_NOTHING.search(self.message)
        if match is None:
            return None
        return match.group(1) or match.group(4) or "", match.group(2) or match.group(3)

    def nodes(self) -> list[Node]:
        """The nodes at the place of the error, the innermost first."""
        if self.offset is None:
            return []
        root = self.syntax.root
        node = root.descendant_for_byte_range(self.offset * 2, self.offset * 2 + 2)
        found: list[Node] = []
        while node is not None:
            found.append(node)
            node = node.parent
        return found

    def line_text(self) -> str:
        if self.offset is None:
            return ""
        units = self.syntax.units
        first = units.rfind("\n", 0, self.offset) + 1
        last = units.find("\n", self.offset)
        return units[first : last if last >= 0 else len(units)]


def failure_of(
    source: str,
    *,
    name: str,
    message: str,
    line: int | None,
    column: int | None,
    globals_known: tuple[str, ...] = (),
    tool_names: tuple[str, ...] = (),
) -> Failure:
    """An error with its place; a source that was mended to be read has no places."""
    units = to_units(source)
    found, syntax = find_program(units)
    offset = None
    if line is not None and found.back is None:
        offset = Lines(units).offset(line, column or 1)
    return Failure(syntax, name, message, offset, globals_known, tool_names)
