"""Promises of a script's own functions that it drops: what they throw would be lost."""

from __future__ import annotations

import json
from typing import Final

from tree_sitter import Node

from toolscript.script.edits import Edits
from toolscript.script.syntax import Syntax, end, find_all, start, statements
from toolscript.script.text import Lines

_DECLARING: Final = frozenset({"function_declaration", "variable_declarator"})
_ASYNC: Final = "async"
_CHAINS: Final = frozenset({"then", "finally"})


def hear_dropped(syntax: Syntax, edits: Edits) -> None:
    """Hand each call of an async function that stands alone to the guest, which listens to it.

    Types are taken out already. The last statement is left alone: it may be the result.
    """
    if _ASYNC not in syntax.units and ".then" not in syntax.units:
        return
    program = [
        each for each in statements(syntax.root) if not edits.taken_out(start(each), end(each))
    ]
    calls = [
        statement.named_children[0]
        for statement in syntax.of_kind("expression_statement")
        if statement.named_children
        and statement.named_children[0].type == "call_expression"
        and statement.id != program[-1].id
    ]
    own = _async_functions(syntax) if calls else frozenset[str]()
    lines = Lines(syntax.units)
    for call in calls:
        name = _dropped(syntax, call, own)
        if name:
            edits.insert(start(call), "$module.unheard?.(")
            line, _ = lines.position(start(call))
            edits.insert(end(call), f", {json.dumps(name)}, {line})")


def _dropped(syntax: Syntax, call: Node, own: frozenset[str]) -> str:
    """What a call is of, as a reader knows it, where it gives a promise; else ""."""
    function = call.child_by_field_name("function")
    if function is None:
        return ""
    if function.type == "identifier":
        name = syntax.text(function)
        return f"{name}()" if name in own else ""
    if function.type == "parenthesized_expression":
        inner = function.named_children[0]
        return "an async function" if _is_async(inner) else ""
    if function.type == "member_expression":
        method = function.child_by_field_name("property")
        chained = method is not None and syntax.text(method) in _CHAINS
        arguments = call.child_by_field_name("arguments")
        alone = arguments is not None and len(arguments.named_children) == 1
        return "a promise" if chained and alone else ""
    return ""


def _async_functions(syntax: Syntax) -> frozenset[str]:
    """The names that a script gives to its async functions, and to nothing else."""
    found: dict[str, bool] = {}
    for each in find_all(syntax.root, _DECLARING):
        name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        if name is None or name.type != "identifier":
            continue
        text = syntax.text(name)
        found[text] = found.get(text, True) and _is_async(each if value is None else value)
    return frozenset(name for name, is_async in found.items() if is_async)


def _is_async(function: Node) -> bool:
    return bool(function.children) and function.children[0].type == _ASYNC
