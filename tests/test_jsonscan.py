"""What is found in JSON text without parsing it is what parsing it finds."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript.jsonscan import count_properties, deeper_than, has_digits, holds_bigint

values = st.recursive(
    st.none() | st.integers() | st.text('[]{}"\\a0é\n', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text('[]{}"\\', max_size=3), inner, max_size=4)
    ),
    max_leaves=60,
)


def depth(value: Any) -> int:
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 0


def names(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for one in cast("list[Any]", value) for name in names(one)]
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return [*members, *(name for one in members.values() for name in names(one))]
    return []


@settings(max_examples=300)
@given(values, st.booleans())
def test_properties_are_counted(value: Any, compact: bool) -> None:
    text = json.dumps(value, separators=(",", ":") if compact else (" , ", " : ")).encode()
    certain = [name for name in names(value) if compact and not name.endswith("\\")]
    assert len(certain) <= count_properties(text) <= len(names(value))


@settings(max_examples=300)
@given(values, st.booleans())
def test_depth_is_that_of_the_value(value: Any, ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii).encode()
    levels = depth(value)
    assert not deeper_than(text, levels)
    assert levels == 0 or deeper_than(text, levels - 1)


def test_depth_of_wide_and_of_deep_values() -> None:
    wide = json.dumps([{"a": [1, {}]}] * 5_000).encode()
    assert deeper_than(wide, 3)
    assert not deeper_than(wide, 4)
    for levels in (511, 512, 513, 100_000):
        deep = b"[" * levels + b"]" * levels
        assert deeper_than(deep, 512) is (levels > 512)
        beside = b"[" + deep + b"," * 1 + wide + b"]"
        assert deeper_than(beside, 512) is (levels + 1 > 512)


@given(st.text("01a", max_size=80), st.integers(1, 20))
def test_digits_in_a_row(text: str, many: int) -> None:
    assert has_digits(text.encode(), many) is bool(re.search("[0-9]" * many, text))


numbers = (
    st.integers(-(2**53) - 9, 2**53 + 9)
    | st.integers()
    | st.integers(10**15, 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
)
texts = st.text(':[,-"\\ ]}1234567890', max_size=24)
mixed = st.recursive(
    numbers | texts,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(texts | st.just("9" * 17), inner, max_size=4)
    ),
    max_leaves=20,
)


def exceeds_double(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(exceeds_double, cast("list[Any]", value)))
    if isinstance(value, dict):
        return any(map(exceeds_double, cast("dict[str, Any]", value).values()))
    return isinstance(value, int) and abs(value) > 2**53


@settings(max_examples=300)
@given(mixed, st.sampled_from([None, (",", ":"), (" ,\n", " : ")]))
def test_bigints_are_numbers_that_a_double_cannot_hold(
    value: Any, separators: tuple[str, str] | None
) -> None:
    text = json.dumps(value, separators=separators).encode()
    assert holds_bigint(text) is exceeds_double(value)


def test_long_digits_that_are_no_bigint() -> None:
    for text in ('"9999999999999999999"', "1e9999999999999999999", "0.99999999999999999999"):
        assert not holds_bigint(text.encode())
        assert not holds_bigint(f'{{"9999999999999999999":[{text}]}}'.encode())
    assert holds_bigint(b"-" + b"9" * 10_000)
