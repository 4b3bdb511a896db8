"""Reported cases about the engine: limits, interruption, overlap, leaks."""

from __future__ import annotations

import asyncio
import threading
import time
from itertools import pairwise

import pytest

from tests.cases.reported.support import reported, run, run_each, tool_of, tools_of
from tests.cases.support import Case
from tests.processes import needs_proc, resident_bytes
from toolscript import CodeMode, ErrorKind, InlineRuntime, Limits, RunResult, Tool, ToolContext

MIB = 1024 * 1024


@reported("C096")
async def test_time_limits_and_tool_calls_together(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"], limits={"cpu_s": 1})
    assert result.value == 1, result.text()


@needs_proc
@reported("C098")
async def test_memory_does_not_grow_with_runs(case: Case) -> None:
    loop = case["input"]["loop"]
    async with CodeMode([tool_of(spec) for spec in loop["tools"]]) as codemode:

        async def many(count: int) -> None:
            for _ in range(count):
                assert (await codemode.run(loop["script"])).value == 1

        await many(300)
        before = resident_bytes()
        # A tenth of what was reported; `python -m toolscript.testing.soak` runs all of it.
        await many(loop["n"] // 10)
        assert resident_bytes() - before < 20 * MIB


@reported("C101")
async def test_long_native_functions_end_with_the_wall(case: Case) -> None:
    began = time.monotonic()
    limits = {"cpu_s": 0.5, "wall_s": 2, "memory_bytes": 64 * MIB}
    results = await run_each([], case["input"]["scripts"], limits=limits)
    for result in results:
        assert result.error is not None, result.text()
        assert result.error.kind in (
            ErrorKind.TIMEOUT,
            ErrorKind.MEMORY,
            ErrorKind.WORKER_EXIT,
            ErrorKind.EXCEPTION,
        )
    assert time.monotonic() - began < len(results) * 3 + 5


@reported("C102")
async def test_catastrophic_regular_expressions(case: Case) -> None:
    results = await run_each([], case["input"]["scripts"], limits={"cpu_s": 0.5, "wall_s": 4})
    for result in results:
        assert result.ok or result.error is not None
    assert results[0].error is not None
    assert results[0].error.kind == ErrorKind.TIMEOUT


@reported("C103")
async def test_huge_integers_are_stopped_from_outside(case: Case) -> None:
    began = time.monotonic()
    limits = {"cpu_s": 0.5, "wall_s": 3}
    larger = (
        "let x = 3n ** 600000n; for (let i = 0; i < 99; i++) (x + BigInt(i)).toString(); return 1"
    )
    given, ours = await run_each([], [case["input"]["script"], larger], limits=limits)
    # The engine refuses integers of more than a million bits, which ends the reported script.
    assert given.error is not None, given.text()
    assert given.error.kind in (ErrorKind.TIMEOUT, ErrorKind.EXCEPTION)
    assert ours.error is not None, ours.text()
    assert ours.error.kind == ErrorKind.TIMEOUT
    assert time.monotonic() - began < 2 * 4 + 5


@reported("C105")
async def test_one_await_after_another(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.value == 3, result.text()
    assert result.usage.peak_parallel == 2


@reported("C106")
async def test_rejections_and_time_outs_with_pending_promises(case: Case) -> None:
    rejected, late = await run_each(
        tools_of(case), case["input"]["scripts"], limits={"wall_s": 0.4}
    )
    assert rejected.error is not None
    assert "x" in rejected.error.message
    assert late.error is not None
    assert late.error.kind == ErrorKind.TIMEOUT
    assert {call.status for call in late.calls} == {"cancelled"}


@reported("C110")
async def test_fan_out_is_bounded_and_can_be_unbounded(case: Case) -> None:
    spec = case["input"]["tools"][0]
    script = case["input"]["script"]
    bounded = await run([tool_of(spec)], script)
    assert bounded.value == 200
    assert bounded.usage.peak_parallel == 16
    free = await run([tool_of(spec)], script, limits=Limits(parallel=None))
    assert free.value == 200
    assert free.usage.peak_parallel > 100


@reported("C111")
async def test_runaway_loops_stop_at_the_call_limit(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"], limits={"calls": 50})
    assert result.error is not None
    assert result.error.kind == ErrorKind.CALL_LIMIT
    assert (result.error.allowed, len([c for c in result.calls if c.status == "ok"])) == (50, 50)


@reported("C112")
async def test_cancelling_the_task_stops_everything(case: Case) -> None:
    stopped = asyncio.Event()

    async def slow(args: object, context: ToolContext) -> None:
        try:
            await asyncio.sleep(5)
        finally:
            stopped.set()

    tool = Tool("slow", "", {"type": "object"}, None, slow)
    async with CodeMode([tool]) as codemode:
        assert (await codemode.run("return 1")).value == 1
        task = asyncio.create_task(codemode.run(case["input"]["script"]))
        await asyncio.sleep(0.1)
        threads = threading.active_count()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert stopped.is_set()
        assert threading.active_count() <= threads
        assert (await codemode.run("return 2")).value == 2


@reported("C113")
async def test_the_event_loop_goes_on_while_a_script_computes(case: Case) -> None:
    ticks: list[float] = []

    async def tick() -> None:
        while True:
            ticks.append(time.monotonic())
            await asyncio.sleep(0.01)

    ticker = asyncio.create_task(tick())
    result = await run([], case["input"]["script"], limits={"cpu_s": 1})
    ticker.cancel()
    assert result.ok or result.error is not None
    gaps = [later - earlier for earlier, later in pairwise(ticks)]
    # Far above the 50 ms that are wanted, for machines that do other work; a loop that is held
    # for the whole second is far above this.
    assert len(ticks) > 10
    assert sorted(gaps)[len(gaps) // 2] < 0.2


@reported("C114")
async def test_deep_recursion_from_threads_with_small_stacks(case: Case) -> None:
    results: list[RunResult] = []

    def call() -> None:
        codemode = CodeMode([])
        results.append(codemode.run_sync(case["input"]["script"]))

    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=call)
        thread.start()
    finally:
        threading.stack_size(before)
    await asyncio.to_thread(thread.join)
    results.append(await run([], case["input"]["script"]))
    assert [result.value for result in results] == [results[0].value] * 2
    assert results[0].value in ("RangeError", "InternalError")


@reported("C115")
async def test_the_engines_own_modules_are_absent(case: Case) -> None:
    absent, imported, evaluated = await run_each([], case["input"]["scripts"])
    assert absent.value == "undefinedundefined"
    assert imported.error is not None
    assert evaluated.value == 3 or evaluated.error is not None
    looping = await run([], "return eval('for (;;) {}')", limits={"cpu_s": 0.3})
    assert looping.error is not None


@reported("C136")
async def test_there_is_a_runtime_without_processes(case: Case) -> None:
    runtime = InlineRuntime()
    try:
        async with CodeMode([], runtime=runtime) as codemode:
            assert (await codemode.run(case["input"]["script"])).value == 2
    finally:
        await runtime.aclose()
