"""Why a script that ended well gave nothing: it returned a property that its results do not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, Final, cast

from toolscript.result import Call
from toolscript.script.hints import returned_property
from toolscript.shape import shape_of

_DEPTH: Final = 4
_MOST_SHAPES: Final = 3


def missing_property(source: str, calls: Iterable[Call]) -> str | None:
    """What to tell of a script whose last `return x.name` was undefined, by what its tools gave."""
    returned = returned_property(source)
    if returned is None:
        return None
    results = {call.tool: call.result for call in calls if call.status == "ok"}
    names = {name for result in results.values() for name in _names(result, _DEPTH)}
    text, wanted = returned
    if not names or wanted in names:
        return None
    near = get_close_matches(wanted, names, n=1)
    shapes = [f"{tool} returned {shape_of(result)}" for tool, result in results.items()]
    return "; ".join(
        [
            f"`{text}` is undefined: nothing that a tool returned has a `{wanted}`"
            + (f", did you mean `{near[0]}`?" if near else ""),
            *shapes[-_MOST_SHAPES:],
        ]
    )


def _names(value: Any, depth: int) -> Iterator[str]:
    """The property names of a result; those of the first item stand for a whole list."""
    if depth == 0:
        return
    if isinstance(value, dict):
        for name, inner in cast("dict[str, Any]", value).items():
            yield name
            yield from _names(inner, depth - 1)
    elif isinstance(value, list) and value:
        yield from _names(cast("list[Any]", value)[0], depth - 1)
