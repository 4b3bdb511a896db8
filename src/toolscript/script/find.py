"""Finds the program in what a model wrote: fences, prose, tags and escapes around it.

The parser decides. Text that is a program as it stands is left alone, whatever is inside its
strings and comments; only then the ways in which models wrap a program are tried.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolscript.script.edits import LINE_ENDS, PositionMap
from toolscript.script.repair import read
from toolscript.script.syntax import TEXTS, Syntax

_FENCE: Final = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\n`]*?)[ \t]*\r?$", re.MULTILINE)
_ONE_LINE: Final = re.compile(r"^[ \t]*(`{3,})[ \t]*(.*?[^`\s])[ \t]*`{3,}[ \t]*\r?$", re.MULTILINE)
_SCRIPT_WORDS: Final = frozenset(
    [
        "js",
        "javascript",
        "ts",
        "typescript",
        "jsx",
        "tsx",
        "mjs",
        "cjs",
        "mts",
        "cts",
        "es6",
        "es",
        "ecmascript",
        "node",
    ]
)
_TAG_BEFORE: Final = re.compile(r"\s*<(?:code|script|typescript|javascript|tool_code)\b[^<>]*>")
_TAG_AFTER: Final = re.compile(r"</?[A-Za-z_]*>?\s*$")
_MOST_TRIES: Final = 24


@dataclass(frozen=True, slots=True)
class Found:
    """The program, in a text of code units where everything else is blank.

    `first` and `last` bound it. `unescaped` tells that the text had to be freed from one level
    of escapes; `back` then leads to the text that the model wrote.
    """

    units: str
    first: int
    last: int
    back: PositionMap | None = None


def blank_outside(units: str, first: int, last: int) -> str:
    """`units` with spaces instead of everything outside of a range; line ends stay."""
    if first == 0 and last == len(units):
        return units
    return _blank(units[:first]) + units[first:last] + _blank(units[last:])


def _blank(text: str) -> str:
    return "".join(char if char in LINE_ENDS else " " for char in text)


def find_program(units: str) -> tuple[Found, Syntax]:
    """The program in a text, and its tree. A text without one is taken whole."""
    if units.startswith("\ufeff"):
        units = " " + units[1:]
    whole = Found(units, 0, len(units))
    syntax = read(units)
    marks = list(_FENCE.finditer(units)) or list(_ONE_LINE.finditer(units))
    if marks and (syntax.broken or not all(_inside_text(syntax, each) for each in marks)):
        return _fenced(units, syntax)
    if syntax.broken:
        for found in (_without_tags(units), _unescaped(units)):
            if found is not None and not (other := read(found.units)).broken:
                return found, other
    return whole, syntax


def _inside_text(syntax: Syntax, mark: re.Match[str]) -> bool:
    first, last = mark.span(1)
    node = syntax.root.descendant_for_byte_range(first * 2, last * 2)
    return node is not None and node.type in TEXTS


@dataclass(frozen=True, slots=True)
class _Block:
    first: int
    last: int
    word: str
    closed: bool


def _fenced(units: str, whole: Syntax) -> tuple[Found, Syntax]:
    blocks = _blocks(units)
    scripts = [each for each in blocks if each.word in _SCRIPT_WORDS]
    plain = [each for each in blocks if not each.word]
    ordered = [
        *(each for each in reversed(scripts) if each.closed),
        *(each for each in reversed(plain) if each.closed),
        *(each for each in reversed((*scripts, *plain)) if not each.closed),
    ]
    for block in ordered[:_MOST_TRIES]:
        if not units[block.first : block.last].strip():
            continue
        text = blank_outside(units, block.first, block.last)
        syntax = read(text)
        if not syntax.broken:
            return Found(text, block.first, block.last), syntax
    if not whole.broken and not ordered:
        return Found(units, 0, len(units)), whole
    # Nothing parses: report on the block that was most likely meant.
    block = next(iter(ordered or blocks))
    text = blank_outside(units, block.first, block.last)
    return Found(text, block.first, block.last), read(text)


def _blocks(units: str) -> list[_Block]:
    """Every fenced block, and after a block that does not end, what reaches to the end."""
    found: list[_Block] = []
    marks = list(_FENCE.finditer(units))
    at = 0
    while at < len(marks):
        mark = marks[at]
        closing = _closings(marks, at)
        word = mark.group(2).split(" ")[0].split("{")[0].strip().lower()
        first = min(mark.end() + 1, len(units))
        if not closing:
            found.append(_Block(first, len(units), word, closed=False))
            break
        found.append(_Block(first, marks[closing[0]].start(), word, closed=True))
        # A fence inside of the program's own text: the block may end at a later one.
        found.extend(
            _Block(first, marks[later].start(), word, closed=True) for later in closing[1:4]
        )
        at = closing[0] + 1
    for mark in _ONE_LINE.finditer(units):
        word = mark.group(2).split(" ")[0].lower()
        first = mark.start(2) + (len(word) if word in _SCRIPT_WORDS else 0)
        found.append(_Block(first, mark.end(2), "js", closed=True))
    return found


def _closings(marks: list[re.Match[str]], at: int) -> list[int]:
    opening = marks[at].group(1)
    return [
        index
        for index in range(at + 1, len(marks))
        if not marks[index].group(2)
        and marks[index].group(1)[0] == opening[0]
        and len(marks[index].group(1)) >= len(opening)
    ][:4]


def _without_tags(units: str) -> Found | None:
    before, after = _TAG_BEFORE.match(units), _TAG_AFTER.search(units)
    first = before.end() if before else 0
    last = after.start() if after else len(units)
    if first >= last or (before is None and after is None):
        return None
    return Found(blank_outside(units, first, last), first, last)


_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/", "'": "'"}


def _unescaped(units: str) -> Found | None:
    """A text that was written as the inside of a JSON string, once more than it should be."""
    if "\\n" not in units and '\\"' not in units:
        return None
    parts: list[str] = []
    starts, origins = [0], [0]
    done = length = 0
    at = units.find("\\")
    while 0 <= at < len(units) - 1:
        plain = _ESCAPES.get(units[at + 1])
        if plain is not None:
            parts += (units[done:at], plain)
            length += at - done + 1
            done = at + 2
            starts.append(length)
            origins.append(done)
        at = units.find("\\", at + 2)
    parts.append(units[done:])
    text = "".join(parts)
    back = PositionMap(tuple(starts), tuple(origins), (False,) * len(starts))
    return Found(text, 0, len(text), back)
