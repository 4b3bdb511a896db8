"""Values that commands take from the command line or from files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


class ArgumentValueError(Exception):
    """A file that cannot be read, or text that is not JSON."""


def read_script(place: str) -> str:
    """The script in a file, or on standard input for `-`."""
    if place == "-":
        return sys.stdin.read()
    return _read(Path(place), "the script")


def read_input(argument: str) -> Any:
    """Program input: JSON text, or `@file` for a file that holds it."""
    text = _read(Path(argument[1:]), "the input") if argument.startswith("@") else argument
    try:
        return json.loads(text)
    except ValueError as error:
        raise ArgumentValueError(
            f"--input is no JSON: {error}. Write JSON, such as --input '{{\"id\": 1}}', "
            "or @file for a file that holds it"
        ) from error


def _read(path: Path, what: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ArgumentValueError(f"{what} cannot be read: {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArgumentValueError(f"{what} is no UTF-8 text: {path}: {error.reason}") from error
