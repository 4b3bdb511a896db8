"""Turns whatever form a script has into the body of an async function.

The body sees one parameter, `$module`: `$module.scope` is the object that function forms are
called with, `$module.load(name)` gives the exports of a module. Nothing moves: what is written
in front of a token is an insertion that `Script.locate` takes out again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from tree_sitter import Node

from toolscript.script.diagnostic import Diagnostic
from toolscript.script.edits import Edits
from toolscript.script.syntax import Syntax, end, find_all, start, statements

Form = Literal["body", "module", "function", "expression"]

_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression"})
CALL: Final = "($module.scope)"
_MAIN_NAMES: Final = ("main", "run", "default", "handler", "program")
_DECLARATIONS: Final = frozenset(
    {
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "lexical_declaration",
        "variable_declaration",
    }
)
AWAITED: Final = "await_expression"
"""The kind of node that waits for something while the script runs."""
_NAMES: Final = frozenset(
    {
        "identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
        "type_identifier",
    }
)


@dataclass(slots=True)
class Shape:
    """What became of a script: its form, and what keeps it from running."""

    form: Form = "body"
    problems: list[Diagnostic] = field(default_factory=list[Diagnostic])
    imports: tuple[str, ...] = ()
    """The modules that it imports."""


def shape_body(syntax: Syntax, edits: Edits) -> Shape:
    """Give a function body the result that its author meant: the value of its last expression,
    or what its only function returns."""
    program = [
        each for each in statements(syntax.root) if not edits.taken_out(start(each), end(each))
    ]
    if not program:
        return Shape()
    last = program[-1]
    if last.type == "expression_statement":
        return return_expression(syntax, edits, last)
    main = _uncalled_function(syntax, program)
    if main is not None:
        edits.insert(len(syntax.units), f"\nreturn {main}{CALL};")
        return Shape("function")
    name = _last_variable(syntax, last)
    if name is not None:
        edits.insert(len(syntax.units), f'\n;$module.unreturned?.("{name}", {name});')
    return Shape()


def return_expression(syntax: Syntax, edits: Edits, statement: Node) -> Shape:
    value = statement.named_children[0]
    if _declares_resource(value):
        return Shape()
    target = _assigned_export(syntax, value)
    if target is not None:
        value = target
    function = _bare(value)
    calls = function.type in _FUNCTIONS
    edits.insert(start(value), "return (")
    edits.insert(end(value), ")" + (CALL if calls else ""))
    if target is not None:
        edits.cut(start(statement), start(target))
    return Shape("function" if calls else "expression")


def _bare(value: Node) -> Node:
    while value.type in ("parenthesized_expression", "as_expression", "satisfies_expression"):
        value = next(each for each in value.named_children if each.type != "comment")
    return value


def _declares_resource(value: Node) -> bool:
    """`using x = ...`, which the parser takes for an assignment."""
    if value.type == "await_expression" and value.named_children:
        value = value.named_children[0]
    return bool(value.children) and value.children[0].type == "using"


def _assigned_export(syntax: Syntax, value: Node) -> Node | None:
    """The right side of `module.exports = ...`."""
    if value.type != "assignment_expression":
        return None
    left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
    if left is not None and syntax.text(left) in ("module.exports", "exports.default"):
        return right
    return None


def _uncalled_function(syntax: Syntax, program: list[Node]) -> str | None:
    """The name of the function that a script declares and never calls, where nothing else runs."""
    names: list[str] = []
    for statement in program:
        if statement.type not in _DECLARATIONS or _fetches(syntax, statement):
            return None
        names += function_names(syntax, statement)
    used = _count_names(syntax, names)
    return main_of([name for name in names if used.get(name) == 1])


def main_of(names: list[str]) -> str | None:
    """Which of a script's functions is the one to call: the only one, or the one named so."""
    if len(names) == 1:
        return names[0]
    return next((name for name in _MAIN_NAMES if name in names), None)


def function_names(syntax: Syntax, declaration: Node) -> list[str]:
    """The functions that a declaration gives a name."""
    if declaration.type == "function_declaration":
        return [_name(syntax, declaration)]
    if declaration.type not in ("lexical_declaration", "variable_declaration"):
        return []
    return [
        _name(syntax, each)
        for each in declaration.named_children
        if (value := each.child_by_field_name("value")) is not None
        and _bare(value).type in _FUNCTIONS
    ]


def _fetches(syntax: Syntax, declaration: Node) -> bool:
    """A declaration that waits for something while the script runs."""
    return any(
        (value := each.child_by_field_name("value")) is not None
        and _bare(value).type not in _FUNCTIONS
        and _awaits(syntax, value)
        for each in declaration.named_children
        if each.type == "variable_declarator"
    )


def _name(syntax: Syntax, node: Node) -> str:
    name = node.child_by_field_name("name")
    return syntax.text(name) if name is not None and name.type == "identifier" else ""


def _awaits(syntax: Syntax, value: Node) -> bool:
    first, last = start(value), end(value)
    return any(first <= start(each) < last for each in syntax.of_kind(AWAITED))


def _count_names(syntax: Syntax, names: Iterable[str]) -> dict[str, int]:
    wanted = {name for name in names if name}
    found: dict[str, int] = {}
    if wanted:
        for node in find_all(syntax.root, _NAMES):
            if (name := syntax.text(node)) in wanted:
                found[name] = found.get(name, 0) + 1
    return found


def _last_variable(syntax: Syntax, last: Node) -> str | None:
    """The variable of a last statement that fetches something and does nothing with it."""
    if last.type not in ("lexical_declaration", "variable_declaration"):
        return None
    declared = last.named_children[-1]
    value = declared.child_by_field_name("value")
    if value is None or not _awaits(syntax, value):
        return None
    return _name(syntax, declared) or None
