"""What is wrong with a value, in words by which a model can mend its call.

Every problem names its place, what came and what is allowed. A message quotes at most 40
characters of the one value that is wrong, and nothing of a value that looks like a secret: the
text goes to a model and into logs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, cast

from toolscript.contract.nearest import nearest
from toolscript.errors import ToolError

Path = tuple[str | int, ...]

QUOTED_CHARS = 40
_NAME_CHARS = 80
"""An identifier in a path is whole up to this length."""
_MOST_STEPS = 40
_ENDS_SHOWN = 12
_MOST_GIVEN = 100
"""Given properties that are compared with a missing one."""
_MOST_PROBLEMS = 8
_MOST_KEYS = 40
_MOST_CHOICES = 12
_SECRET_NAME = re.compile(
    r"pass(word|wd|phrase)|secret|token(?!s)|api_?key|credential|authorization|private_?key|cookie",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    `path` leads to the value, or for `missing` and `unknown` to the property itself. `keys` are
    the properties that are accepted beside it, where that helps.
    """

    path: Path
    message: str
    kind: Literal["missing", "unknown", "value"] = "value"
    keys: tuple[str, ...] = ()


def path_text(path: Sequence[str | int], root: str = "") -> str:
    """A path as a script would write it: `rows[3].when`, `user["first-name"]`; long ones are cut."""
    if len(path) > _MOST_STEPS:
        end = path_text(path[-_ENDS_SHOWN:])
        return f"{path_text(path[:_ENDS_SHOWN], root)}…{end}"
    text = root
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif len(step) <= _NAME_CHARS and _IDENTIFIER.match(step):
            text += f".{step}" if text else step
        else:
            quoted = json.dumps(_shortened(step), ensure_ascii=False)
            text += f"[{quoted}]" if text else quoted
    return text


def quote(value: Any, path: Sequence[str | int] = (), *, secret: bool = False) -> str:
    """What came: a short value as JSON, anything else by its kind."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    hidden = secret or _SECRET_NAME.search(name) is not None
    if isinstance(value, str):
        if hidden:
            return "a string"
        cut = value[:QUOTED_CHARS]
        text = json.dumps(cut, ensure_ascii=False)
        return f'{text[:-1]}…"' if len(value) > QUOTED_CHARS else text
    if isinstance(value, int | float):
        return "a number" if hidden else number_text(value)
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "an array"
    return f"a Python {type(value).__name__}"


def is_secret(schema: Any) -> bool:
    """Whether a schema says that its values are not to be shown."""
    if not isinstance(schema, Mapping):
        return False
    node = cast("Mapping[str, Any]", schema)
    if node.get("format") == "password" or node.get("writeOnly") is True:
        return True
    branches = [node.get(word) for word in ("anyOf", "oneOf", "allOf")]
    return any(
        is_secret(branch)
        for listed in branches
        if isinstance(listed, list)
        for branch in cast("list[Any]", listed)
    )


def number_text(value: int | float) -> str:
    """A number in at most `QUOTED_CHARS` characters."""
    if isinstance(value, int):
        if abs(value) >= 10**QUOTED_CHARS:
            # Printing a huge int takes quadratic time; its size says enough.
            digits = int(math.log10(2) * value.bit_length()) + 1
            return f"an integer of about {digits} digits"
        return str(value)
    return repr(value)


def choices_text(values: Sequence[Any]) -> str:
    """`"a", "b" or "c"`, cut where there are many."""
    words = [
        _shortened(json.dumps(value, ensure_ascii=False, default=str))
        for value in values[:_MOST_CHOICES]
    ]
    if len(values) > _MOST_CHOICES:
        return f"{', '.join(words)}, … ({len(values)} in all)"
    return either(words)


def either(words: Sequence[str]) -> str:
    """`a, b or c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} or {words[-1]}"


def unknown_property(path: Path, names: Iterable[str], keys: tuple[str, ...]) -> Problem:
    """A property that is not accepted, with the nearest of the `names` that are.

    `keys` are the same names as the message lists them.
    """
    close = nearest(str(path[-1]), names, limit=1)
    hint = f" (did you mean {json.dumps(close[0], ensure_ascii=False)}?)" if close else ""
    return Problem(path, f"is not an accepted property{hint}", "unknown", keys)


def missing_property(
    path: Path, keys: tuple[str, ...], allowed: str = "", given: Iterable[str] = ()
) -> Problem:
    """A required property that is not there, with a given one that may have been meant."""
    close = nearest(str(path[-1]), islice(given, _MOST_GIVEN), limit=1)
    seen = f", you passed {json.dumps(_shortened(close[0]), ensure_ascii=False)}" if close else ""
    return Problem(path, f"is missing{f' ({allowed})' if allowed else ''}{seen}", "missing", keys)


def tool_error(
    problems: Sequence[Problem], code: Literal["invalid_args", "invalid_result"]
) -> ToolError:
    """The error that a call fails with; `details` lists the problems by path."""
    shown = sorted(problems, key=_order)
    rest = len(shown) - _MOST_PROBLEMS
    del shown[_MOST_PROBLEMS:]
    whole = "the argument" if code == "invalid_args" else "the result"
    sentences = [f"{path_text(one.path) or whole} {one.message}" for one in shown]
    if rest > 0:
        sentences.append(f"and {rest} more")
    title = "invalid arguments" if code == "invalid_args" else "the tool returned a wrong result"
    message = f"{title}: {'; '.join(sentences)}"
    if code == "invalid_args":
        message += "".join(f". {line}" for line in _accepted_lines(shown))
    details = {
        "problems": [{"path": path_text(one.path, "$"), "message": one.message} for one in shown]
    }
    return ToolError(message, code=code, details=details)


def _order(one: Problem) -> tuple[int, list[tuple[int, str]]]:
    """What is missing first, then what is unknown; items of lists by their number."""
    kinds = ("missing", "unknown", "value")
    steps = [(step, "") if isinstance(step, int) else (-1, step) for step in one.path]
    return kinds.index(one.kind), steps


def _accepted_lines(problems: Sequence[Problem]) -> list[str]:
    """`Accepted: q, n?` for each object in which a property is missing or unknown."""
    lines: dict[str, None] = {}
    for one in problems:
        if one.kind == "value" or not one.keys:
            continue
        where = path_text(one.path[:-1])
        names = [_shortened(key) for key in one.keys[:_MOST_KEYS]]
        more = ", …" if len(one.keys) > _MOST_KEYS else ""
        lines[f"Accepted{f' in {where}' if where else ''}: {', '.join(names)}{more}"] = None
    return list(lines)


def _shortened(text: str) -> str:
    return text if len(text) <= QUOTED_CHARS else f"{text[:QUOTED_CHARS]}…"
