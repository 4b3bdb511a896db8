"""Finds brackets, strings and comments that do not end, and says which one it was.

The parser knows that something is wrong with a text, but rarely where it began. This scan knows
nothing of grammar: it pairs brackets and skips what is text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolscript.script.edits import LINE_ENDS
from toolscript.script.text import words

_CLOSES: Final = {")": "(", "]": "[", "}": "{"}
# Words after which a slash begins a regular expression, not a division.
_OPERATOR_WORDS: Final = words(
    """
    return typeof case in of delete void throw new do else await yield instanceof
    """
)
_CONDITION_WORDS: Final = frozenset(["if", "while", "for", "with"])

_STRING_HINT: Final = (
    "write a quote inside of a string as \\' or \\\", or put a text with quotes or several lines "
    "between backticks"
)


@dataclass(frozen=True, slots=True)
class Unbalanced:
    """`offset` is the place to show; `opened` that of the bracket it belongs to, if any."""

    offset: int
    message: str
    opened: int | None = None
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Open:
    bracket: str  # one of ( [ { or ` for a template, $ for a substitution in one
    offset: int
    condition: bool = False


def find_unbalanced(units: str) -> Unbalanced | None:
    """The first bracket, string, template or comment of a text that does not end properly."""
    return _Scan(units).run()


class _Scan:
    def __init__(self, units: str):
        self.units = units
        self.at = 0
        self.open: list[_Open] = []
        self.word = ""
        self.operand = False  # the token before is a value: a slash divides

    def run(self) -> Unbalanced | None:
        units, size = self.units, len(self.units)
        while self.at < size:
            if self.open and self.open[-1].bracket == "`":
                self._template()
                continue
            char = units[self.at]
            problem = None
            if char.isspace() or char == "\ufeff":
                self.at += 1
            elif char in "\"'":
                problem = self._string(char)
            elif char == "`":
                self.open.append(_Open("`", self.at))
                self.at += 1
            elif char in "([{":
                condition = char == "(" and self.word in _CONDITION_WORDS
                self._push(char, condition)
            elif char in ")]}":
                problem = self._close(char)
            elif char == "/":
                problem = self._slash()
            elif char.isalnum() or char in "_$\\#@" or char > "\x7f":
                self._name()
            else:
                self._after("", operand=False)
                self.at += 1
            if problem is not None:
                return problem
        return self._never_closed()

    def _after(self, word: str, *, operand: bool) -> None:
        self.word, self.operand = word, operand

    def _push(self, bracket: str, condition: bool) -> None:
        self.open.append(_Open(bracket, self.at, condition))
        self._after("", operand=False)
        self.at += 1

    def _name(self) -> None:
        units, first = self.units, self.at
        while self.at < len(units) and (
            units[self.at].isalnum() or units[self.at] in "_$\\#@" or units[self.at] > "\x7f"
        ):
            self.at += 1
        word = units[first : self.at]
        after_dot = units[:first].rstrip().endswith(".") if word in _OPERATOR_WORDS else False
        self._after(word, operand=after_dot or word not in _OPERATOR_WORDS)

    def _string(self, quote: str) -> Unbalanced | None:
        units, first = self.units, self.at
        at = first + 1
        while at < len(units):
            char = units[at]
            if char == "\\":
                at += 3 if units.startswith("\r\n", at + 1) else 2
            elif char == quote:
                self.at = at + 1
                self._after("", operand=True)
                return None
            elif char in "\n\r":
                break
            else:
                at += 1
        message = f"the string that begins with {quote} does not end on its line"
        return Unbalanced(first, message, hint=_STRING_HINT)

    def _template(self) -> None:
        units, at = self.units, self.at
        while at < len(units):
            if units[at] == "\\":
                at += 2
            elif units[at] == "`":
                self.open.pop()
                self.at = at + 1
                self._after("", operand=True)
                return
            elif units.startswith("${", at):
                self.open.append(_Open("$", at))
                self.at = at + 2
                self._after("", operand=False)
                return
            else:
                at += 1
        self.at = len(units)

    def _close(self, char: str) -> Unbalanced | None:
        wanted = _CLOSES[char]
        if not self.open:
            return Unbalanced(self.at, f"`{char}` closes nothing")
        last = self.open.pop()
        if last.bracket != wanted and not (last.bracket == "$" and char == "}"):
            shown = "${" if last.bracket == "$" else last.bracket
            return Unbalanced(
                self.at, f"`{char}` does not close `{shown}`, the last open bracket", last.offset
            )
        self.at += 1
        begins_statement = (char == "}" and last.bracket == "{") or last.condition
        self._after("", operand=not begins_statement)
        return None

    def _slash(self) -> Unbalanced | None:
        units, first = self.units, self.at
        if units.startswith("//", first):
            while self.at < len(units) and units[self.at] not in LINE_ENDS:
                self.at += 1
            return None
        if units.startswith("/*", first):
            close = units.find("*/", first + 2)
            if close < 0:
                return Unbalanced(first, "the comment that begins with /* is never closed")
            self.at = close + 2
            return None
        if not self.operand:
            self.at = self._regex_end(first)
            self._after("", operand=True)
        else:
            self.at += 1
            self._after("", operand=False)
        return None

    def _regex_end(self, first: int) -> int:
        """Behind a regular expression; behind the slash alone where none ends on the line."""
        units, at, in_class = self.units, first + 1, False
        while at < len(units) and units[at] not in LINE_ENDS:
            char = units[at]
            if char == "\\":
                at += 2
                continue
            if char == "/" and not in_class:
                return at + 1
            in_class = char == "[" or (in_class and char != "]")
            at += 1
        return first + 1

    def _never_closed(self) -> Unbalanced | None:
        if not self.open:
            return None
        last = self.open[-1]
        if last.bracket == "`":
            return Unbalanced(last.offset, "the template that begins with ` is never closed")
        shown = "${" if last.bracket == "$" else last.bracket
        return Unbalanced(last.offset, f"`{shown}` is never closed")
