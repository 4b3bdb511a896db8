"""Which property of a tool's result a script meant, where it read one that does not exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, cast

from toolscript.contract.nearest import nearest
from toolscript.result import Call, RunError
from toolscript.script.members import returned_property, undefined_member
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
    near = nearest(wanted, names, limit=1)
    shapes = [f"{tool} returned {shape_of(result)}" for tool, result in results.items()]
    return "; ".join(
        [
            f"`{text}` is undefined: nothing that a tool returned has a `{wanted}`"
            + (f", did you mean `{near[0]}`?" if near else ""),
            *shapes[-_MOST_SHAPES:],
        ]
    )


def with_meant_property(error: RunError, source: str, calls: Iterable[Call]) -> RunError:
    """An error of `x.name.other` with the name that the results of the tools have instead."""
    if error.name != "TypeError" or error.line is None:
        return error
    undefined = undefined_member(
        source, message=error.message, line=error.line, column=error.column
    )
    if undefined is None:
        return error
    text, wanted = undefined
    known = [(call.tool, set(_names(call.result, _DEPTH))) for call in calls if call.status == "ok"]
    names = {name for _, found in known for name in found}
    near = nearest(wanted, names, limit=1)
    if not near or wanted in names:
        return error
    giver = next(tool for tool, found in reversed(known) if near[0] in found)
    hint = f"`{text}` is undefined; did you mean `{near[0]}`, which {giver} returned?"
    return replace(error, hint=hint)


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
