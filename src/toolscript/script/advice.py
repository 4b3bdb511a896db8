"""Advice about scripts that can run but probably do not do what was meant."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from tree_sitter import Node

from toolscript.script.diagnostic import Diagnostic, diagnostic_at
from toolscript.script.syntax import Syntax, find_all, start
from toolscript.script.text import Lines

TOOL_ROOTS: Final = frozenset({"tools", "codemode", "bindings"})
"""Globals whose members are tools, besides the namespaces of a contract."""

_MOST: Final = 16
_CONSUMERS: Final = frozenset({"then", "catch", "finally"})
_LOOPS: Final = frozenset({"forEach", "filter", "some", "every", "find", "sort", "reduce"})

_Advice = tuple[Node, str, str, str]
"""Where, the code, what is wrong, what to write instead."""


def advise(
    syntax: Syntax, roots: Container[str] = TOOL_ROOTS, *, last_is_result: bool = True
) -> tuple[Diagnostic, ...]:
    """Calls of tools that nobody awaits, async callbacks that nobody awaits, and arguments that
    are written as in Python. `last_is_result` says that the last expression's value is awaited
    and returned."""
    found: list[_Advice] = []
    last = _last_statement(syntax) if last_is_result else None
    for node in find_all(syntax.root, _ADVISED):
        advice = None
        if node.type == "call_expression":
            advice = _async_callback(syntax, node) or _named_arguments(syntax, node, roots)
        elif last is None or node.id != last.id:
            advice = _unawaited(syntax, node, roots)
        if advice is not None:
            found.append(advice)
            if len(found) == _MOST:
                break
    return _warnings(syntax, found)


def advise_result(syntax: Syntax) -> tuple[Diagnostic, ...]:
    """A script that gives its reader nothing: no value, no output, nothing stored."""
    last = _last_statement(syntax)
    if last is None or last.type not in _DECLARATIONS:
        return ()
    if any(_says_something(syntax, node) for node in find_all(syntax.root, _SAYING)):
        return ()
    message = "the script has no `return`: it ends with a declaration"
    hint = f"write `return {_declared_name(syntax, last)};` at the end"
    return _warnings(syntax, [(last, "nothing-returned", message, hint)])


def _warnings(syntax: Syntax, found: list[_Advice]) -> tuple[Diagnostic, ...]:
    if not found:
        return ()
    lines = Lines(syntax.units)
    return tuple(
        diagnostic_at(lines, start(at), code, message, hint=hint, severity="warning")
        for at, code, message, hint in found
    )


_ADVISED: Final = frozenset({"expression_statement", "call_expression"})
_SAYING: Final = frozenset({"return_statement", "call_expression"})
_DECLARATIONS: Final = frozenset({"lexical_declaration", "variable_declaration"})
_OUTPUT: Final = frozenset({"text", "emit", "image", "log", "store", "exit", "progress"})


def _says_something(syntax: Syntax, node: Node) -> bool:
    """A statement of the script gives its reader something: a value, output, a stored value."""
    if node.type == "return_statement":
        outer = node.parent
        while outer is not None and outer.type not in _FUNCTIONS:
            outer = outer.parent
        return outer is None
    function = node.child_by_field_name("function")
    if function is None:
        return False
    text = syntax.text(function)
    return text in _OUTPUT or text.startswith("console.")


_FUNCTIONS: Final = frozenset(
    {
        "arrow_function",
        "function_expression",
        "function_declaration",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)


def _declared_name(syntax: Syntax, declaration: Node) -> str:
    name = declaration.named_children[-1].child_by_field_name("name")
    return syntax.text(name) if name is not None and name.type == "identifier" else "..."


def _last_statement(syntax: Syntax) -> Node | None:
    """The last statement of a script, whose value is its result."""
    named = [each for each in syntax.root.named_children if each.type != "comment"]
    return named[-1] if named else None


def called_tool(syntax: Syntax, node: Node, roots: Container[str] = TOOL_ROOTS) -> str | None:
    """The text of the tool that a call expression calls, or None: `tools.a`, `tools["a"]`."""
    if node.type != "call_expression":
        return None
    function = node.child_by_field_name("function")
    if function is None or function.type not in ("member_expression", "subscript_expression"):
        return None
    root = function
    while root.type in ("member_expression", "subscript_expression"):
        inner = root.child_by_field_name("object")
        if inner is None:
            return None
        root = inner
    if root.type != "identifier" or syntax.text(root) not in roots:
        return None
    return syntax.text(function)


def _unawaited(syntax: Syntax, node: Node, roots: Container[str]) -> _Advice | None:
    value = node.named_children[0] if node.named_children else None
    if value is None:
        return None
    tool = called_tool(syntax, value, roots)
    if tool is None or tool.rsplit(".", 1)[-1] in _CONSUMERS:
        return None
    message = f"nobody awaits this call of {tool}: its result and its errors are lost"
    return value, "unawaited-call", message, f"write `await {tool}(...)`"


def _member(syntax: Syntax, call: Node) -> str:
    function = call.child_by_field_name("function")
    if function is None or function.type != "member_expression":
        return ""
    name = function.child_by_field_name("property")
    return syntax.text(name) if name is not None else ""


def _async_callback(syntax: Syntax, node: Node) -> _Advice | None:
    method = _member(syntax, node)
    arguments = node.child_by_field_name("arguments")
    if method not in _LOOPS or arguments is None or not arguments.named_children:
        return None
    callback = arguments.named_children[0]
    if callback.type not in ("arrow_function", "function_expression"):
        return None
    if callback.children[0].type != "async":
        return None
    message = f"{method} does not wait for an async callback"
    hint = "use `for (const x of xs) { await ...; }` or `await Promise.all(xs.map(async ...))`"
    return callback, "async-callback", message, hint


def _named_arguments(syntax: Syntax, node: Node, roots: Container[str]) -> _Advice | None:
    tool = called_tool(syntax, node, roots)
    arguments = node.child_by_field_name("arguments")
    if tool is None or arguments is None:
        return None
    assigned = [each for each in arguments.named_children if each.type == "assignment_expression"]
    if not assigned:
        return None
    names = [each.child_by_field_name("left") for each in assigned]
    shown = ", ".join(f"{syntax.text(name)}: ..." for name in names if name is not None)
    message = "JavaScript has no named arguments: this assigns variables"
    return assigned[0], "named-arguments", message, f"pass one object: {tool}({{ {shown} }})"
