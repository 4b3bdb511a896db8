"""What a script may send that is neither a call nor output is bounded as well."""

from __future__ import annotations

from typing import Any

import pytest

from toolscript import CodeMode, ErrorKind, Progress, events


@pytest.mark.parametrize("value", ["0", "undefined"])
async def test_keys_of_the_store_are_counted(value: str) -> None:
    script = f"for (let i = 0; ; i++) store('k'.repeat(300000) + i, {value})"
    result = await CodeMode([]).run(script)
    assert result.error is not None
    assert result.error.code == "too_large"
    assert "store_total_chars" in result.error.message


async def test_values_may_take_all_of_their_account() -> None:
    script = "for (let i = 0; i < 4; i++) store('k' + i, 'x'.repeat(256 * 1024 - 2))"
    result = await CodeMode([]).run(script)
    assert result.ok, result.error
    assert len(result.store_writes.set) == 4


async def test_progress_is_bounded_like_output() -> None:
    heard: list[Any] = []
    result = await CodeMode([], limits={"output_items": 20}).run(
        "for (;;) progress('x'.repeat(5000), 0.5)", on_event=heard.append
    )
    assert result.error is not None
    assert (result.error.kind, result.error.limit) == (ErrorKind.OUTPUT_LIMIT, "output_items")
    told = [event for event in heard if isinstance(event, events.Progress)]
    assert len(told) == 20
    assert all(isinstance(event, Progress) and len(event.message) <= 1000 for event in told)


@pytest.mark.parametrize("member", ["search", "describe"])
async def test_questions_about_tools_are_short(member: str) -> None:
    result = await CodeMode([]).run(f"await codemode.{member}('word '.repeat(100000))")
    assert result.error is not None
    assert result.error.code == "invalid_args"
    assert "1,000 characters" in result.error.message
