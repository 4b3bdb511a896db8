"""Shapes of given values: `const`, `enum`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from toolscript.contract.shape import UNKNOWN, ObjectOf, Property, Shape, Tuple, exactly

_DEPTH: Final = 24
"""Levels of a value that a type spells out."""


def constant(value: Any, depth: int = 0) -> Shape:
    """The shape of exactly this JSON value."""
    if value is None or isinstance(value, str | int | float | bool):
        return exactly(value)
    if depth >= _DEPTH:
        return UNKNOWN
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return Tuple(tuple(constant(item, depth + 1) for item in items), len(items), None)
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value)
        return ObjectOf(
            {
                str(name): Property(constant(member, depth + 1), required=True)
                for name, member in members.items()
            },
            closed=True,
        )
    return UNKNOWN
