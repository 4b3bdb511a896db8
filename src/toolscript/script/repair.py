"""Makes the parser understand syntax that its grammar does not know.

Where it stumbles, one word nearby is replaced in a copy of the text by another of the same
width that it does understand. Only the tree comes from the copy: offsets are the same, and the
text of the script is never changed by this.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from toolscript.script.syntax import Syntax, end, first_error, parse, start

_MOST_REPAIRS: Final = 24
_LONGEST: Final = 131_072
_NEAR: Final = 400
_MOST_SITES: Final = 4
_BRACKET_BELOW: Final = re.compile(r"\n[ \t\r]*[\[(]")


@dataclass(frozen=True, slots=True)
class _Gap:
    """`pattern` finds what the grammar lacks; its group 1 is replaced by `stand_in`.

    `is_type` tells that what is replaced has to be erased from the script as well.
    """

    pattern: re.Pattern[str]
    stand_in: Callable[[str], str]
    is_type: bool = False


def _spaces(text: str) -> str:
    return " " * len(text)


def _name(text: str) -> str:
    return "_" * len(text)


def _const(text: str) -> str:
    return "const".ljust(len(text))


def _braces(text: str) -> str:
    return "{" + " " * (len(text) - 2) + "}"


# tag<{ a: string }>`text`
_TAG_TYPES: Final = _Gap(
    re.compile(r"[\w$)\]](<(?:[^<>`;]|<(?:[^<>`;]|<[^<>`;]*>)*>)*>)(?=\s*`)"), _spaces, True
)

_GAPS: Final = (
    # Variance of a type parameter: class A<in T, out U>
    _Gap(re.compile(r"[<,]\s*((?:const\s+)?(?:in\s+)?(?:out\s)?)(?=\s*[\w$]+\s*[,>=e])"), _spaces),
    # for (using x of y), await using x: T = y
    _Gap(re.compile(r"\(\s*((?:await\s+)?using)\s+[\w$]+\s+of\b"), _const),
    _Gap(re.compile(r"\b((?:await\s+)?using)\s+[\w$]+\s*:"), _const),
    # for (const of of x)
    _Gap(re.compile(r"\(\s*(?:let|var|const)\s+(of)\s+of\b"), _name),
    # Members and variables named like a keyword of TypeScript: readonly = 4
    _Gap(
        re.compile(
            r"\b(readonly|declare|abstract|override|accessor|public|private|protected|static|get"
            r"|set|async|type|namespace|module|as|satisfies|interface)"
            r"(?=\s*(?:[=;:?!(},.\])]|\n))"
        ),
        _name,
    ),
    _Gap(re.compile(r"\b(accessor)\s+[\w$#\[]"), _spaces),
    # A member that begins with a bracket or a star, below a member that ends with its type
    _Gap(re.compile(r"\n([ \t])[ \t]*[\[*]"), lambda _: ";"),
    _Gap(re.compile(r"(\n)[\[*]"), lambda _: ";"),
    _TAG_TYPES,
    # export type * from "x"
    _Gap(re.compile(r"\bexport\s+type\s+(\*(?:\s*as\s+[\w$]+)?\s)"), _braces),
    # class A { static [key: string]: number }
    _Gap(re.compile(r"\b(static)\s+(?:readonly\s+)?\[\s*[\w$]+\s*:"), _spaces, True),
    # export default abstract class {}
    _Gap(re.compile(r"\bdefault\s+(abstract)\s+class\b"), _spaces, True),
    # type A = import("x").B
    _Gap(re.compile(r"""\b(import\s*\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*\))"""), _name),
    # An escape that only a tagged template may have: String.raw`C:\users`
    _Gap(re.compile(r"(\\[ux])"), _name),
    # a?.5:b
    _Gap(re.compile(r"\?(\.)(?=\d)"), lambda _: "1"),
)


def read(units: str) -> Syntax:
    """Parse a text of code units, if need be with repairs."""
    syntax = parse(units)
    if len(units) > _LONGEST:
        return syntax
    if not syntax.broken:
        return _without_misreadings(syntax)
    state = _Repair(units, syntax, _error_offset(syntax))
    for _ in range(_MOST_REPAIRS):
        better = _repair_once(state)
        if better is None:
            return syntax
        state = better
        if not state.syntax.broken:
            return Syntax(units, state.syntax.tree, state.types)
    return syntax


def _without_misreadings(syntax: Syntax) -> Syntax:
    """Set right what the parser takes for something else, without an error."""
    units = patched = syntax.units
    types: list[tuple[int, int]] = []
    for found in _TAG_TYPES.pattern.finditer(units):
        first, last = found.span(1)
        compared = _token(syntax, first)
        if compared is not None and compared.type == "binary_expression":
            types.append((first, last))
            patched = patched[:first] + _spaces(found.group(1)) + patched[last:]
    for found in _BRACKET_BELOW.finditer(units):
        # A type ends with its line; a bracket on the next line belongs to a new statement.
        if _continues_type(syntax, found.end() - 1):
            first = found.start()
            patched = patched[:first] + ";" + patched[first + 1 :]
    if patched == units:
        return syntax
    other = parse(patched)
    return syntax if other.broken else Syntax(units, other.tree, tuple(types))


def _token(syntax: Syntax, offset: int) -> Node | None:
    """What the one-character token at an offset is part of."""
    node = syntax.root.descendant_for_byte_range(offset * 2, offset * 2 + 2)
    return node.parent if node is not None else None


def _continues_type(syntax: Syntax, offset: int) -> bool:
    """A bracket was read as part of a type, or as a call of what `as` and a type gave."""
    parent = _token(syntax, offset)
    if parent is None:
        return False
    call = parent.parent
    called = call.child_by_field_name("function") if call is not None else None
    return parent.type in ("lookup_type", "array_type") or (
        called is not None and called.type in ("as_expression", "satisfies_expression")
    )


@dataclass(frozen=True, slots=True)
class _Repair:
    """How far the parser gets with a copy of the text, and the types replaced in it."""

    units: str
    syntax: Syntax
    reached: int
    types: tuple[tuple[int, int], ...] = ()


def _error_offset(syntax: Syntax) -> int:
    found = first_error(syntax)
    return start(found[0]) if found is not None else end(syntax.root)


def _repair_once(state: _Repair) -> _Repair | None:
    """The first repair near the error that makes the parser get further."""
    units, at = state.units, state.reached
    low, high = max(0, at - _NEAR), min(len(units), at + _NEAR)
    for gap in _GAPS:
        sites = [found for found in gap.pattern.finditer(units, low, high) if found.group(1)]
        sites.sort(key=lambda found: abs(found.start(1) - at))
        for site in sites[:_MOST_SITES]:
            first, last = site.span(1)
            patched = units[:first] + gap.stand_in(site.group(1)) + units[last:]
            types = (*state.types, (first, last)) if gap.is_type else state.types
            syntax = parse(patched)
            reached = _error_offset(syntax) if syntax.broken else len(units)
            if not syntax.broken or reached > at:
                return _Repair(patched, syntax, reached, types)
    return None
