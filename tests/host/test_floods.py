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


async def one(i: int = 0, text: str = "") -> int:
    """Takes a number and a text."""
    return len(text)


CROWD = "Object.fromEntries(Array.from({ length: 100000 }, (_, i) => ['key' + i, i]))"


async def test_more_properties_than_could_fit_are_refused_unread() -> None:
    result = await CodeMode([one]).run(f"await tools.one({CROWD})")
    assert result.error is not None
    assert result.error.code == "invalid_args"
    assert "100,000 properties, and no more than 2 are accepted" in result.error.message
    args = result.calls[0].args
    assert isinstance(args, str)
    assert args.startswith('{"key0":0,')
    assert len(args) < 2_100


async def test_of_what_was_not_read_nothing_is_shown_where_secrets_are_kept() -> None:
    engine = CodeMode([one], redact=lambda tool, value: value)
    result = await engine.run(f"await tools.one({CROWD})")
    assert result.calls[0].args == "[not shown: not read]"


async def test_a_text_that_looks_like_many_properties_is_a_text() -> None:
    script = f"const text = JSON.stringify({CROWD}); return await tools.one({{ text }})"
    result = await CodeMode([one]).run(script)
    assert result.ok, result.error
    assert result.value > 1_000_000


async def test_arguments_above_their_limit_are_refused_unread() -> None:
    engine = CodeMode([one], limits={"argument_bytes": 20})
    result = await engine.run("await tools.one({ text: 'x'.repeat(10) })")
    assert result.error is not None
    assert result.error.code == "too_large"
    assert result.calls[0].args == '{"text":"xxxxxxxxxx"}'


FLOODS = [
    "for (;;) setTimeout(() => {}, 1e9);",
    "for (;;) store('k', 'x'.repeat(1000));",
    "for (;;) { try { emit({}) } catch {} }",
    "for (;;) { try { console.log('x'.repeat(100000)) } catch {} }",
    "for (;;) { try { tools.one({}).catch(() => {}) } catch {} }",
    "for (;;) codemode.search('x').catch(() => {});",
    "const f = () => { setTimeout(f, 0); setTimeout(f, 0) }; f(); await sleep(100000);",
    "try { exit() } catch {} for (;;) text('late');",
]


@pytest.mark.parametrize("flood", FLOODS)
async def test_a_flood_until_memory_or_time_ends_is_no_fault_of_the_worker(flood: str) -> None:
    limits = {"memory_bytes": 16 << 20, "cpu_s": 0.3, "wall_s": 5}
    async with CodeMode([one], limits=limits) as codemode:
        result = await codemode.run(flood)
        assert (await codemode.run("return 1 + 1")).value == 2
    if "exit" in flood:
        assert result.ok, result.error
        assert result.output == ()
    else:
        assert result.error is not None
        assert result.error.kind != ErrorKind.WORKER_EXIT, result.error
