"""Advice about scripts that can run but probably do not do what was meant."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from tree_sitter import Node

from toolscript.script.diagnostic import Diagnostic, diagnostic_at
from toolscript.script.syntax import Syntax, end, find_all, start
from toolscript.script.text import Lines

TOOL_ROOTS: Final = frozenset({"tools", "codemode", "bindings"})
"""Globals whose members are tools, besides the namespaces of a contract."""

_MOST: Final = 16
_CONSUMERS: Final = frozenset({"then", "catch", "finally"})
_LOOPS: Final = frozenset({"forEach", "filter", "some", "every", "find", "sort", "reduce"})

_Advice = tuple[Node, str, str, str]
"""Where, the code, what is wrong, what to write instead."""


def advise(
    syntax: Syntax,
    roots: Container[str] = TOOL_ROOTS,
    *,
    last_is_result: bool = True,
) -> tuple[Diagnostic, ...]:
    """Calls of tools that nobody awaits, async callbacks that nobody awaits, and arguments that are
    written as in Python.

    `last_is_result` says that the last expression's value is awaited and returned.
    """
    last = _last_statement(syntax) if last_is_result else None
    found = [_named_argument(syntax, each, roots) for each in syntax.of_kind(_ASSIGNMENT)]
    found += [_async_callback(syntax, each) for kind in _CALLBACKS for each in syntax.of_kind(kind)]
    found += [
        _unawaited(syntax, each, roots)
        for each in syntax.of_kind("expression_statement")
        if last is None or each.id != last.id
    ]
    if last is not None:
        found.append(_only_json(syntax, last))
    return _warnings(syntax, [each for each in found if each is not None])


def _only_json(syntax: Syntax, last: Node) -> _Advice | None:
    """The script is an object of JSON, as a model writes it that means to call a tool."""
    value = last.named_children[0] if last.named_children else last
    pairs = value.named_children if value.type == "object" else []
    keys = [each.child_by_field_name("key") for each in pairs]
    if not keys or end(value) - start(value) < len(syntax.units.strip()):
        return None
    if any(key is None or key.type != "string" for key in keys):
        return None
    message = "the script is only a value of JSON: it calls nothing"
    return last, "only-json", message, "write JavaScript: return await tools.name({ ... });"


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
    found.sort(key=lambda advice: start(advice[0]))
    lines = Lines(syntax.units)
    return tuple(
        diagnostic_at(lines, start(at), code, message, hint=hint, severity="warning")
        for at, code, message, hint in found[:_MOST]
    )


_ASSIGNMENT: Final = "assignment_expression"
_CALLBACKS: Final = ("arrow_function", "function_expression")
_SAYING: Final = frozenset({"return_statement", "call_expression"})
ADVISED: Final = frozenset({_ASSIGNMENT, *_CALLBACKS, "expression_statement"})
"""Nodes that advice looks at: a syntax has to be indexed by them."""

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


def _call_of(argument: Node, *, first: bool) -> Node | None:
    """The call that a node is an argument of, or its `first` one."""
    arguments = argument.parent
    if arguments is None or arguments.type != "arguments":
        return None
    if first and arguments.named_children[0].id != argument.id:
        return None
    call = arguments.parent
    return call if call is not None and call.type == "call_expression" else None


def _async_callback(syntax: Syntax, callback: Node) -> _Advice | None:
    if callback.children[0].type != "async":
        return None
    call = _call_of(callback, first=True)
    function = call.child_by_field_name("function") if call is not None else None
    name = function.child_by_field_name("property") if function is not None else None
    method = syntax.text(name) if name is not None else ""
    if method not in _LOOPS:
        return None
    message = f"{method} does not wait for an async callback"
    hint = "use `for (const x of xs) { await ...; }` or `await Promise.all(xs.map(async ...))`"
    return callback, "async-callback", message, hint


def _named_argument(syntax: Syntax, assigned: Node, roots: Container[str]) -> _Advice | None:
    """`tools.name(key=value)`; said once a call, at its first such argument."""
    call = _call_of(assigned, first=False)
    tool = called_tool(syntax, call, roots) if call is not None else None
    arguments = assigned.parent
    if tool is None or arguments is None:
        return None
    named = [each for each in arguments.named_children if each.type == _ASSIGNMENT]
    if named[0].id != assigned.id:
        return None
    names = [each.child_by_field_name("left") for each in named]
    shown = ", ".join(f"{syntax.text(name)}: ..." for name in names if name is not None)
    message = "JavaScript has no named arguments: this assigns variables"
    return assigned, "named-arguments", message, f"pass one object: {tool}({{ {shown} }})"
