"""What to do about an error: one or two sentences for the model that wrote the script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from tree_sitter import Node

from toolscript.script.advice import called_tool
from toolscript.script.find import find_program
from toolscript.script.language import find_foreign
from toolscript.script.syntax import Syntax, descend, end, start
from toolscript.script.text import Lines, to_units, words

_TOOLS_ONLY: Final = "a script reaches the world only through its tools"

_ABSENT: Final = {
    "require": "there are no modules to require; " + _TOOLS_ONLY,
    "module": "there is no `module` object; `return` the result instead",
    "exports": "there is no `exports` object; `return` the result instead",
    "fetch": "there is no network; " + _TOOLS_ONLY,
    "axios": "there is no network; " + _TOOLS_ONLY,
    "XMLHttpRequest": "there is no network; " + _TOOLS_ONLY,
    "WebSocket": "there is no network; " + _TOOLS_ONLY,
    "process": "there is no process and no environment; " + _TOOLS_ONLY,
    "fs": "there is no file system; " + _TOOLS_ONLY,
    "path": "there is no `path` module; join paths as strings",
    "os": "there is no operating system to ask; " + _TOOLS_ONLY,
    "Deno": "this is not Deno; " + _TOOLS_ONLY,
    "Bun": "this is not Bun; " + _TOOLS_ONLY,
    "Buffer": "there is no Buffer; use `btoa`, `atob`, TextEncoder and Uint8Array",
    "window": "this is not a browser; use `globalThis` or a variable",
    "document": "this is not a browser: there is no document",
    "localStorage": "this is not a browser; use `store(key, value)` and `load(key)`",
    "sessionStorage": "this is not a browser; use `store(key, value)` and `load(key)`",
    "alert": "this is not a browser; use `console.log`",
    "prompt": "nobody can be asked here; `return` and ask outside of the script",
    "crypto": "there is no `crypto`; use Math.random where randomness need not be secret",
    "performance": "there is no `performance`; use Date.now()",
    "Intl": "there is no `Intl`; format by hand",
    "setTimeout": "there are no timers here; await the tool calls themselves",
    "setInterval": "there are no timers here; await the tool calls themselves",
    "setImmediate": "there are no timers here; await the tool calls themselves",
    "sleep": "there are no timers here; await the tool calls themselves",
    "console": "there is no console here; `return` the result",
    "print": "this is JavaScript: use `console.log(...)`",
    "None": "this is JavaScript: write `null`",
    "True": "this is JavaScript: write `true`",
    "False": "this is JavaScript: write `false`",
    "len": "this is JavaScript: use `.length`",
    "str": "this is JavaScript: use `String(...)`",
    "int": "this is JavaScript: use `Number(...)`",
    "range": "this is JavaScript: use `for (let i = 0; i < n; i++)`",
    "dict": "this is JavaScript: use an object, `{ key: value }`",
    "list": "this is JavaScript: use an array, `[a, b]`",
    "self": "this is JavaScript: use `this`, or a variable",
    "json": "this is JavaScript: use `JSON`",
    "asyncio": "this is JavaScript: use `await Promise.all([...])`",
}
_NOT_DEFINED: Final = re.compile(r"^'?([\w$]+)'? is not defined")
_OF_NOTHING: Final = re.compile(
    r"read property '([^']*)' of (undefined|null)"
    r"|read properties of (undefined|null) \(reading '([^']*)'\)"
)
_NO_FUNCTION: Final = re.compile(r"\bnot a function")
_NOT_ITERABLE: Final = re.compile(r"not iterable|Symbol\.iterator")
_JSON_TEXT: Final = re.compile(
    r"unexpected token|in JSON|valid JSON|end of (?:input|data|JSON)", re.I
)
_TOO_LONG: Final = re.compile(
    r"^(?:string too long|invalid (?:string|array) length|invalid repeat count"
    r"|invalid count value|array too large)",
    re.I,
)
_MOST_NAMES: Final = 12
_MOST_TEXT: Final = 60


def absent_hint(name: str) -> str:
    """What to do about a global that does not exist here, or "" where nothing is known."""
    return _ABSENT.get(name, "")


NOTHING_RETURNED: Final = "the script returned nothing; `return` the value that should be read"


def hint_for(
    source: str,
    *,
    name: str,
    message: str,
    line: int | None,
    column: int | None,
    globals_known: Iterable[str] = (),
    tool_names: Iterable[str] = (),
) -> str:
    """Advice for an error of a script, or "" where none is known.

    `name` and `message` are those of the error, `line` and `column` where it happened in
    `source`. `globals_known` are the globals that the script has, `tool_names` the names by
    which it calls its tools.
    """
    units = to_units(source)
    found, syntax = find_program(units)
    offset = None
    if line is not None and found.back is None:
        offset = Lines(units).offset(line, column or 1)
    error = _Failure(
        syntax, name, message, offset, column is not None, tuple(globals_known), tuple(tool_names)
    )
    for rule in _RULES:
        hint = rule(error)
        if hint:
            return hint
    return ""


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


@dataclass(frozen=True, slots=True)
class _Failure:
    syntax: Syntax
    name: str
    message: str
    offset: int | None
    exact: bool
    globals_known: tuple[str, ...]
    tool_names: tuple[str, ...]

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


def _undefined_name(error: _Failure) -> str:
    match = _NOT_DEFINED.match(error.message)
    if error.name != "ReferenceError" or match is None:
        return ""
    name = match.group(1)
    foreign = find_foreign(error.syntax.units, valid=True)
    if foreign is not None:
        return f"{foreign.message}; {foreign.hint}"
    if name in error.tool_names:
        return f"tools are members of `tools`: write `await tools.{name}({{ ... }})`"
    if name in _ABSENT:
        return f"{_ABSENT[name]}. {_known_tools(error)}".rstrip()
    near = get_close_matches(name, error.globals_known, n=2, cutoff=0.7)
    near_tools = get_close_matches(name, error.tool_names, n=2, cutoff=0.7)
    if near or near_tools:
        names = [f"`{each}`" for each in near] + [f"`tools.{each}`" for each in near_tools]
        return f"did you mean {' or '.join(names)}?"
    return f"`{name}` is declared nowhere. {_known_tools(error)}".rstrip()


def _known_tools(error: _Failure) -> str:
    parts: list[str] = []
    if error.tool_names:
        names = ", ".join(f"tools.{each}" for each in error.tool_names[:_MOST_NAMES])
        more = len(error.tool_names) - _MOST_NAMES
        parts.append(f"The tools are: {names}{f' and {more} more' if more > 0 else ''}.")
    if error.globals_known:
        parts.append(f"The globals are: {', '.join(error.globals_known[:30])}.")
    return " ".join(parts)


def _missing_await(error: _Failure) -> str:
    """A promise was used as if it were the value that it will have."""
    if error.name != "TypeError":
        return ""
    if not (
        _NO_FUNCTION.search(error.message)
        or _OF_NOTHING.search(error.message)
        or _NOT_ITERABLE.search(error.message)
    ):
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


def _promise_uses(error: _Failure) -> list[Node]:
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


def _json_of_value(error: _Failure) -> str:
    if error.name != "SyntaxError" or "JSON.parse" not in error.line_text():
        return ""
    if not _JSON_TEXT.search(error.message):
        return ""
    return (
        "the argument of JSON.parse is no JSON text. Results of tools arrive as values: "
        "use them directly, without JSON.parse"
    )


def _wrong_shape(error: _Failure) -> str:
    """Something is not there, or not what it was taken for: say what, and how to look."""
    if error.name != "TypeError":
        return ""
    if _NO_FUNCTION.search(error.message):
        called = _called_text(error)
        if not called:
            return ""
        target, _, method = called.rpartition(".")
        if target and method in _ARRAY_METHODS:
            return (
                f"`{called}` is not a function: `{target}` is no array. "
                f"Look at its shape first: console.log({target})"
            )
        return f"`{called}` is not a function"
    match = _OF_NOTHING.search(error.message)
    if match is None:
        return ""
    member, nothing = match.group(1) or match.group(4), match.group(2) or match.group(3)
    if member == "Symbol.iterator":
        return "only arrays and other iterables can be looped over; this is undefined"
    for node in error.nodes():
        if node.type in ("member_expression", "subscript_expression"):
            for each in descend(node):
                target = _object_of(error.syntax, each, member)
                if target:
                    return (
                        f"`{target}` is {nothing}. Look at the shape of what you have with "
                        f"console.log, or write `{target}?.{member}`"
                    )
    return ""


_ARRAY_METHODS: Final = words(
    """
    map filter forEach find some every reduce slice sort flatMap join includes push at
    """
)


def _called_text(error: _Failure) -> str:
    for node in error.nodes():
        if node.type == "call_expression":
            function = node.child_by_field_name("function")
            if function is not None and end(function) - start(function) <= 60:
                return error.syntax.text(function)
            return ""
    return ""


def _object_of(syntax: Syntax, node: Node, member: str) -> str:
    if node.type != "member_expression":
        return ""
    target, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if target is None or name is None or syntax.text(name) != member:
        return ""
    text = syntax.text(target)
    return text if len(text) <= 60 else ""


def _too_long(error: _Failure) -> str:
    if error.name not in ("InternalError", "RangeError") or not _TOO_LONG.search(error.message):
        return ""
    return (
        "a length is below zero, or more than can be held at all: look at the loop or the number "
        "that it comes from, and keep only what is needed of each item"
    )


def _syntax(error: _Failure) -> str:
    if error.name != "SyntaxError":
        return ""
    foreign = find_foreign(error.syntax.units, valid=not error.syntax.broken)
    if foreign is not None:
        return f"{foreign.message}; {foreign.hint}"
    line = error.line_text()
    if re.search(r"\bawait\b", line):
        return "`await` works at the top level and in `async` functions: write `async` in front of the function"
    if re.match(r"\s*(?:import|export)\b", line) and "no export" not in error.message:
        return "nothing can be imported or exported here; call `tools` and `return` the result"
    if re.search(r"^\s*#", line):
        return "a comment begins with // in JavaScript"
    if "redefinition" in error.message or "already been declared" in error.message:
        return "a name can be declared once in a block: leave out the second `const` or `let`"
    return ""


def _not_callable(error: _Failure) -> str:
    if "default export is not a function" in error.message:
        return "write: export default async function ({ codemode }) { ... }"
    if "without 'new'" in error.message or "invoked with 'new'" in error.message:
        return "a class is not a function: create an instance with `new`"
    return ""


_RULES: Final[tuple[Callable[[_Failure], str], ...]] = (
    _undefined_name,
    _missing_await,
    _json_of_value,
    _wrong_shape,
    _too_long,
    _syntax,
    _not_callable,
)
