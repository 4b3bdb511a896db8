"""Python values as JSON text: exact where JSON can hold them, refused with a place where not."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from toolscript.contract.tool import ToolValue
from toolscript.host.values import NotJson, json_text
from toolscript.jsonscan import NESTING

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


class Word(StrEnum):
    YES = "yes"


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Row:
    name: str
    when: date


class Model(BaseModel):
    some_name: int = Field(serialization_alias="someName")
    rows: list[Row] = []


@settings(max_examples=300)
@given(PLAIN)
def test_plain_data_crosses_exactly(value: Any) -> None:
    found = json_text(value)
    assert repr(json.loads(found.text)) == repr(value)
    assert found.size == len(found.text.encode())
    digits = [str(n) for n in _integers(value) if abs(n) > 2**53]
    assert found.bigints == bool(digits)
    assert json.loads(json_text(value, sort_keys=True).text) == value


def _integers(value: Any) -> list[int]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [number for item in items for number in _integers(item)]


@settings(max_examples=200)
@given(PLAIN, st.sampled_from([math.nan, math.inf, object(), len, print, (i for i in "a")]))
def test_the_one_bad_part_is_found_wherever_it_is(value: Any, bad: Any) -> None:
    with pytest.raises(NotJson) as raised:
        json_text({"first": value, "rows": [value, {"a b": bad}]})
    assert str(raised.value).startswith('$.rows[1]["a b"]: ')


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Colour.RED, "red"),
        (Level.LOW, 1),
        (Word.YES, "yes"),
        (Point(1, 2), [1, 2]),
        ((1, (2,)), [1, [2]]),
        ({"b", "a"}, ["a", "b"]),
        (frozenset({2, 1}), [1, 2]),
        (b"\x00\xff", "AP8="),
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
        (timedelta(seconds=90), "PT1M30S"),
        (Decimal("1.10"), "1.10"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (Row("x", date(2026, 1, 2)), {"name": "x", "when": "2026-01-02"}),
        (Model(some_name=1), {"someName": 1, "rows": []}),
        ([Model(some_name=2**60)], [{"someName": 2**60, "rows": []}]),
        ({1: "c", None: "b", 1.5: "d"}, {"1": "c", "null": "b", "1.5": "d"}),
        ({Colour.RED: 1, date(2026, 1, 2): 2}, {"red": 1, "2026-01-02": 2}),
        (ToolValue({"a": ToolValue(1, "inner")}, "outer"), {"a": 1}),
        (range(3), [0, 1, 2]),
        (-0.0, -0.0),
        ("a\ud800b", "a\ud800b"),
    ],
)
def test_what_has_an_obvious_json_form_gets_it(value: Any, expected: Any) -> None:
    for wrapped, wanted in (
        (value, expected),
        ([value], [expected]),
        ({"k": value}, {"k": expected}),
    ):
        found = json_text(wrapped)
        assert json.loads(found.text) == wanted
        found.text.encode()
        # With something in it that the fast way cannot do, all the rest comes out the same.
        slow = json_text({"v": wrapped, "slow": {UUID(int=1): 1}})
        assert json.loads(slow.text)["v"] == wanted


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_is_refused_beside_nulls_too(bad: float) -> None:
    with pytest.raises(NotJson, match=r"^\$\.rows\[1\]: .* has no JSON form"):
        json_text({"none": None, "text": "null", "rows": [1, bad]})
    fine = {"none": None, "rows": [None, (1, None)], "text": "NaN null"}
    assert json.loads(json_text(fine).text) == {**fine, "rows": [None, [1, None]]}


@pytest.mark.parametrize(
    ("number", "bigint"),
    [(2**53, False), (-(2**53), False), (2**53 + 1, True), (-(2**63) - 1, True), (2**64, True)],
)
def test_integers_are_exact_and_those_that_no_double_holds_are_marked(
    number: int, bigint: bool
) -> None:
    found = json_text({"id": number, "text": "9" * 30})
    assert json.loads(found.text)["id"] == number
    assert found.bigints is bigint


def test_a_tool_values_text_is_its_face() -> None:
    assert json_text(ToolValue(1, "one")).face == "one"
    assert json_text([ToolValue(1, "one")]).face is None


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def test_nesting_is_bounded() -> None:
    assert json_text(nested(NESTING)).text.count("[") == NESTING // 2
    for levels in (NESTING + 1, 3_000, 100_000):
        with pytest.raises(NotJson, match="nested deeper"):
            json_text(nested(levels))
    wide = [nested(10) for _ in range(500)]
    assert json.loads(json_text(wide).text) == wide
    brackets = "[" * 5_000
    assert json.loads(json_text([brackets, '"[\\"']).text) == [brackets, '"[\\"']


def test_nesting_is_the_same_deep_in_a_stack() -> None:
    def deeper(frames: int) -> str:
        return json_text(nested(NESTING)).text if frames == 0 else deeper(frames - 1)

    assert deeper(500) == json_text(nested(NESTING)).text


def test_cycles_are_refused_and_shared_parts_are_not() -> None:
    cycle: dict[str, Any] = {}
    cycle["self"] = [cycle]
    with pytest.raises(NotJson, match=r"^\$\.self\[0\]: contains itself"):
        json_text(cycle)
    shared = [1]
    assert json_text([shared, shared]).text == "[[1],[1]]"


def test_a_serialiser_that_fails_names_the_place_and_tells_nothing_else() -> None:
    class Bad(BaseModel):
        def __getattribute__(self, name: str) -> Any:
            if name == "__pydantic_serializer__":
                raise RuntimeError("a secret")
            return super().__getattribute__(name)

    class Awkward:
        @property
        def __dict__(self) -> Any:
            raise RuntimeError("a secret")

    for value in (Bad(), Awkward()):
        with pytest.raises(NotJson) as raised:
            json_text({"x": value})
        assert str(raised.value).startswith("$.x: ")
        assert "a secret" not in str(raised.value)


@pytest.mark.parametrize(
    "value", [{1: "x", "1": "y"}, {"a": [{True: 1, "true": 2}]}, {None: 1, "null": 2}]
)
def test_keys_that_become_the_same_text_lose_nothing_silently(value: Any) -> None:
    with pytest.raises(NotJson, match="two keys become"):
        json_text(value)
    assert json_text({1: "x", "2": "y"}).text == '{"1":"x","2":"y"}'
