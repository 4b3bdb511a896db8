"""Finds the program in what a model wrote: fences, prose, tags and escapes around it.

The parser decides. Text that is a program as it stands is left alone, whatever is inside its
strings and comments; only then the ways in which models wrap a program are tried.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolscript.script.edits import PositionMap, blank
from toolscript.script.repair import read
from toolscript.script.syntax import TEXTS, Syntax
from toolscript.script.text import words

_SCRIPT_WORDS: Final = words(
    """
    js javascript ts typescript jsx tsx mjs cjs mts cts es6 es ecmascript node
    """
)
_TAG_BEFORE: Final = re.compile(r"<(?:code|script|typescript|javascript|tool_code)\b[^<>]*>")
_TAG_AFTER: Final = re.compile(r"</?[A-Za-z_]*>?")
_MOST_FENCES: Final = 200
_MOST_ENDINGS: Final = 4
_MOST_PARSED: Final = 1_000_000


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
    return blank(units[:first]) + units[first:last] + blank(units[last:])


def find_program(units: str) -> tuple[Found, Syntax]:
    """The program in a text, and its tree. A text without one is taken whole."""
    if units.startswith("\ufeff"):
        units = " " + units[1:]
    whole = Found(units, 0, len(units))
    syntax = read(units)
    fences = _fences(units) if "```" in units or "~~~" in units else []
    if fences and (syntax.broken or not all(_inside_text(syntax, each) for each in fences)):
        return _fenced(units, fences, syntax)
    if syntax.broken:
        for found in (_without_tags(units), _unescaped(units)):
            if found is not None and not (other := read(found.units)).broken:
                return found, other
    return whole, syntax


@dataclass(frozen=True, slots=True)
class _Fence:
    """A line that begins with a fence: `mark` from `first` on, `info` behind it.

    `line` and `after` are where the line begins and where the next one does. `closes` tells that
    a fence ends the line as well.
    """

    line: int
    first: int
    after: int
    mark: str
    info: str
    closes: bool


def _fences(units: str) -> list[_Fence]:
    found: list[_Fence] = []
    at = 0
    while at < len(units):
        stop = units.find("\n", at)
        after = len(units) if stop < 0 else stop + 1
        text = units[at:after].strip()
        if text.startswith(("```", "~~~")):
            rest = text.lstrip(text[0])
            closes = bool(rest) and rest.endswith(text[0] * 3)
            if text[0] not in rest or closes:
                first = units.index(text[0], at)
                mark = text[: len(text) - len(rest)]
                found.append(_Fence(at, first, after, mark, rest.strip(), closes))
        at = after
    return found[-_MOST_FENCES:]


def _inside_text(syntax: Syntax, fence: _Fence) -> bool:
    first, last = fence.first, fence.first + len(fence.mark)
    node = syntax.root.descendant_for_byte_range(first * 2, last * 2)
    return node is not None and node.type in TEXTS


@dataclass(frozen=True, slots=True)
class _Block:
    first: int
    last: int
    word: str
    closed: bool


def _fenced(units: str, fences: list[_Fence], whole: Syntax) -> tuple[Found, Syntax]:
    blocks = _blocks(units, fences)
    scripts = [each for each in blocks if each.word in _SCRIPT_WORDS]
    plain = [each for each in blocks if not each.word]
    ordered = [
        *(each for each in reversed(scripts) if each.closed),
        *(each for each in reversed(plain) if each.closed),
        *(each for each in reversed((*scripts, *plain)) if not each.closed),
    ]
    for block in ordered[: max(4, _MOST_PARSED // (len(units) + 1))]:
        if not units[block.first : block.last].strip():
            continue
        text = blank_outside(units, block.first, block.last)
        syntax = read(text)
        inner = [each for each in fences if block.first <= each.first < block.last]
        if not syntax.broken and all(_inside_text(syntax, each) for each in inner):
            return Found(text, block.first, block.last), syntax
    if not whole.broken and not ordered:
        return Found(units, 0, len(units)), whole
    # Nothing parses: report on the block that was most likely meant.
    block = next(iter(ordered or blocks))
    text = blank_outside(units, block.first, block.last)
    return Found(text, block.first, block.last), read(text)


def _blocks(units: str, fences: list[_Fence]) -> list[_Block]:
    """Every fenced block; the last one may reach to the end of the text."""
    found: list[_Block] = []
    at = 0
    while at < len(fences):
        fence = fences[at]
        word = _word(fence)
        if fence.closes:
            found.append(_one_line(units, fence))
            at += 1
            continue
        closing = _closings(fences, at)
        if not closing:
            found.append(_Block(fence.after, len(units), word, closed=False))
            break
        # A fence inside of the program's own text: the block may end at a later one.
        for index in reversed(closing):
            found.append(_Block(fence.after, fences[index].line, word, closed=True))
        at = closing[0] + 1
    # A block that says what it is counts also where an earlier one swallowed it.
    for at, fence in enumerate(fences):
        word = _word(fence)
        if word in _SCRIPT_WORDS and not fence.closes:
            for index in _closings(fences, at)[:1]:
                found.append(_Block(fence.after, fences[index].line, word, closed=True))
    return found


def _word(fence: _Fence) -> str:
    """The language that a fence names."""
    return fence.info.split(" ")[0].split("{")[0].strip().lower()


def _closings(fences: list[_Fence], at: int) -> list[int]:
    """The fences that could end the block that begins at one, the likeliest first."""
    opening = fences[at].mark
    found: list[int] = []
    for index in range(at + 1, len(fences)):
        fence = fences[index]
        if not fence.info and fence.mark[0] == opening[0] and len(fence.mark) >= len(opening):
            found.append(index)
            if len(found) == _MOST_ENDINGS:
                break
    # Where nothing ends it properly, a fence with words behind it does.
    later = [index for index in range(at + 1, len(fences)) if fences[index].mark == opening]
    return found or later[:1]


def _one_line(units: str, fence: _Fence) -> _Block:
    """A block that begins and ends on one line."""
    last = units.rindex(fence.mark[0] * 3, fence.first, fence.after)
    first = fence.first + len(fence.mark)
    word = units[first:last].strip().split(" ")[0].lower()
    if word in _SCRIPT_WORDS:
        first = units.lower().index(word, first) + len(word)
    return _Block(first, last, "js", closed=True)


def _without_tags(units: str) -> Found | None:
    text = units.strip()
    first = units.index(text) if text else 0
    last = first + len(text)
    before = _TAG_BEFORE.match(text)
    tail = text.rfind("<")
    after = _TAG_AFTER.fullmatch(text, tail) if tail >= 0 else None
    if before is not None:
        first += before.end()
    if after is not None:
        last -= len(after.group())
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
