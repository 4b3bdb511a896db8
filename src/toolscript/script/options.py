"""The options line: a first line `// @options: {"timeout_ms": 5000}` of a script (seed 004)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, cast

from toolscript.errors import SourceError

SOURCE_OPTIONS_PREFIX: Final = "// @options:"
"""How the options line of a script begins."""

SOURCE_GRAMMAR: Final = r"""
start: options_line? code
options_line: OPTIONS NEWLINE
code: CODE

OPTIONS: /[ \t]*\/\/ @options:[^\r\n]*/
NEWLINE: /\r?\n/
CODE: /(.|\n)+/
""".strip()
"""Lark grammar of a script, for providers that constrain the input of a tool by a grammar.

It fixes the shape of the options line only; `parse_source` checks the JSON in it."""

_LARGEST_TIMEOUT_MS: Final = 2_147_483_647
_LARGEST_TOKENS: Final = 9_007_199_254_740_991
_LINE_END: Final = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_BLANK: Final = " \t\v\f\ufeff\u00a0"


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What the options line asks for; None where it says nothing. It may only lower limits.

    `timeout_ms` bounds the whole run in milliseconds, `max_output_tokens` what the model reads
    back.
    """

    timeout_ms: int | None = None
    max_output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """A script and its options. In `code` the options line is an empty line."""

    code: str
    options: SourceOptions


def parse_source(text: str) -> ParsedSource:
    """Split the optional first line `// @options: {...}` from a script.

    Raises:
        SourceError: for a script without code, and for options that are no JSON object of the
            known names and ranges, or that are not on the first line.
    """
    end = _LINE_END.search(text)
    first = text[: end.start()] if end else text
    rest = text[end.start() :] if end else ""
    _refuse_later_options(text, end.end() if end else len(text))
    head = first.strip(_BLANK)
    options = SourceOptions()
    code = text
    if head.startswith(SOURCE_OPTIONS_PREFIX):
        options = _read(head.removeprefix(SOURCE_OPTIONS_PREFIX))
        code = rest
    if not code.strip(_BLANK + "\r\n\u2028\u2029"):
        raise SourceError(
            "the script is empty; write the JavaScript or TypeScript that should run"
            + (" below the options line" if code is not text else "")
        )
    return ParsedSource(code, options)


def _refuse_later_options(text: str, start: int) -> None:
    at = text.find(SOURCE_OPTIONS_PREFIX, start)
    while at >= 0:
        line_start = max(text.rfind(end, 0, at) for end in "\n\r\u2028\u2029") + 1
        if not text[line_start:at].strip(_BLANK):
            line = len(_LINE_END.findall(text, 0, at)) + 1
            raise SourceError(
                f"line {line}: {SOURCE_OPTIONS_PREFIX} must be the first line of the script"
            )
        at = text.find(SOURCE_OPTIONS_PREFIX, at + 1)


def _read(text: str) -> SourceOptions:
    example = f'{SOURCE_OPTIONS_PREFIX} {{"timeout_ms": 5000, "max_output_tokens": 2000}}'
    try:
        value: Any = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise SourceError(f"line 1: the options are not a JSON object; write {example}") from None
    if not isinstance(value, dict):
        raise SourceError(f"line 1: the options must be a JSON object; write {example}")
    found = cast(dict[str, Any], value)
    for name in found:
        if name not in ("timeout_ms", "max_output_tokens"):
            raise SourceError(
                f"line 1: there is no option {name[:40]!r}; "
                "the options are timeout_ms and max_output_tokens"
            )
    return SourceOptions(
        _whole(found, "timeout_ms", 1, _LARGEST_TIMEOUT_MS),
        _whole(found, "max_output_tokens", 0, _LARGEST_TOKENS),
    )


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _whole(found: dict[str, Any], name: str, least: int, most: int) -> int | None:
    if name not in found:
        return None
    value = found[name]
    # JSON has one kind of number: 5.0 is the whole number 5.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise SourceError(f"line 1: {name} must be a whole number from {least} to {most}")
    return value
