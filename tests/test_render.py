"""`RunResult.text()`: what a model reads back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript.result import Call, ErrorKind, OutputItem, Pending, RunError, RunResult

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=10), inner, max_size=8)
    ),
    max_leaves=60,
)


def returned(value: Any, **more: Any) -> RunResult:
    return RunResult(run_id="r", status="completed", value=value, has_value=True, **more)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [1, True, None, [1, {"a": "ü"}], {}, 12345678901234567890])
def test_a_returned_value_is_exactly_its_json(value: Any) -> None:
    assert json.loads(returned(value).text()) == value


def test_a_returned_string_is_itself() -> None:
    assert returned('a "quoted"\nline').text() == 'a "quoted"\nline'


def test_nothing_is_said_in_words() -> None:
    assert "returned nothing" in RunResult(run_id="r", status="completed").text()
    assert "empty string" in returned("").text()


def test_output_follows_the_value() -> None:
    text = returned(
        1, output=(OutputItem("text", "printed"), OutputItem("value", value=[2]))
    ).text()
    assert text == "1\n\nOutput:\nprinted\n[2]"


def test_a_failure_says_what_already_took_effect() -> None:
    calls = (
        Call(1, "get_order", "ok", read_only=True),
        Call(2, "refund", "ok"),
        Call(3, "refund", "ok"),
        Call(4, "cancel", "error"),
    )
    error = RunError(
        ErrorKind.EXCEPTION, "no", name="ToolError", line=2, column=7, excerpt="x\n^", hint="Try."
    )
    text = RunResult(run_id="r", status="failed", error=error, calls=calls).text()
    assert "ToolError: no" in text
    assert "line 2, column 7" in text
    assert "Hint: Try." in text
    assert "refund ×2" in text
    assert "get_order" not in text
    assert "cancel" not in text


def test_a_pause_names_the_pending_calls() -> None:
    pending = (Pending("p", "refund", {"amount": 5}, reason="money"),)
    text = RunResult(run_id="r", status="paused", pending=pending).text()
    assert 'refund({"amount":5}): money' in text


def test_compact_json_fits_where_indented_would_not() -> None:
    rows = [{"id": index, "ok": True} for index in range(80)]
    assert json.loads(returned(rows).text(max_tokens=550)) == rows


def test_a_cut_says_that_the_data_in_the_script_was_whole() -> None:
    text = returned({"len": 900_000, "r": "z" * 900_000}).text(max_tokens=1000)
    assert '"len":900000' in text
    assert "inside the script all data was complete" in text
    assert len(text) <= 4000


def test_a_cut_array_keeps_head_and_tail_and_counts() -> None:
    text = returned([{"id": index} for index in range(5000)]).text(max_tokens=200)
    first = json.loads(text.split("\n\n")[0])
    assert first[0] == {"id": 0}
    assert first[-1] == {"id": 4999}
    assert any("of 5,000 items" in item for item in first if isinstance(item, str))


def test_lone_surrogates_can_be_sent_on() -> None:
    returned(["\ud800"]).text().encode()
    returned("\ud800").text().encode()


@settings(max_examples=150)
@given(
    JSON, st.integers(min_value=100, max_value=400), st.lists(st.text(max_size=200), max_size=10)
)
def test_any_result_fits_its_budget_and_is_never_empty(
    value: Any, tokens: int, printed: list[str]
) -> None:
    output = tuple(OutputItem("text", text) for text in printed)
    text = returned(value, output=output).text(max_tokens=tokens)
    assert text
    assert len(text) <= tokens * 4


@settings(max_examples=100)
@given(JSON)
def test_a_result_survives_json(value: Any) -> None:
    result = returned(
        value,
        calls=(Call(1, "t", "ok", args={"v": value}),),
        pending=(Pending("p", "t", {}, effects_so_far=("a",)),),
        warnings=("w",),
    )
    assert RunResult.from_json(result.to_json()) == result


def test_the_deepest_value_survives_under_a_deep_stack() -> None:
    result = returned(nested(512))

    def below(levels: int) -> RunResult:
        return below(levels - 1) if levels else RunResult.from_json(result.to_json())

    assert below(700) == below(0)
