"""Values that commands take from the command line or from files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from toolscript import jsontext
from toolscript.render import shorten_string

_SHOWN_CHARS: Final = 80


class ArgumentValueError(Exception):
    """A file that cannot be read, or text that is not JSON."""


def read_script(place: str) -> str:
    """The script in a file, or on standard input for `-`."""
    if place == "-":
        return _from_standard_input()
    return _read(Path(place), "the script")


def read_json(option: str, argument: str) -> Any:
    """The value of an option: JSON text, or `@file` for a file that holds it."""
    text = _read(Path(argument[1:]), f"the file of {option}") if argument[:1] == "@" else argument
    try:
        return jsontext.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArgumentValueError(
            f"{option} is no JSON: {error}, in {shorten_string(text, _SHOWN_CHARS)}; write JSON in "
            "quotes, such as '{\"id\": 1}', or @FILE for a file that holds it"
        ) from error


def _from_standard_input() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise ArgumentValueError(
            f"the script is no UTF-8 text: standard input: {error.reason}"
        ) from error


def _read(path: Path, what: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ArgumentValueError(f"{what} cannot be read: {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArgumentValueError(f"{what} is no UTF-8 text: {path}: {error.reason}") from error
