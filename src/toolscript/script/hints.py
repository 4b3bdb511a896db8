"""What to do about an error: one or two sentences for the model that wrote the script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from tree_sitter import Node

from toolscript.script.absent import absent_hint, absent_of_intl
from toolscript.script.advice import called_tool
from toolscript.script.find import find_program
from toolscript.script.language import find_foreign
from toolscript.script.syntax import Syntax, descend, end, find_all, start
from toolscript.script.text import Lines, to_units, words

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


def undefined_member(
    source: str, *, message: str, line: int, column: int | None
) -> tuple[str, str] | None:
    """What was undefined where an error arose, as its text and its last name: `o.items`, `items`."""
    match = _OF_NOTHING.search(message)
    if match is None or (match.group(2) or match.group(3)) == "null":
        return None
    units = to_units(source)
    found, syntax = find_program(units)
    if found.back is not None:
        return None
    offset = Lines(units).offset(line, column or 1)
    error = _Failure(syntax, "TypeError", message, offset, column is not None, (), ())
    text = _nothing(error, match.group(1) or match.group(4))
    name = text.rpartition(".")[2]
    return (text, name) if name.isidentifier() else None


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
    absent = absent_hint(name)
    if absent:
        return f"{absent}. {_known_tools(error)}".rstrip()
    own = get_close_matches(name, _declared_names(error.syntax), n=1, cutoff=0.7)
    if own:
        return f"did you mean `{own[0]}`, which the script declares?"
    near = get_close_matches(name, error.globals_known, n=2, cutoff=0.7)
    near_tools = get_close_matches(name, error.tool_names, n=2, cutoff=0.7)
    if near or near_tools:
        names = [f"`{each}`" for each in near] + [f"`tools.{each}`" for each in near_tools]
        return f"did you mean {' or '.join(names)}?"
    return f"`{name}` is declared nowhere. {_known_tools(error)}".rstrip()


def _declared_names(syntax: Syntax) -> set[str]:
    names = [each.child_by_field_name("name") for each in find_all(syntax.root, _DECLARING)]
    return {syntax.text(name) for name in names if name is not None and name.type == "identifier"}


_DECLARING: Final = frozenset({"variable_declarator", "function_declaration", "class_declaration"})


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
    match = _OF_NOTHING.search(error.message)
    if match is None:
        if not _NOT_ITERABLE.search(error.message):
            return ""
        return (
            "only arrays, strings, Map, Set and other iterables can be looped over or spread: "
            "write `Object.entries(x)` to go through an object"
        )
    member, nothing = match.group(1) or match.group(4), match.group(2) or match.group(3)
    if member == "Symbol.iterator":
        return "only arrays and other iterables can be looped over; this is undefined"
    target = _nothing(error, member)
    if not target:
        return ""
    return (
        f"`{target}` is {nothing}. Look at the shape of what you have with console.log, or write "
        f"`{target}?.{_access(member)}`"
    )


def _nothing(error: _Failure, member: str) -> str:
    """The text of what was undefined or null when `member` was read of it, or ""."""
    for node in error.nodes():
        if node.type in ("member_expression", "subscript_expression"):
            for each in descend(node):
                target = _object_of(error.syntax, each, member)
                if target:
                    return target
    return ""


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


def _called_text(error: _Failure) -> str:
    for node in error.nodes():
        if node.type == "call_expression":
            function = node.child_by_field_name("function")
            if function is not None and end(function) - start(function) <= 60:
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
    return text if len(text) <= 60 else ""


def _access(member: str) -> str:
    return f"[{member}]" if member.isdigit() else member


def _wrong_kind(error: _Failure) -> str:
    """A value that cannot be changed, or cannot be computed with."""
    if error.name != "TypeError":
        return ""
    constant = _READ_ONLY.search(error.message)
    if constant is not None and constant.group(1) in _declared_names(error.syntax):
        name = constant.group(1)
        return f"`{name}` is declared with `const`: write `let {name}` to change it later"
    if "BigInt" in error.message:
        return (
            "a bigint and a number do not mix: write `Number(x)` for the bigint, "
            "or `BigInt(n)` for the number"
        )
    return ""


_READ_ONLY: Final = re.compile(r"'([\w$]+)' is read-only")


def _too_deep(error: _Failure) -> str:
    if error.name not in ("InternalError", "RangeError") or not _TOO_DEEP.search(error.message):
        return ""
    return (
        "functions call each other too deeply, maybe without an end: write a loop with a list of "
        "what is still to do"
    )


_TOO_DEEP: Final = re.compile(r"call stack size|stack overflow", re.I)


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
    word = _python_word(error)
    if word:
        return f"this is JavaScript: write `{_PYTHON_WORDS[word]}` instead of `{word}`"
    if re.search(r"^\s*#", line):
        return "a comment begins with // in JavaScript"
    if "redefinition" in error.message or "already been declared" in error.message:
        return "a name can be declared once in a block: leave out the second `const` or `let`"
    return ""


_PYTHON_WORDS: Final = {
    "elif": "else if", "and": "&&", "or": "||", "not": "!", "is": "===", "except": "catch",
    "pass": "{}", "raise": "throw",
}  # fmt: skip
_OPERATOR: Final = re.compile(r"(and|or|is|not)\b")
_KEYWORD: Final = re.compile(r"(?:^|[};)]\s*|\s)(elif|except|pass|raise)\b(?!\s*[=.,:])")


def _python_word(error: _Failure) -> str:
    """The word of Python that stands at the error, or begins a statement on its line."""
    found = _OPERATOR.match(error.syntax.units, error.offset or 0)
    found = found or _KEYWORD.search(error.line_text())
    return found.group(1) if found is not None else ""


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
    _wrong_kind,
    _too_deep,
    _too_long,
    _syntax,
    _not_callable,
)
