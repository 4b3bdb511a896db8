"""What a JSON value looks like, in a few words: for a model that guessed wrong."""

from __future__ import annotations

from typing import Any, Final, cast

_MOST_PROPERTIES: Final = 12
_DEPTH: Final = 4


def shape_of(value: Any, depth: int = _DEPTH) -> str:
    """A type-like sketch: `{ ok: boolean; data: { items: Array<{ id: number }> (3) } }`.

    Lists are sketched by their first item, with their length; no value is quoted.
    """
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            items = cast("list[Any]", value)
            if not items:
                return "Array (empty)"
            inner = shape_of(items[0], depth - 1) if depth > 0 else "…"
            return f"Array<{inner}> ({len(items)})"
        case dict():
            return _object(cast("dict[str, Any]", value), depth)
        case _:
            return type(value).__name__


def _object(value: dict[str, Any], depth: int) -> str:
    if not value:
        return "{}"
    if depth <= 0:
        return "{ … }"
    shown = [
        f"{name}: {shape_of(inner, depth - 1)}"
        for name, inner in list(value.items())[:_MOST_PROPERTIES]
    ]
    if len(value) > _MOST_PROPERTIES:
        shown.append(f"… {len(value) - _MOST_PROPERTIES} more")
    return "{ " + "; ".join(shown) + " }"
