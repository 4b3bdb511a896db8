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

from toolscript.script.syntax import Syntax, end, first_error, parse, start

_MOST_REPAIRS: Final = 24
_LONGEST: Final = 131_072
_NEAR: Final = 400


@dataclass(frozen=True, slots=True)
class _Gap:
    """`pattern` finds what the grammar lacks; its group 1 is replaced by `stand_in`."""

    pattern: re.Pattern[str]
    stand_in: Callable[[str], str]


def _spaces(text: str) -> str:
    return " " * len(text)


def _plain_name(text: str) -> str:
    return "_" * len(text)


_GAPS: Final = (
    # Variance of a type parameter: class A<in T, out U>
    _Gap(re.compile(r"[<,]\s*((?:const\s+)?(?:in\s+)?(?:out\s)?)(?=\s*[\w$]+\s*[,>=e])"), _spaces),
    # for (using x of y)
    _Gap(re.compile(r"\(\s*(?:await\s+)?(using)\s+[\w$]+\s+of\b"), lambda _: "const"),
    # A member named like a modifier: readonly = 4
    _Gap(
        re.compile(
            r"\b(readonly|declare|abstract|override|accessor|public|private|protected|static|get"
            r"|set|async|type|namespace|module)(?=\s*(?:[=;:?!(},]|\n))"
        ),
        _plain_name,
    ),
    _Gap(re.compile(r"\b(accessor)\s+[\w$#\[]"), _spaces),
    # A member's type, and on the next line a member that begins with a bracket
    _Gap(re.compile(r"(\n)[ \t]*\["), lambda _: ";"),
)


def read(units: str) -> Syntax:
    """Parse a text of code units, if need be with repairs."""
    syntax = parse(units)
    if not syntax.broken or len(units) > _LONGEST:
        return syntax
    patched, best, at = units, syntax, _error_offset(syntax)
    for _ in range(_MOST_REPAIRS):
        better = _repair_once(patched, at)
        if better is None:
            break
        patched, best, at = better
        if not best.broken:
            return Syntax(units, best.tree)
    return syntax


def _error_offset(syntax: Syntax) -> int:
    found = first_error(syntax)
    return start(found[0]) if found is not None else end(syntax.root)


def _repair_once(units: str, at: int) -> tuple[str, Syntax, int] | None:
    """The first repair near an error that makes the parser get further."""
    low, high = max(0, at - _NEAR), min(len(units), at + _NEAR)
    for gap in _GAPS:
        sites = [found for found in gap.pattern.finditer(units, low, high) if found.group(1)]
        sites.sort(key=lambda found: abs(found.start(1) - at))
        for site in sites[:4]:
            first, last = site.span(1)
            patched = units[:first] + gap.stand_in(site.group(1)) + units[last:]
            syntax = parse(patched)
            if not syntax.broken:
                return patched, syntax, len(units)
            reached = _error_offset(syntax)
            if reached > at:
                return patched, syntax, reached
    return None
