"""Decoding JSON: large texts take another decoder than small ones and come out the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript import jsontext

FILL = " " * 1024

values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.text("\ud800\udc00a", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("a_\ud800", max_size=3), inner)
    ),
    max_leaves=20,
)


@settings(max_examples=300)
@given(values, st.booleans())
def test_large_texts_come_out_as_small_ones_do(value: Any, as_bytes: bool) -> None:
    text = jsontext.dumps(value)
    large = text + FILL
    assert repr(jsontext.loads(large.encode() if as_bytes else large)) == repr(json.loads(text))


@settings(max_examples=300)
@given(st.text('[]{}",:0123456789.eE+-truefalsn\\u \n', max_size=12))
def test_what_is_no_json_is_none_however_large_it_is(text: str) -> None:
    outcomes: list[str] = []
    for one in (text, text + FILL, (text + FILL).encode()):
        try:
            outcomes.append(repr(jsontext.loads(one)))
        except ValueError:
            outcomes.append("refused")
    assert len(set(outcomes)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[Infinity]",
        "1e999",
        "-1e999",
        "9" * 400 + ".0",
        "9" * 5_000,
        "01",
        "[1,]",
        '"\x00"',
        "\ufeff1",
    ],
)
def test_what_python_takes_and_json_does_not_is_refused(text: str) -> None:
    for one in (text, text + FILL):
        with pytest.raises(ValueError):
            jsontext.loads(one)


def test_the_deepest_value_comes_in_from_deep_inside_a_stack() -> None:
    text = "[" * 512 + "]" * 512 + FILL

    def deeper(frames: int) -> Any:
        return jsontext.loads(text) if frames == 0 else deeper(frames - 1)

    assert deeper(800) == json.loads(text)
