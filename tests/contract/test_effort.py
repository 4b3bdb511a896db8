"""What a schema allows at most, and what fits it, agree."""

from __future__ import annotations

from typing import Any, cast

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript.contract.effort import most_properties

Pair = tuple[Any, Any]
"""A schema and a value that fits it."""

NAMES = st.text("abc", max_size=2)


def closed(members: dict[str, Pair]) -> Pair:
    properties = {name: schema for name, (schema, _) in members.items()}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema, {name: value for name, (_, value) in members.items()}


def choice(one: Pair, other: Pair, word: str) -> Pair:
    return {word: [other[0], one[0]]}, one[1]


def grown(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    return (
        st.dictionaries(NAMES, inner, max_size=4).map(closed)
        | st.builds(
            lambda one, n: ({"type": "array", "items": one[0]}, [one[1]] * n),
            inner,
            st.integers(0, 3),
        )
        | st.builds(choice, inner, inner, st.just("anyOf"))
        | st.builds(
            lambda one, v: ({"type": "object"}, {"any": one[1], "more": v}), inner, st.text()
        )
    )


PAIRS = st.recursive(
    st.sampled_from(
        [({"type": "string"}, "a"), ({"type": ["null", "integer"]}, None), ({}, {"a": 1})]
    )
    | st.text().map(lambda text: ({"const": text}, text)),
    grown,
    max_leaves=12,
)


def properties(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(properties, cast("list[Any]", value)))
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return len(members) + sum(map(properties, members.values()))
    return 0


@settings(max_examples=200)
@given(PAIRS)
def test_no_value_that_fits_has_more_properties_than_its_schema_allows(pair: Pair) -> None:
    schema, value = pair
    assert jsonschema_rs.is_valid(schema, value)
    most = most_properties(schema)
    assert most is None or properties(value) <= most


def level(inner: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": inner}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "most"),
    [
        (level({"type": "string"}), 1),
        (level(level({"type": ["integer", "null"]})), 2),
        (level({"anyOf": [{"type": "null"}, level({"type": "boolean"})]}), 2),
        (level({"type": "array", "items": {"type": "string"}}), 1),
        (level({"type": "array", "items": level({"type": "string"})}), None),
        (level({"type": "array"}), None),
        (level({"enum": ["a", "b"]}), 1),
        (level({"const": {"a": 1}}), None),
        (level({}), None),
        (level(True), None),
        (level({"$ref": "#"}), None),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, None),
        ({**level({"type": "string"}), "patternProperties": {"^x": {}}}, None),
        (level({"type": [{"not": "a type"}]}), None),
    ],
)
def test_the_bound_of_a_schema(schema: Any, most: int | None) -> None:
    assert most_properties(schema) == most


def test_a_schema_of_many_levels_has_no_bound() -> None:
    schema: Any = {"type": "string"}
    for _ in range(5_000):
        schema = level(schema)
    assert most_properties(schema) is None
