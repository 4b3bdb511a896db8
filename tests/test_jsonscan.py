"""What is found in JSON text without parsing it is what parsing it finds."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript.jsonscan import deeper_than, has_digits

values = st.recursive(
    st.none() | st.integers() | st.text('[]{}"\\a0é', max_size=6),
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
