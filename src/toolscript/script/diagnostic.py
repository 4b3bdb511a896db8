"""What is wrong with a script, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from toolscript.errors import ToolscriptError
from toolscript.script.text import Lines, from_units, to_units

Severity = Literal["error", "warning"]

_EXCERPT_WIDTH: Final = 120
_CONTROL: Final = dict.fromkeys((*range(32), *range(127, 160), 8232, 8233), " ")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a script.

    Attributes:
        line, column: where, both from 1, in the model's own source; columns in UTF-16 units.
        code: a stable short name of the rule, such as `syntax` or `TS2339`.
        message: what is wrong.
        excerpt: the line of source, and a caret under the column.
        hint: what to write instead, where that is known.
        severity: a script with an error cannot run; a warning is advice.
    """

    line: int
    column: int
    code: str
    message: str
    excerpt: str = ""
    hint: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        head = f"{self.line}:{self.column} {self.code}: {self.message}"
        return "\n".join(part for part in (head, self.excerpt, self.hint) if part)


class ScriptError(ToolscriptError):
    """The script cannot run as it is; `diagnostics` says why, in order of position."""

    def __init__(self, *diagnostics: Diagnostic):
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics


def excerpt(source: str, line: int, column: int) -> str:
    """The line of `source` at a position, and below it a caret under the column.

    A long line is cut around the column. Empty for a position outside of the source.
    """
    return excerpt_of(Lines(to_units(source)), line, column)


def excerpt_of(lines: Lines, line: int, column: int) -> str:
    """`excerpt` for a text whose lines are known already."""
    if not 1 <= line <= len(lines.starts):
        return ""
    text = lines.line(line)
    at = min(max(column, 1) - 1, len(text))
    start = max(0, at - _EXCERPT_WIDTH // 2) if len(text) > _EXCERPT_WIDTH else 0
    end = min(len(text), start + _EXCERPT_WIDTH)
    shown = ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
    # Tabs stay in front of the caret as well, so that it lines up whatever their width is.
    before = ("…" if start else "") + text[start:at]
    pad = "".join("\t" if char == "\t" else " " for char in from_units(before))
    tab = {**_CONTROL, 9: "\t"}
    return f"{from_units(shown).translate(tab)}\n{pad}^"


def diagnostic_at(
    lines: Lines,
    offset: int,
    code: str,
    message: str,
    *,
    hint: str = "",
    severity: Severity = "error",
) -> Diagnostic:
    """A diagnostic at an offset of a text."""
    line, column = lines.position(offset)
    shown = excerpt_of(lines, line, column)
    return Diagnostic(line, column, code, message, shown, hint, severity)
