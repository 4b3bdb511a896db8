"""What to do about an error: one or two sentences for the model that wrote the script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Final

from toolscript.script.absent import absent_hint
from toolscript.script.failure import Failure, failure_of
from toolscript.script.language import find_foreign
from toolscript.script.members import wrong_member
from toolscript.script.missing_await import missing_await
from toolscript.script.syntax import Syntax, find_all

_NOT_DEFINED: Final = re.compile(r"^'?([\w$]+)'? is not defined")
_JSON_TEXT: Final = re.compile(
    r"unexpected token|in JSON|valid JSON|end of (?:input|data|JSON)", re.I
)
_TOO_LONG: Final = re.compile(
    r"^(?:string too long|invalid (?:string|array) length|invalid repeat count"
    r"|invalid count value|array too large)",
    re.I,
)
_MOST_NAMES: Final = 12


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
    error = failure_of(
        source,
        name=name,
        message=message,
        line=line,
        column=column,
        globals_known=tuple(globals_known),
        tool_names=tuple(tool_names),
    )
    for rule in _RULES:
        hint = rule(error)
        if hint:
            return hint
    return ""


def _undefined_name(error: Failure) -> str:
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


def _known_tools(error: Failure) -> str:
    parts: list[str] = []
    if error.tool_names:
        names = ", ".join(f"tools.{each}" for each in error.tool_names[:_MOST_NAMES])
        more = len(error.tool_names) - _MOST_NAMES
        parts.append(f"The tools are: {names}{f' and {more} more' if more > 0 else ''}.")
    if error.globals_known:
        parts.append(f"The globals are: {', '.join(error.globals_known[:30])}.")
    return " ".join(parts)


def _json_of_value(error: Failure) -> str:
    if error.name != "SyntaxError" or "JSON.parse" not in error.line_text():
        return ""
    if not _JSON_TEXT.search(error.message):
        return ""
    return (
        "the argument of JSON.parse is no JSON text. Results of tools arrive as values: "
        "use them directly, without JSON.parse"
    )


def _wrong_kind(error: Failure) -> str:
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


def _too_deep(error: Failure) -> str:
    if error.name not in ("InternalError", "RangeError") or not _TOO_DEEP.search(error.message):
        return ""
    return (
        "functions call each other too deeply, maybe without an end: write a loop with a list of "
        "what is still to do"
    )


_TOO_DEEP: Final = re.compile(r"call stack size|stack overflow", re.I)


def _too_long(error: Failure) -> str:
    if error.name not in ("InternalError", "RangeError") or not _TOO_LONG.search(error.message):
        return ""
    return (
        "a length is below zero, or more than can be held at all: look at the loop or the number "
        "that it comes from, and keep only what is needed of each item"
    )


def _syntax(error: Failure) -> str:
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


def _python_word(error: Failure) -> str:
    """The word of Python that stands at the error, or begins a statement on its line."""
    found = _OPERATOR.match(error.syntax.units, error.offset or 0)
    found = found or _KEYWORD.search(error.line_text())
    return found.group(1) if found is not None else ""


def _not_callable(error: Failure) -> str:
    if "default export is not a function" in error.message:
        return "write: export default async function ({ codemode }) { ... }"
    if "without 'new'" in error.message or "invoked with 'new'" in error.message:
        return "a class is not a function: create an instance with `new`"
    return ""


_RULES: Final[tuple[Callable[[Failure], str], ...]] = (
    _undefined_name,
    missing_await,
    _json_of_value,
    wrong_member,
    _wrong_kind,
    _too_deep,
    _too_long,
    _syntax,
    _not_callable,
)
