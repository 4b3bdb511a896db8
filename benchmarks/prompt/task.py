"""What a task of the experiment is, and when an answer to it is right."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

Data = dict[str, Any]
Paper = Literal["retail", "github", "github_discovery"]


@dataclass(frozen=True, slots=True)
class Task:
    """A question as a user asks it.

    `expected` answers it from the data alone, without a tool, and changes the data as the task
    asks; what a script returns and leaves behind has to be the same.
    """

    id: str
    paper: Paper
    text: str
    expected: Callable[[Data], Any]


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; numbers may differ by half a cent."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, abs_tol=0.005)
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    if isinstance(one, list) and isinstance(other, list):
        rows, others = cast("list[Any]", one), cast("list[Any]", other)
        return len(rows) == len(others) and all(map(same, rows, others))
    return cast("bool", one == other)
