"""Makes the parser understand syntax that its grammar does not know.

Where it stumbles, one word nearby is replaced in a copy of the text by another of the same
width that it does understand. Only the tree comes from the copy: offsets are the same, and the
text of the script is never changed by this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tree_sitter import Node

from toolscript.script.syntax import Syntax, end, find_all, first_error, parse, start

_MOST_PARSED: Final = 3_000_000  # code units of one script, all tries together
_NEAR: Final = 400
_MOST_SITES: Final = 4
_TYPES_END: Final = re.compile(r"(?<!=)>\s*[(`]")
_LOGIC: Final = re.compile(r"&&|\|\|")
_IMPORT: Final = re.compile(r"""\b(import\s*\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*\))""")
_BINARY: Final = frozenset({"binary_expression"})
_BRACKET_BELOW: Final = re.compile(r"\n[ \t\r]*[\[(`]")
_CASTS: Final = frozenset({"as_expression", "satisfies_expression"})
_DOTTED: Final = re.compile(r"\.[\w$]+(?:\s*\.\s*[\w$]+)+")
_STATIC_ABOVE: Final = re.compile(r"\bstatic[ \t\r]*(\n)(?=\s*[\w$#\[*])")
_JOINT: Final = re.compile(r"[^\w$]")


_Patch = tuple[int, int, str]
"""A range, and the text of the same width that stands in for it."""


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
    re.compile(r"[\w$)\]](<(?:[^<>`]|=>|<(?:[^<>`]|=>|<(?:[^<>`]|=>)*>)*>)*>)(?=[ \t]*`)"),
    _spaces,
    True,
)

_GAPS: Final = (
    # for (a as T of b), a as T < b
    _Gap(
        re.compile(
            r"[\w$)\]!](\s+(?:as|satisfies)\s+[\w$.]+(?:<[^<>;]*>)?(?:\[\s*\])*)(?=\s+(?:<[\s=]|of\b))"
        ),
        _spaces,
        True,
    ),
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
            r"|set|async|type|namespace|module|as|satisfies|interface|using)"
            r"(?=\s*(?:[=;:?!(},.\])]|\n))"
        ),
        _name,
    ),
    _Gap(re.compile(r"\b(accessor)\s+[\w$#\[]"), _spaces),
    # What begins with a bracket or an operator, below what ends with its type
    _Gap(re.compile(r"\n([ \t])[ \t]*(?:[\[*<(`+-]|/(?![/*]))"), lambda _: ";"),
    _Gap(re.compile(r"(\n)(?:[\[*<(`+-]|/(?![/*]))"), lambda _: ";"),
    # The same with comments in between
    _Gap(
        re.compile(r"(\n)(?:[ \t\r]*(?://[^\n]*)?\n)+[ \t]*(?:[\[*<(`+-]|/(?![/*]))"),
        lambda _: ";",
    ),
    _TAG_TYPES,
    # export type * from "x"
    _Gap(re.compile(r"\bexport\s+type\s+(\*(?:\s*as\s+[\w$]+)?\s)"), _braces),
    # class A { static [key: string]: number }
    _Gap(re.compile(r"\b(static)\s+(?:readonly\s+)?\[\s*[\w$]+\s*:"), _spaces, True),
    # export default abstract class {}
    _Gap(re.compile(r"\bdefault\s+(abstract)\s+class\b"), _spaces, True),
    # type A = import("x").B
    _Gap(_IMPORT, _name),
    # An escape that only a tagged template may have: String.raw`C:\users`
    _Gap(re.compile(r"(\\[ux])"), _name),
    # a?.5:b
    _Gap(re.compile(r"\?(\.)(?=\d)"), lambda _: "1"),
)


def read(units: str) -> Syntax:
    """Parse a text of code units, if need be with repairs."""
    syntax = parse(units)
    if syntax.too_deep:
        return syntax
    understood = _repaired(syntax) if syntax.broken else syntax
    if understood is None:
        return syntax
    better = _without_misreadings(understood)
    return Syntax(units, better.tree, better.types)


def _repaired(syntax: Syntax) -> Syntax | None:
    """A text that the parser understands, with stand-ins for what it does not."""
    reached = _error_offset(syntax)
    left = _MOST_PARSED // (len(syntax.units) + 1)
    while left > 0:
        for other in islice(_stand_ins(syntax, reached), left):
            left -= 1
            if not other.broken:
                return other
            if (further := _error_offset(other)) > reached:
                syntax, reached = other, further
                break
        else:
            return None
    return None


def _stand_ins(syntax: Syntax, at: int) -> Iterator[Syntax]:
    """Texts with one more stand-in near an offset, the likeliest first."""
    yield from _cast_targets(syntax)
    low, high = max(0, at - _NEAR), min(len(syntax.units), at + _NEAR)
    for gap in _GAPS:
        sites = [each for each in gap.pattern.finditer(syntax.units, low, high) if each.group(1)]
        sites.sort(key=lambda found: abs(found.start(1) - at))
        for site in sites[:_MOST_SITES]:
            if site.group(1) == "\n" and _kind_at(syntax, site.start(1) - 1) == "comment":
                continue
            patch = (*site.span(1), gap.stand_in(site.group(1)))
            yield _patched(syntax, [patch], types=gap.is_type)


def _patched(syntax: Syntax, patches: list[_Patch], *, types: bool = False) -> Syntax:
    """A text with ranges of it replaced by texts of the same width; `types` says they are types."""
    parts: list[str] = []
    done = 0
    for first, last, text in sorted(patches):
        parts += (syntax.units[done:first], text)
        done = last
    units = "".join((*parts, syntax.units[done:]))
    added = tuple((first, last) for first, last, _ in patches) if types else ()
    return Syntax(units, parse(units).tree, (*syntax.types, *added))


def _cast_targets(syntax: Syntax) -> Iterator[Syntax]:
    """`[a as T, b] = c`: the grammar has no casts in targets."""
    found = first_error(syntax)
    target = _assigned(found[0]) if found is not None else None
    if target is None:
        return
    ranges = [(end(each.named_children[0]), end(each)) for each in find_all(target, _CASTS)]
    if ranges:
        patches = [(first, last, " " * (last - first)) for first, last in ranges]
        yield _patched(syntax, patches, types=True)


def _assigned(error: Node) -> Node | None:
    """What is assigned to where the parser misses a `!` or stumbles over a `=`."""
    if error.type == "!":
        target = error.parent
        user = target.parent if target is not None else None
        return target if user is not None and user.type != "call_expression" else None
    return error.prev_sibling if end(error) - start(error) == 1 else None


def _without_misreadings(syntax: Syntax) -> Syntax:
    """Set right what the parser takes for something else, without an error."""
    for look, types in ((_compared_types, True), (_misread, False)):
        if patches := look(syntax):
            other = _patched(syntax, patches, types=types)
            syntax = syntax if other.broken else other
    return syntax


def _compared_types(syntax: Syntax) -> list[_Patch]:
    """Types of a call or a tagged template that were read as comparisons: `f<type>(x)`.

    As in TypeScript, what may be types between `<` and `>` in front of a bracket is types.
    """
    if not _TYPES_END.search(syntax.units):
        return []
    operators = [node.child_by_field_name("operator") for node in find_all(syntax.root, _BINARY)]
    found: list[_Patch] = []
    done = 0
    for first in sorted(start(each) for each in operators if each and each.type in ("<", "<<")):
        last = _types_end(syntax.units, first + 1) if first >= done else None
        if last is not None:
            found.append((first, last, " " * (last - first)))
            done = last
    return found


def _types_end(units: str, first: int) -> int | None:
    """Where types end that begin at an offset, behind their `>`."""
    for each in islice(_TYPES_END.finditer(units, first, first + _NEAR), _MOST_SITES):
        types = _IMPORT.sub(lambda found: _name(found.group()), units[first : each.start()])
        if types.strip() and not _LOGIC.search(types) and not parse(f"let _: [{types}];").broken:
            return each.start() + 1
    return None


def _misread(syntax: Syntax) -> list[_Patch]:
    units = syntax.units
    patches = [
        # A type ends with its line; a bracket on the next line belongs to a new statement.
        (at, at + 1, ";")
        for found in _BRACKET_BELOW.finditer(units)
        if (at := _type_end(syntax, found.end() - 1)) is not None and units[at].isspace()
    ]
    if "static" in units:
        # The word belongs to the member on the next line.
        patches += [(*found.span(1), " ") for found in _STATIC_ABOVE.finditer(units)]
    if " as " in units or "satisfies" in units:
        patches += [
            (*found.span(), _JOINT.sub("$", found.group()))
            for found in _DOTTED.finditer(units)
            if _of_cast(syntax, units.rindex(".", *found.span()))
        ]
    return patches


def _of_cast(syntax: Syntax, dot: int) -> bool:
    """The end of a name such as `A.B.C` was read as a member of what was cast to `A.B`."""
    member = _token(syntax, dot)
    target = member.child_by_field_name("object") if member is not None else None
    return target is not None and target.type in _CASTS


def _kind_at(syntax: Syntax, offset: int) -> str:
    node = syntax.root.descendant_for_byte_range(offset * 2, offset * 2 + 2)
    return node.type if node is not None else ""


def _token(syntax: Syntax, offset: int) -> Node | None:
    """What the one-character token at an offset is part of."""
    node = syntax.root.descendant_for_byte_range(offset * 2, offset * 2 + 2)
    return node.parent if node is not None else None


def _type_end(syntax: Syntax, offset: int) -> int | None:
    """Where the type ends of which a bracket or template further down was read as a part, or as
    a call of what `as` and that type gave."""
    parent = _token(syntax, offset)
    if parent is None:
        return None
    if parent.type in ("lookup_type", "array_type"):
        return end(parent.children[0])
    call = parent if parent.type == "call_expression" else parent.parent
    called = call.child_by_field_name("function") if call is not None else None
    if called is None or call is None:
        return None
    queried = call.parent is not None and call.parent.type == "type_query"
    return end(called) if queried or called.type in _CASTS else None


def _error_offset(syntax: Syntax) -> int:
    found = first_error(syntax)
    return start(found[0]) if found is not None else end(syntax.root)
