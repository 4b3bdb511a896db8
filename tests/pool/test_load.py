"""Many calls, large values, many runs: right answers, and nothing left behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.processes import (
    eventually,
    needs_proc,
    open_descriptors,
    resident_bytes,
    settle_pools,
    worker_pids,
)
from toolscript import CodeMode, Limits, QuickJSRuntime

MIB = 1024 * 1024


async def number(i: int) -> int:
    """Ten times a number."""
    await asyncio.sleep(0.01)
    return i * 10


def rows(count: int) -> list[dict[str, object]]:
    """Rows of a table, about 100 bytes of JSON each."""
    return [{"id": i, "name": f"row {i:06}", "note": "x" * 60} for i in range(count)]


def size(text: str) -> int:
    """Characters of a text."""
    return len(text)


@pytest.fixture
async def runtime(request: pytest.FixtureRequest) -> AsyncIterator[QuickJSRuntime]:
    """A pool of this test's own, so that what it leaves can be counted."""
    settle_pools()
    runtime = QuickJSRuntime(max_workers=request.param)
    yield runtime
    await runtime.aclose()


async def test_a_thousand_calls_at_once() -> None:
    async with CodeMode([number], limits=Limits(parallel=None)) as codemode:
        result = await codemode.run(
            "const all = await Promise.all("
            "Array.from({ length: 1000 }, (_, i) => tools.number({ i })));"
            " return [all.length, all[0], all[999], all.every((n, i) => n === i * 10)]"
        )
    assert result.value == [1000, 0, 9990, True], result.text()
    assert result.usage.peak_parallel > 500
    assert [call.seq for call in result.calls] == list(range(1, 1001))


async def test_ten_megabytes_through_one_result() -> None:
    async with CodeMode([rows]) as codemode:
        result = await codemode.run(
            "const all = await tools.rows({ count: 100_000 });"
            " return [all.length, all.filter((row) => row.id % 25_000 === 0).map((row) => row.name)]"
        )
    assert result.value == [
        100_000,
        ["row 000000", "row 025000", "row 050000", "row 075000"],
    ], result.text()
    assert result.usage.chars_out > 10_000_000
    assert len(result.text()) < 200


async def test_ten_megabytes_as_arguments() -> None:
    async with CodeMode([size]) as codemode:
        result = await codemode.run("return await tools.size({ text: 'y'.repeat(10_000_000) })")
    assert result.value == 10_000_000, result.text()


@needs_proc
@pytest.mark.parametrize("runtime", [1], indirect=True)
async def test_two_hundred_runs_one_after_another_leave_nothing(runtime: QuickJSRuntime) -> None:
    async with CodeMode([number, rows], runtime=runtime) as codemode:

        async def run(i: int) -> None:
            result = await codemode.run(
                f"const all = await tools.rows({{ count: 50 }});"
                f" return (await tools.number({{ i: {i} }})) + all.length"
            )
            assert result.value == i * 10 + 50, result.text()

        for i in range(20):
            await run(i)
        descriptors = open_descriptors()
        # What leaks grows in each round; what else goes on in this process does not.
        grown: list[int] = []
        while len(grown) < 3:
            memory = resident_bytes()
            for i in range(200):
                await run(i)
            grown.append(resident_bytes() - memory)
            if grown[-1] < 16 * MIB:
                break
        assert grown[-1] < 16 * MIB, grown
        assert eventually(lambda: open_descriptors() <= descriptors)
    await runtime.aclose()
    assert eventually(lambda: open_descriptors() < descriptors)


@needs_proc
@pytest.mark.parametrize("runtime", [4], indirect=True)
async def test_fifty_runs_at_once_share_few_workers(runtime: QuickJSRuntime) -> None:
    before = worker_pids()
    async with CodeMode([number], runtime=runtime) as codemode:

        async def run(i: int) -> int:
            script = f"return (await tools.number({{ i: {i} }})) + (await tools.number({{ i: 1 }}))"
            return (await codemode.run(script)).unwrap()

        values = await asyncio.gather(*(run(i) for i in range(50)))
        assert values == [i * 10 + 10 for i in range(50)]
        assert len(worker_pids() - before) <= 4
    await runtime.aclose()
    assert eventually(lambda: not worker_pids() - before), worker_pids() - before
