"""What is special to `QuickJSRuntime`: processes that come, serve, wear out and die."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.processes import eventually, is_alive, needs_proc, settle_pools
from toolscript.errors import ConfigurationError
from toolscript.sandbox import pool
from toolscript.sandbox.frames import CallFrame, EndFrame
from toolscript.sandbox.quickjs import QuickJSRuntime, WorkerExecution, shared_runtime
from toolscript.sandbox.runtime import Program
from toolscript.testing.guest_host import Ended, execute, surface

pytestmark = pytest.mark.usefixtures("transport")

MIB = 1024 * 1024
SURFACE = surface(["echo", "nested", "hang"])


async def run(runtime: QuickJSRuntime, code: str, **options: Any) -> Ended:
    answers = {0: lambda args: args, 2: lambda args: asyncio.Event().wait()}
    return await execute(runtime, Program(code=code, surface=SURFACE, **options), answers)


async def pid_of_a_run(runtime: QuickJSRuntime) -> int:
    execution = await runtime.open(Program(code="return 1", surface=SURFACE))
    assert isinstance(execution, WorkerExecution)
    while not isinstance((await execution.receive())[-1], EndFrame):
        pass
    await execution.aclose()
    return execution.worker_pid


@pytest.fixture
async def runtime() -> AsyncIterator[QuickJSRuntime]:
    runtime = QuickJSRuntime(max_workers=1)
    yield runtime
    await runtime.aclose()


# Known to crash the engine of quickjs-ng 0.17.
CRASH = (
    'let src = "a" + "?.a".repeat(1e5); let pad = []; try { for (;;) pad.push(new Uint8Array(1e5)) }'
    " catch (e) {} pad.length -= 26; try { eval(src) } catch (e) {} return 1"
)


async def test_a_crash_of_the_engine_ends_one_run(runtime: QuickJSRuntime) -> None:
    ended = await run(runtime, CRASH, memory_bytes=64 * MIB, cpu_s=10.0)
    assert ended.outcome in ("worker_exit", "returned", "threw", "memory")
    assert (await run(runtime, "return 1")).value == 1


async def test_native_loops_are_ended_by_the_host(runtime: QuickJSRuntime) -> None:
    for code in (
        "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
        "throw { toString() { for (;;); } }",
        "Error.prototype.toString = () => { for (;;); }; for (;;);",
        "return { toJSON() { for (;;); } }",
    ):
        ended = await run(runtime, code, cpu_s=0.2)
        assert ended.outcome in ("timeout", "threw"), code
    assert (await run(runtime, "return 1")).value == 1


async def test_what_was_printed_is_kept_when_a_later_turn_has_to_be_killed(
    runtime: QuickJSRuntime,
) -> None:
    code = (
        "console.log('early'); for (let i = 0; i < 50_000; i++) await 0;"
        " Array.prototype.reverse.call({ length: 2 ** 53 - 1 })"
    )
    ended = await run(runtime, code, cpu_s=1.0)
    assert (ended.outcome, ended.printed) == ("timeout", "early")


async def test_a_killed_worker_ends_its_run_and_is_replaced(runtime: QuickJSRuntime) -> None:
    execution = await runtime.open(Program(code="await tools.hang({})", surface=SURFACE))
    assert isinstance(execution, WorkerExecution)
    while not any(isinstance(frame, CallFrame) for frame in await execution.receive()):
        pass
    os.kill(execution.worker_pid, signal.SIGKILL)
    frames = [frame for frame in await execution.receive() if isinstance(frame, EndFrame)]
    while not frames:
        frames = [frame for frame in await execution.receive() if isinstance(frame, EndFrame)]
    assert frames[0].outcome == "worker_exit"
    await execution.aclose()
    assert (await run(runtime, "return 1")).value == 1


@needs_proc
async def test_an_idle_worker_that_died_is_replaced(runtime: QuickJSRuntime) -> None:
    pid = await pid_of_a_run(runtime)
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: not is_alive(pid))
    assert (await run(runtime, "return 1")).value == 1


@needs_proc
async def test_a_worker_that_died_at_its_end_keeps_nobody_waiting(runtime: QuickJSRuntime) -> None:
    # In a task of its own: what waits for the worker is no nested run.
    execution = await asyncio.create_task(runtime.open(Program(code="return 1", surface=SURFACE)))
    assert isinstance(execution, WorkerExecution)
    while not isinstance((await execution.receive())[-1], EndFrame):
        pass
    waiting = asyncio.create_task(run(runtime, "return 2"))
    await asyncio.sleep(0)
    os.kill(execution.worker_pid, signal.SIGKILL)
    assert eventually(lambda: not is_alive(execution.worker_pid))
    await execution.aclose()
    async with asyncio.timeout(60):
        assert (await waiting).value == 2


@needs_proc
async def test_a_worker_is_replaced_after_so_many_runs() -> None:
    runtime = QuickJSRuntime(max_workers=1, max_runs=2)
    pids = [await pid_of_a_run(runtime) for _ in range(6)]
    await runtime.aclose()
    assert len(set(pids)) == 3
    assert eventually(lambda: not any(map(is_alive, pids)))


@needs_proc
async def test_workers_that_nobody_uses_end() -> None:
    runtime = QuickJSRuntime(max_workers=1, idle_s=0.2)
    pid = await pid_of_a_run(runtime)
    assert eventually(lambda: not is_alive(pid))
    assert (await run(runtime, "return 1")).value == 1
    await runtime.aclose()


async def test_a_nested_run_never_waits_for_the_pool(runtime: QuickJSRuntime) -> None:
    async def nested(args: Any) -> Any:
        depth = args["depth"]
        if depth == 3:
            return depth
        code = f"return await tools.nested({{ depth: {depth + 1} }})"
        return (await execute(runtime, Program(code=code, surface=SURFACE), {1: nested})).value

    program = Program(code="return await tools.nested({ depth: 1 })", surface=SURFACE)
    async with asyncio.timeout(60):
        many = await asyncio.gather(*(execute(runtime, program, {1: nested}) for _ in range(4)))
    assert [ended.value for ended in many] == [3] * 4


async def test_waiting_for_a_worker_is_visible(runtime: QuickJSRuntime) -> None:
    slow = run(runtime, "let n = 0; for (let i = 0; i < 3e6; i++) n += i; return 1")
    first, second = await asyncio.gather(slow, run(runtime, "return 2"))
    assert (first.value, second.value) == (1, 2)
    assert second.usage.queue_s > 0
    assert first.usage.cpu_s is not None
    assert first.usage.cpu_s > 0


async def test_a_cancelled_wait_leaves_the_pool_usable(runtime: QuickJSRuntime) -> None:
    # In a task of its own: what this test runs next is no nested run.
    program = Program(code="await tools.hang({})", surface=SURFACE)
    holder = await asyncio.create_task(runtime.open(program))
    waiting = asyncio.create_task(run(runtime, "return 1"))
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await holder.aclose()
    assert (await run(runtime, "return 1")).value == 1


async def test_what_is_missing_is_told_once_and_can_be_required(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settle_pools()
    monkeypatch.setattr(pool, "REQUIRED", (*pool.REQUIRED, "a moat"))
    with caplog.at_level(logging.WARNING, logger="toolscript"):
        runtime = QuickJSRuntime(max_workers=2)
        await asyncio.gather(run(runtime, "return 1"), run(runtime, "return 2"))
        await runtime.aclose()
    told = [record.getMessage() for record in caplog.records if record.name == "toolscript"]
    assert [text.count("a moat") for text in told] == [1]
    strict = QuickJSRuntime(isolation="required")
    with pytest.raises(ConfigurationError, match="a moat"):
        await strict.open(Program(code="return 1", surface=SURFACE))
    await strict.aclose()


def test_there_is_one_shared_runtime() -> None:
    assert shared_runtime() is shared_runtime()
