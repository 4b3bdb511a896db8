"""A limit that ends a run says what was under way, and never that less was seen than is allowed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from toolscript import CodeMode, InlineRuntime, RunError


async def slow(n: int) -> int:
    """Never ends by itself."""
    await asyncio.Event().wait()
    return n


def quick(n: int) -> int:
    """Ends at once."""
    return n


async def error_of(script: str, **limits: Any) -> RunError:
    codemode = CodeMode([slow, quick], limits=limits)
    error = (await codemode.run(script)).error
    assert error is not None
    return error


async def test_one_call_too_many_is_named_with_its_line() -> None:
    error = await error_of(
        "await tools.quick({ n: 1 });\nfor (;;) {\n  await tools.quick({ n: 2 });\n}", calls=3
    )
    assert (error.limit, error.allowed, error.seen) == ("calls", 3, 4)
    assert (error.tool, error.line) == ("quick", 3)
    assert error.excerpt.strip() == "await tools.quick({ n: 2 });"


async def test_the_wall_clock_names_the_calls_that_it_waited_for() -> None:
    error = await error_of(
        "await tools.quick({ n: 0 });\nconst late = [1, 2, 3].map((n) => tools.slow({ n }));\n"
        "await Promise.all(late);",
        wall_s=0.5,
    )
    assert "it waited for slow (line 2) ×3" in error.message
    assert "quick" not in error.message
    assert (error.limit, error.tool, error.line) == ("wall_s", "slow", 2)
    assert error.allowed == 0.5
    assert error.seen is not None
    assert error.seen >= error.allowed


@pytest.mark.parametrize("wall_s", [0.3, 1])
async def test_a_script_that_computes_until_its_deadline_hears_of_that_limit(wall_s: float) -> None:
    for codemode in (
        CodeMode([], limits={"wall_s": wall_s}),
        CodeMode([], limits={"wall_s": wall_s}, runtime=InlineRuntime()),
    ):
        error = (await codemode.run("for (;;) {}")).error
        assert error is not None
        assert (error.limit, error.allowed) == ("wall_s", wall_s)
        assert error.seen is not None
        assert error.seen >= wall_s
        assert f"longer than {wall_s:g} s" in error.message


async def test_the_options_line_and_a_timeout_are_named_as_they_were_given() -> None:
    codemode = CodeMode([slow])
    error = (await codemode.run("await tools.slow({ n: 1 })", timeout=0.4)).error
    assert error is not None
    assert error.allowed == 0.4
    error = (
        await codemode.run('// @options: {"timeout_ms": 300}\nawait tools.slow({ n: 1 })')
    ).error
    assert error is not None
    assert error.allowed == 0.3


@pytest.mark.parametrize(
    ("script", "limits"),
    [
        ("for (;;) {}", {"cpu_s": 0.2}),
        ("for (;;) console.log('x'.repeat(1000))", {"output_bytes": 10_000}),
        ("const kept = []; for (;;) kept.push('x'.repeat(100_000) + kept.length)", {}),
    ],
)
async def test_other_limits_name_the_last_call_before(script: str, limits: dict[str, Any]) -> None:
    error = await error_of(f"\nawait tools.quick({{ n: 1 }});\n{script}", **limits)
    assert error.limit in {"cpu_s", "output_bytes", "memory_bytes"}
    assert error.message.endswith("Its last call was quick (line 2)")
