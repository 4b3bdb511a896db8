"""Text from strangers made safe to stand in a comment or in a string of a declaration."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

TOOL_DESCRIPTION_CHARS: Final = 2_000
"""Most characters of a tool's description that a declaration shows."""

PROPERTY_DESCRIPTION_CHARS: Final = 500
"""Most characters of a property's description that a declaration shows."""

_LINE_BREAKS: Final = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")
_BLANK: Final = re.compile(r"[ \t\u00a0]+")
# TypeScript obeys @ts-ignore and @ts-expect-error inside comments; a description must not.
_DIRECTIVE: Final = re.compile(r"@(?=ts-)")
_UNPRINTABLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Joiners are part of how emoji and some scripts are written, and cannot reorder or end text.
_JOINERS: Final = frozenset("\u200c\u200d")


def clean_lines(text: str, max_chars: int) -> list[str]:
    """The text as comment lines: no control, bidirectional or surrogate characters, no `*/`.

    Blank lines are dropped, and text beyond `max_chars` is replaced by `…`.
    """
    # A description may be megabytes long; what follows need not look at all of it.
    lines: list[str] = []
    left = max_chars
    for raw in _LINE_BREAKS.split(text[: max_chars * 4]):
        line = _BLANK.sub(" ", "".join(filter(_printable, raw.replace("\t", " ")))).strip()
        line = _DIRECTIVE.sub("", line).replace("*/", "*\\/")
        if not line:
            continue
        if len(line) > left:
            lines.append(f"{line[: max(left - 1, 0)].rstrip()}…")
            return lines
        lines.append(line)
        left -= len(line)
    return lines


def clean_line(text: str, max_chars: int) -> str:
    """The text as one comment line."""
    return " ".join(clean_lines(text, max_chars))


def doc_comment(lines: list[str]) -> list[str]:
    """The lines, already clean, as a JSDoc comment; nothing for no lines."""
    if not lines:
        return []
    if len(lines) == 1:
        return [f"/** {lines[0]} */"]
    return ["/**", *(f" * {line}" for line in lines), " */"]


def quote(text: str) -> str:
    """The text as a TypeScript string literal that reads the same in any editor or terminal."""
    return "".join(_escaped(char) for char in json.dumps(text, ensure_ascii=False))


def _printable(char: str) -> bool:
    return unicodedata.category(char) not in _UNPRINTABLE or char in _JOINERS


def _escaped(char: str) -> str:
    if char.isascii() or (_printable(char) and char not in "\u2028\u2029"):
        # DEL is the one ASCII control character that JSON leaves as it is.
        return char if char != "\x7f" else "\\u007f"
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"
