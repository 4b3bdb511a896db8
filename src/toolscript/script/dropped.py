"""Calls whose promise a script drops: nobody can hear what becomes of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tree_sitter import Node

from toolscript.script.find import find_program
from toolscript.script.syntax import Syntax, find_all
from toolscript.script.text import to_units

_CALLS: Final = frozenset({"call_expression"})
_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier"})
# Calls that give on the promises of what they are given.
_GIVE_ON: Final = frozenset({"map", "flatMap", "from", "all", "allSettled", "any", "race"})


def drops_call(source: str, line: int, names: Collection[str]) -> bool:
    """Whether a script does nothing with the promise of the call that it makes on a line.

    It stands alone, or under a name that is read nowhere. `names` are those of the tool. False
    where that cannot be told.
    """
    _, syntax = find_program(to_units(source))
    calls = [
        call
        for call in find_all(syntax.root, _CALLS)
        if call.start_point.row < line <= call.end_point.row + 1 and _called(syntax, call) in names
    ]
    return bool(calls) and all(_is_dropped(syntax, call) for call in calls)


def _called(syntax: Syntax, call: Node) -> str:
    """The last name of what is called: `ship` of `tools.ship(...)` and of `tools["ship"](...)`."""
    function = call.child_by_field_name("function")
    last = None
    if function is not None:
        last = function.child_by_field_name("property") or function.child_by_field_name("index")
    return "" if last is None else syntax.text(last).strip("\"'`")


def _is_dropped(syntax: Syntax, node: Node) -> bool:
    while (parent := node.parent) is not None:
        if parent.type == "expression_statement":
            return True
        if parent.type == "variable_declarator":
            name = parent.child_by_field_name("name")
            return name is not None and name.type == "identifier" and _is_unread(syntax, name)
        if parent.type == "arguments":
            call = parent.parent
            name = "" if call is None else _called(syntax, call)
            if call is None or name not in _GIVE_ON:
                return name == "forEach"
            node = call
        elif parent.type == "arrow_function":
            if parent.parent is None or parent.parent.type != "arguments":
                return False
            node = parent
        elif parent.type in ("array", "parenthesized_expression"):
            node = parent
        else:
            return False
    return False


def _is_unread(syntax: Syntax, name: Node) -> bool:
    text = syntax.text(name)
    return sum(syntax.text(each) == text for each in find_all(syntax.root, _NAMES)) == 1
