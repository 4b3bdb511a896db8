"""Reads the outside cases, and makes of each a test with its id."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.cases.left_out import LEFT_OUT
from tests.conftest import SHARED

Case = dict[str, Any]

PROFILE_OF = {
    "seed0": "contract",
    "torkbot": "contract",
    "seed1": "broker",
    "seed2": "seam",
    "deepseek": "seam",
    "seed3": "constrained",
    "blok": "constrained",
    "seed4": "sandbox",
    "zidane": "sandbox",
    "zidane-seed": "sandbox",
}
"""The profile that judges what a case says of a seed."""


def read_cases(file: str, key: str = "cases") -> list[Case]:
    """The cases of one file; empty where the folder of outside cases is absent."""
    path = SHARED / "cases" / file
    if not path.is_file():
        return []
    found = json.loads(path.read_text(encoding="utf-8"))
    return found if isinstance(found, list) else found[key]


def each_case(
    file: str,
    *,
    key: str = "cases",
    where: Callable[[Case], bool] = lambda case: True,
    name: Callable[[Case], str] = lambda case: case["id"],
) -> Any:
    """Parametrises a test by `case`: every case of a file, with its id.

    Cases in `LEFT_OUT` are expected to fail. Where the folder is absent there is one skipped test.
    """
    return parametrise_cases(
        file, ((name(case), case) for case in read_cases(file, key) if where(case))
    )


def parametrise_cases(file: str, named: Iterable[tuple[str, Any]]) -> Any:
    """`each_case` for cases that were made ready already."""
    found = [pytest.param(case, id=name, marks=_marks(name)) for name, case in named]
    if not found:
        absent = pytest.mark.skip(reason=f"the outside cases are not here: ../shared/cases/{file}")
        found = [pytest.param(None, id="absent", marks=absent)]
    return pytest.mark.parametrize("case", found)


def _marks(name: str) -> list[pytest.MarkDecorator]:
    reason = LEFT_OUT.get(name)
    if reason is None:
        return []
    if reason.startswith("not applicable"):
        return [pytest.mark.skip(reason=reason)]
    return [pytest.mark.xfail(reason=reason, strict=True)]


def same(actual: Any, expected: Any) -> bool:
    """Deep equality of JSON values: unlike `==`, `True` is not `1`; like JSON, `1.0` is `1`."""
    pairs = [(actual, expected)]
    while pairs:
        left, right = pairs.pop()
        if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
            if left is not right:
                return False
        elif isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            pairs += [(left[key], right[key]) for key in left]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pairs += zip(left, right, strict=True)
        elif left != right:
            return False
    return True
