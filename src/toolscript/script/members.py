"""Members that values do not have: which ones a script read or called, and what it could do."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from tree_sitter import Node

from toolscript.script.absent import absent_of_intl
from toolscript.script.failure import Failure, failure_of
from toolscript.script.find import find_program
from toolscript.script.syntax import Syntax, descend, end, start
from toolscript.script.text import to_units, words

_MOST_TEXT: Final = 60
"""Characters of an expression that is shown."""

_ARRAY_METHODS: Final = words(
    """
    map filter forEach find some every reduce slice sort flatMap join includes push at
    """
)

_METHODS: Final = _ARRAY_METHODS | words(
    """
    reverse concat indexOf findIndex splice pop shift unshift keys values entries flat fill
    toSorted toReversed split trim replace replaceAll match matchAll toUpperCase toLowerCase
    startsWith endsWith padStart padEnd substring charAt repeat localeCompare toFixed toString
    getTime getFullYear toISOString has get set add delete then catch finally
    """
)


def wrong_member(error: Failure) -> str:
    """Something is not there, or not what it was taken for: say what, and how to look."""
    if error.name != "TypeError":
        return ""
    if error.is_no_function:
        if missing := absent_of_intl(error.line_text()):
            return missing
        called = _called_text(error)
        if not called:
            return ""
        target, _, method = called.rpartition(".")
        if target and method in _ARRAY_METHODS:
            return (
                f"`{called}` is not a function: `{target}` is no array. "
                f"Look at its shape first: console.log({target})"
            )
        if target == "console":
            return "the console has log, info, warn, error and debug; write `console.log(value)`"
        near = get_close_matches(method, _METHODS, n=1, cutoff=0.7) if target else []
        if near and near[0] != method:
            return f"`{called}` is not a function; did you mean `{target}.{near[0]}`?"
        return f"`{called}` is not a function"
    read = error.read_of_nothing
    if read is None:
        if not error.is_not_iterable:
            return ""
        return (
            "only arrays, strings, Map, Set and other iterables can be looped over or spread: "
            "write `Object.entries(x)` to go through an object"
        )
    member, nothing = read
    if member == "Symbol.iterator":
        return "only arrays and other iterables can be looped over; this is undefined"
    target = _nothing(error, member)
    if not target:
        return ""
    return (
        f"`{target}` is {nothing}. Look at the shape of what you have with console.log, or write "
        f"`{target}?.{_access(member)}`"
    )


def _nothing(error: Failure, member: str) -> str:
    """The text of what was undefined or null when `member` was read of it, or ""."""
    for node in error.nodes():
        if node.type in ("member_expression", "subscript_expression"):
            for each in descend(node):
                target = _object_of(error.syntax, each, member)
                if target:
                    return target
    return ""


def _called_text(error: Failure) -> str:
    for node in error.nodes():
        if node.type == "call_expression":
            function = node.child_by_field_name("function")
            if function is not None and end(function) - start(function) <= _MOST_TEXT:
                return error.syntax.text(function)
            return ""
    return ""


def _object_of(syntax: Syntax, node: Node, member: str) -> str:
    if node.type not in ("member_expression", "subscript_expression"):
        return ""
    target = node.child_by_field_name("object")
    name = node.child_by_field_name("property") or node.child_by_field_name("index")
    if target is None or name is None or syntax.text(name) != member:
        return ""
    text = syntax.text(target)
    return text if len(text) <= _MOST_TEXT else ""


def _access(member: str) -> str:
    return f"[{member}]" if member.isdigit() else member


def returned_property(source: str) -> tuple[str, str] | None:
    """The text and the name of the property that a script's last statement gives: `return a.b`."""
    _, syntax = find_program(to_units(source))
    statements = [each for each in syntax.root.named_children if each.type != "comment"]
    if not statements or statements[-1].type not in ("return_statement", "expression_statement"):
        return None
    value = next(iter(statements[-1].named_children), None)
    if value is None or value.type != "member_expression":
        return None
    name = value.child_by_field_name("property")
    text = syntax.text(value)
    return None if name is None or len(text) > _MOST_TEXT else (text, syntax.text(name))


def undefined_member(
    source: str, *, message: str, line: int, column: int | None
) -> tuple[str, str] | None:
    """What was undefined where an error arose, as its text and its last name: `o.items`, `items`."""
    error = failure_of(source, name="TypeError", message=message, line=line, column=column)
    read = error.read_of_nothing
    if read is None or read[1] == "null":
        return None
    text = _nothing(error, read[0])
    name = text.rpartition(".")[2]
    return (text, name) if name.isidentifier() else None
