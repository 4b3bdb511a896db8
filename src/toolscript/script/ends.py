"""Where a script ended, as far as its text tells: the engine gives no line for a value."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from toolscript.script.find import find_program
from toolscript.script.syntax import Syntax, find_all
from toolscript.script.text import to_units

_FUNCTIONS: Final = frozenset(
    {
        "arrow_function",
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)
_MADE_ERRORS: Final = frozenset({"new_expression", "call_expression", "identifier"})


def return_place(source: str) -> tuple[int, int] | None:
    """Line and column, from 1, of the statement that gives the script's value.

    None where there are several, or none.
    """
    _, syntax = find_program(to_units(source))
    returns = find_all(syntax.root, frozenset({"return_statement"}))
    depths = [_functions_around(each) for each in returns]
    own = [each for each, depth in zip(returns, depths, strict=True) if depth == min(depths)]
    statements = [each for each in syntax.root.named_children if each.type != "comment"]
    if not statements or (returns and min(depths) > 0 and len(statements) > 1):
        own = []
    if not own and statements and statements[-1].type == "expression_statement":
        own = statements[-1:]
    return _place(own[0]) if len(own) == 1 else None


def throw_place(source: str) -> tuple[int, int] | None:
    """Line and column of the one statement that throws a value which is no error, else None."""
    _, syntax = find_program(to_units(source))
    thrown = [
        each
        for each in find_all(syntax.root, frozenset({"throw_statement"}))
        if _thrown(syntax, each) not in _MADE_ERRORS
    ]
    return _place(thrown[0]) if len(thrown) == 1 else None


def _thrown(syntax: Syntax, statement: Node) -> str:
    values = [each for each in statement.named_children if each.type != "comment"]
    return values[0].type if values else ""


def _functions_around(node: Node) -> int:
    count, parent = 0, node.parent
    while parent is not None:
        count += parent.type in _FUNCTIONS
        parent = parent.parent
    return count


def _place(node: Node) -> tuple[int, int]:
    return node.start_point.row + 1, node.start_point.column // 2 + 1
