"""Where in a script a call stands.

The engine knows of a call that is under way only the place of the last name in it, so that a call
whose arguments span several lines seems to stand on one of these.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tree_sitter import Node

from toolscript.script.syntax import Syntax, find_all, parse
from toolscript.script.text import from_units, to_units

_CALLS: Final = frozenset({"call_expression"})


@dataclass(frozen=True, slots=True)
class _Call:
    """One call: the name that it calls, where that stands, and the lines of its arguments."""

    name: str
    line: int
    column: int
    first: int
    last: int


def call_place(code: str, line: int, names: Collection[str]) -> tuple[int, int] | None:
    """Line and column of the call that the engine places on `line`; both count from 1.

    Args:
        code: a script, in JavaScript.
        line: where the engine places a call of a tool.
        names: the names by which a script may call that tool.

    Returns:
        None where `line` itself holds such a name, or no call that does spans it.
    """
    lines = _lines(code)
    if not 0 < line <= len(lines) or any(name in lines[line - 1] for name in names):
        return None
    around = [
        call for call in _calls(code) if call.name in names and call.first <= line <= call.last
    ]
    if not around:
        return None
    # Calls stand in the order of the text: the last one that spans a line is the innermost.
    return around[-1].line, around[-1].column


@lru_cache(maxsize=32)
def _lines(code: str) -> list[str]:
    return code.split("\n")


@lru_cache(maxsize=32)
def _calls(code: str) -> list[_Call]:
    syntax = parse(to_units(code))
    found = (_call(syntax, node) for node in find_all(syntax.root, _CALLS))
    return [call for call in found if call is not None]


def _call(syntax: Syntax, node: Node) -> _Call | None:
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None or arguments is None:
        return None
    named = callee.child_by_field_name("property") or callee.child_by_field_name("index") or callee
    row, offset = named.start_point
    return _Call(
        from_units(syntax.text(named)).strip("\"'`"),
        row + 1,
        # The parser counts bytes of UTF-16.
        offset // 2 + 1,
        arguments.start_point[0] + 1,
        arguments.end_point[0] + 1,
    )
