"""Reported cases about the engine: limits, interruption, overlap, leaks."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.cases.reported.support import reported, run, run_each, tool_of, tools_of
from tests.cases.support import Case
from tests.clock import Clock
from tests.processes import needs_proc, resident_bytes
from toolscript import CodeMode, ErrorKind, InlineRuntime, Limits, RunResult, Tool, ToolContext
from toolscript.events import CallStarted, Event

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

        await many(100)
        # A part of what was reported; `python -m toolscript.testing.soak` runs all of it. What
        # leaks grows in each round; what else goes on in this process does not.
        for _ in range(3):
            before = resident_bytes()
            await many(loop["n"] // 30)
            if resident_bytes() - before < 7 * MIB:
                return
        pytest.fail("the memory grew in each of three rounds")


@reported("C101")
async def test_long_native_functions_end_with_the_wall(case: Case) -> None:
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


@reported("C102")
async def test_catastrophic_regular_expressions(case: Case) -> None:
    results = await run_each([], case["input"]["scripts"], limits={"cpu_s": 0.5, "wall_s": 4})
    for result in results:
        assert result.ok or result.error is not None
    assert results[0].error is not None
    assert results[0].error.kind == ErrorKind.TIMEOUT


@reported("C103")
async def test_huge_integers_are_stopped_from_outside(case: Case) -> None:
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


@reported("C105")
async def test_one_await_after_another(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.value == 3, result.text()
    assert result.usage.peak_parallel == 2


@reported("C106")
async def test_rejections_and_time_outs_with_pending_promises(case: Case, clock: Clock) -> None:
    def time_passes(event: Event) -> None:
        if isinstance(event, CallStarted) and event.call.seq == 3:
            clock.passes(60)

    rejecting, waiting = case["input"]["scripts"]
    tools = [tool_of(spec | {"delay_s": spec["delay_s"] * 1000}) for spec in case["input"]["tools"]]
    async with CodeMode(tools, limits={"wall_s": 60}) as codemode:
        late = await codemode.run(waiting, on_event=time_passes)
    rejected = await run(tools_of(case), rejecting)
    assert rejected.error is not None
    assert "x" in rejected.error.message
    assert late.error is not None
    assert late.error.kind == ErrorKind.TIMEOUT
    assert [call.status for call in late.calls] == ["cancelled"] * 3


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
    begun, stopped = asyncio.Event(), asyncio.Event()

    async def slow(args: object, context: ToolContext) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    tool = Tool("slow", "", {"type": "object"}, None, slow)
    async with CodeMode([tool]) as codemode:
        assert (await codemode.run("return 1")).value == 1
        task = asyncio.create_task(codemode.run(case["input"]["script"]))
        await begun.wait()
        threads = set(threading.enumerate())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert stopped.is_set()
        more = set(threading.enumerate()) - threads
        # The pool's timer ends workers that nobody needs any more.
        assert all(isinstance(thread, threading.Timer) for thread in more)
        assert (await codemode.run("return 2")).value == 2


@reported("C113")
async def test_the_event_loop_goes_on_while_a_script_computes(case: Case) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.01)

    async with CodeMode([], limits={"cpu_s": 1}) as codemode:
        # So that a worker is there, and the ticks are those of the computing.
        assert (await codemode.run("return 1")).value == 1
        ticker = asyncio.create_task(tick())
        result = await codemode.run(case["input"]["script"])
        ticker.cancel()
    assert result.ok or result.error is not None
    # Of a hundred in that second; a loop that is held has one or two.
    assert ticks > 10


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
