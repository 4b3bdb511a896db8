"""A promise that a script takes for the value that it will have: which call wants an `await`."""

from __future__ import annotations

from tree_sitter import Node

from toolscript.script.advice import called_tool
from toolscript.script.failure import Failure
from toolscript.script.syntax import Syntax, descend


def missing_await(error: Failure) -> str:
    """Advice where a promise was used as if it were the value that it will have, else ""."""
    if error.name != "TypeError":
        return ""
    if not (error.is_no_function or error.read_of_nothing or error.is_not_iterable):
        return ""
    for node in _promise_uses(error):
        call = _unawaited_value(error.syntax, node)
        if call:
            shown = error.syntax.text(node)[:60]
            return (
                f"`{shown}` is a promise, not yet the result of {call}(...): "
                f"write `await {call}(...)` where it is called"
            )
    return ""


def _promise_uses(error: Failure) -> list[Node]:
    """What stands at the root of the expressions around the error, or on its line."""
    around: list[Node] = []
    for node in error.nodes():
        if node.type.endswith(("_statement", "_declaration", "statement_block")):
            around.extend(descend(node) if node.type != "statement_block" else ())
            break
    found: list[Node] = []
    for node in around:
        if node.type in ("member_expression", "subscript_expression"):
            inner = node.child_by_field_name("object")
        elif node.type in ("for_in_statement", "spread_element", "variable_declarator"):
            inner = node.child_by_field_name("right") or node.child_by_field_name("value")
            inner = (
                inner if inner is not None or not node.named_children else node.named_children[0]
            )
        else:
            continue
        while inner is not None and inner.type == "parenthesized_expression":
            inner = inner.named_children[0]
        if inner is not None and inner.type in ("identifier", "call_expression"):
            found.append(inner)
    return found


def _unawaited_value(syntax: Syntax, node: Node) -> str:
    """The tool or async function whose promise an expression holds, else ""."""
    if node.type == "call_expression":
        return _gives_promise(syntax, node)
    name = syntax.text(node)
    for each in descend(syntax.root):
        if each.type != "variable_declarator":
            continue
        bound, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        if bound is None or value is None or syntax.text(bound) != name:
            continue
        return _gives_promise(syntax, value)
    return ""


def _gives_promise(syntax: Syntax, node: Node) -> str:
    tool = called_tool(syntax, node)
    if tool is not None:
        return "" if tool.startswith("console.") else tool
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    if function is None or function.type != "identifier":
        return ""
    name = syntax.text(function)
    for each in descend(syntax.root):
        bound = each.child_by_field_name("name")
        if bound is None or syntax.text(bound) != name:
            continue
        value = each.child_by_field_name("value") or each
        if value.children and value.children[0].type == "async":
            return name
    return ""
