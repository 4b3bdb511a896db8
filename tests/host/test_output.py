"""The account of all that leaves a run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.support import run
from toolscript.host.limits import Limits
from toolscript.host.output import Output, OverLimit, json_bytes
from toolscript.result import ErrorKind
from toolscript.sandbox.frames import OutputFrame

TEXT = st.text(st.characters(), max_size=30)


def size(value: Any) -> int:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "backslashreplace"))


def shown(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))


def texts(output: Output) -> list[str]:
    return [item.text for item in output.items]


@given(TEXT)
def test_a_text_costs_what_javascript_writes(text: str) -> None:
    assert json_bytes(text) == size(text)


@settings(max_examples=300)
@given(st.lists(TEXT, max_size=6), TEXT, st.integers(4, 120))
def test_items_and_message_never_exceed_the_account(
    printed: list[str], message: str, allowed: int
) -> None:
    output = Output(Limits(total_bytes=allowed), truncate=False)
    over = None
    for text in printed:
        try:
            output.take(OutputFrame("text", text=text))
        except OverLimit as error:
            over = error
            break
    kept = texts(output)
    if over is None:
        assert kept == printed
        assert size(printed) <= allowed
        seen = size(kept) + size(message)
        if seen <= allowed:
            output.check_message(message)
            return
        with pytest.raises(OverLimit) as raised:
            output.check_message(message)
        assert raised.value.seen == seen
    else:
        assert over.seen > allowed
        assert kept[:-1] == printed[: max(len(kept) - 1, 0)]
    shown = output.fit(message)
    assert message.startswith(shown)
    assert size(texts(output)) + size(shown) <= allowed
    for left, right in zip(texts(output), printed, strict=False):
        assert right.startswith(left)


@settings(max_examples=200)
@given(st.lists(TEXT, max_size=8), st.integers(1, 60), st.integers(1, 5))
def test_cut_output_is_a_beginning_with_a_mark(printed: list[str], most: int, items: int) -> None:
    limits = Limits(output_bytes=most, output_items=items)
    output = Output(limits, truncate=True)
    for text in printed:
        output.take(OutputFrame("text", text=text))
    kept = texts(output)
    if sum(map(shown, printed)) <= most and len(printed) <= items:
        assert kept == printed
        return
    assert kept.pop().startswith("[output cut: ")
    assert all(right.startswith(left) for left, right in zip(kept, printed, strict=False))
    assert sum(map(shown, kept)) <= most


@pytest.mark.parametrize("way", ["console.log(s)", "text(s)", "emit(s)"])
async def test_too_much_output_ends_the_run_whatever_it_catches(way: str) -> None:
    script = f"const s = 'x'.repeat(100); for (;;) {{ try {{ {way} }} catch {{}} await null }}"
    result = await run(script, limits={"output_bytes": 1000})
    assert result.error is not None
    assert result.error.kind is ErrorKind.OUTPUT_LIMIT
    assert (result.error.limit, result.error.allowed) == ("output_bytes", 1000)
    assert 9 <= len(result.output) <= 10


async def test_too_large_a_value_fails_or_is_cut() -> None:
    script = "return Array.from({ length: 500 }, (_, i) => ({ i }))"
    result = await run(script, limits={"value_bytes": 1000})
    assert result.error is not None
    assert (result.error.kind, result.error.limit) == (ErrorKind.OUTPUT_LIMIT, "value_bytes")
    result = await run(script, limits={"value_bytes": 1000}, knobs={"overflow": "truncate"})
    assert result.ok
    assert result.value[0] == {"i": 0}
    assert result.value[-1] == {"i": 499}
    assert len(json.dumps(result.value)) < 1_300
    assert result.warnings


async def test_items_of_every_kind_keep_their_order() -> None:
    script = """
        console.log("a", 1); text("b"); emit({ c: 1 }); console.error("d");
        image("iVBORw0KGgo=", "image/png")"""
    result = await run(script)
    assert [(item.type, item.text, item.value, item.stream) for item in result.output] == [
        ("text", "a 1", None, "stdout"),
        ("text", "b", None, "stdout"),
        ("value", "", {"c": 1}, "stdout"),
        ("text", "d", None, "stderr"),
        ("image", "", None, "stdout"),
    ]
    assert [item.console for item in result.output] == [True, False, False, True, False]


@pytest.mark.parametrize("text", ["x", "é", "\\n"])
async def test_a_text_counts_as_it_is_read(text: str) -> None:
    most = {"x": 100, "é": 50, "\\n": 100}[text]
    for script in ("return '{}'.repeat({})", "text('{}'.repeat({}))", "emit('{}'.repeat({}))"):
        limits = {"value_bytes": 100, "output_bytes": 100}
        assert (await run(script.format(text, most), limits=limits)).ok
        assert not (await run(script.format(text, most + 1), limits=limits)).ok


@pytest.mark.parametrize(
    ("thrown", "printed"),
    [("new TypeError('late')", "Uncaught in a timer: TypeError: late"), ("'x'", "x")],
)
async def test_what_a_timer_throws_is_printed(thrown: str, printed: str) -> None:
    source = (
        f"await new Promise((done) => setTimeout(() => {{ done(); throw {thrown} }}, 1)); return 1"
    )
    result = await run(source)
    assert result.value == 1
    assert [item.stream for item in result.output] == ["stderr"]
    assert printed in (result.output[0].text or "")


async def test_a_timer_may_end_the_script() -> None:
    result = await run("setTimeout(() => exit(), 1); await new Promise(() => {})")
    assert result.status == "completed"
    assert result.output == ()
