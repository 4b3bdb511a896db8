"""How a run ends: in exactly one way, with no tool left at work, and everything on record."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.clock import Clock
from tests.host.support import run, tool
from toolscript.events import (
    CallCompleted,
    CallFailed,
    CallStarted,
    Output,
    Progress,
    RunEnded,
    RunStarted,
)
from toolscript.host.cancel import CancelToken
from toolscript.result import ErrorKind, RunResult

WALL_S = 60.0


class Hang:
    """A tool that ends only when it is cancelled, and says so."""

    def __init__(self, when_begun: Callable[[], None] = lambda: None) -> None:
        self.begun = asyncio.Event()
        self._when_begun = when_begun
        self.cancelled = 0
        self.told = False

    async def __call__(self, args: Any, context: Any) -> None:
        self.begun.set()
        self._when_begun()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled += 1
            self.told = context.cancelled.is_set()


async def one(args: Any, context: Any) -> int:
    return 1


def kind(result: RunResult) -> ErrorKind | None:
    return result.error and result.error.kind


async def test_the_wall_clock_stops_tools_and_script(clock: Clock) -> None:
    hang = Hang(lambda: clock.passes(WALL_S))
    result = await run("await tools.hang({}); return 1", [tool("hang", hang)], wall_s=WALL_S)
    assert kind(result) is ErrorKind.TIMEOUT
    assert result.error is not None
    assert result.error.limit == "wall_s"
    assert (hang.cancelled, hang.told) == (1, True)
    assert [call.status for call in result.calls] == ["cancelled"]


async def test_a_deadline_in_the_past_runs_nothing() -> None:
    hang = Hang()
    result = await run("for (;;) await tools.hang({})", [tool("hang", hang)], wall_s=0.001)
    assert kind(result) is ErrorKind.TIMEOUT


async def test_output_stays_when_the_run_fails() -> None:
    result = await run("console.log('early'); for (;;);", limits={"cpu_s": 0.2})
    assert kind(result) is ErrorKind.TIMEOUT
    assert [item.text for item in result.output] == ["early"]


async def test_a_token_that_was_cancelled_before_runs_nothing() -> None:
    token = CancelToken()
    token.cancel("too late")
    result = await run("return await tools.one({})", [tool("one", one)], cancel=token)
    assert kind(result) is ErrorKind.ABORTED
    assert result.error is not None
    assert "too late" in result.error.message
    assert result.calls == ()


async def test_a_token_cancelled_in_another_thread_ends_the_run() -> None:
    token, hang = CancelToken(), Hang()

    async def cancel_soon() -> None:
        await hang.begun.wait()
        threading.Thread(target=token.cancel).start()

    cancelling = asyncio.create_task(cancel_soon())
    result = await run("await tools.hang({})", [tool("hang", hang)], cancel=token)
    await cancelling
    assert kind(result) is ErrorKind.ABORTED
    assert hang.cancelled == 1


async def test_cancelling_the_task_stops_everything_and_is_raised() -> None:
    hang = Hang()
    running = asyncio.create_task(run("await tools.hang({})", [tool("hang", hang)]))
    await hang.begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert hang.cancelled == 1


async def test_a_tool_that_will_not_stop_does_not_hold_the_run(clock: Clock) -> None:
    free = asyncio.Event()

    async def stubborn(args: Any, context: Any) -> None:
        while not free.is_set():
            clock.passes(WALL_S)
            try:
                await free.wait()
            except asyncio.CancelledError:
                continue

    result = await run("await tools.t({})", [tool("t", stubborn)], wall_s=WALL_S)
    free.set()
    assert kind(result) is ErrorKind.TIMEOUT
    assert [call.status for call in result.calls] == ["cancelled"]
    assert any("t" in warning for warning in result.warnings)


async def test_a_blocked_thread_does_not_hold_the_run(clock: Clock) -> None:
    free, loop = threading.Event(), asyncio.get_running_loop()

    def block(args: Any, context: Any) -> None:
        loop.call_soon_threadsafe(clock.passes, WALL_S)
        free.wait(WALL_S)

    result = await run("await tools.t({})", [tool("t", block)], wall_s=WALL_S)
    assert not free.is_set()
    free.set()
    assert kind(result) is ErrorKind.TIMEOUT


async def test_a_promise_that_nothing_settles_is_told_at_once() -> None:
    result = await run("await new Promise(() => {})", wall_s=None)
    assert kind(result) is ErrorKind.STALLED


async def test_answers_on_their_way_are_no_stall() -> None:
    script = """
        let n = 0;
        for (let i = 0; i < 200; i++) {
            try { await codemode.call("none", {}) } catch { n++ }
        }
        return n"""
    assert (await run(script, wall_s=None)).value == 200


async def test_timers_wait_in_the_host() -> None:
    script = """
        const order = [];
        setTimeout(() => order.push("late"), 30);
        setTimeout(() => order.push("soon"), 1);
        const never = setTimeout(() => order.push("never"), 10);
        clearTimeout(never);
        await sleep(60);
        return order"""
    assert (await run(script)).value == ["soon", "late"]


async def test_too_many_timers_end_the_run() -> None:
    script = "for (let i = 0; i < 20000; i++) setTimeout(() => {}, 1e6); await sleep(1e6)"
    result = await run(script)
    assert kind(result) is ErrorKind.CALL_LIMIT


async def test_unawaited_calls_are_cancelled() -> None:
    hang = Hang()
    result = await run("tools.hang({}); return 'done'", [tool("hang", hang)])
    assert result.value == "done"
    assert [call.status for call in result.calls] == ["cancelled"]
    assert any("hang" in warning for warning in result.warnings)


async def test_unawaited_calls_are_drained() -> None:
    done: list[int] = []

    async def slow(args: Any, context: Any) -> None:
        await asyncio.sleep(0.02)
        done.append(args["n"])

    script = "tools.slow({ n: 1 }); tools.slow({ n: 2 }); return 1"
    result = await run(script, [tool("slow", slow)], knobs={"unawaited": "drain"})
    assert (result.value, done) == (1, [1, 2])
    done.clear()
    serial: Any = {"unawaited": "drain", "parallel": "serial"}
    events: list[Any] = []
    result = await run(script, [tool("slow", slow)], knobs=serial, on_event=events.append)
    assert (result.value, done) == (1, [1])
    assert [call.status for call in result.calls] == ["ok", "cancelled"]
    assert result.calls[1].started_at is None
    assert sum(isinstance(event, CallStarted) for event in events) == 1


async def test_a_drain_ends_at_the_deadline(clock: Clock) -> None:
    # Once the script has ended: that comes in the same breath as its call.
    hang = Hang(lambda: asyncio.get_running_loop().call_later(0.05, clock.passes, WALL_S))
    result = await run(
        "tools.hang({}); return 1",
        [tool("hang", hang)],
        knobs={"unawaited": "drain"},
        wall_s=WALL_S,
    )
    assert kind(result) is ErrorKind.TIMEOUT
    assert hang.cancelled == 1


async def test_unawaited_calls_are_an_error() -> None:
    hang = Hang()
    result = await run(
        "tools.hang({}); return 1", [tool("hang", hang)], knobs={"unawaited": "error"}
    )
    assert kind(result) is ErrorKind.EXCEPTION
    assert result.error is not None
    assert "hang" in result.error.message


async def test_siblings_settle_before_a_failing_run_is_over() -> None:
    done: list[int] = []

    async def slow(args: Any, context: Any) -> None:
        await asyncio.sleep(0.05)
        done.append(1)

    async def bad(args: Any, context: Any) -> None:
        raise RuntimeError("boom")

    tools = [tool("slow", slow, read_only=True), tool("bad", bad, read_only=True)]
    script = "await Promise.all([tools.slow({}), tools.bad({})])"
    result = await run(script, tools, knobs={"unawaited": "drain"})
    assert kind(result) is ErrorKind.EXCEPTION
    assert done == [1]
    assert [call.status for call in result.calls] == ["ok", "error"]


async def test_tainted_runs_keep_their_value() -> None:
    async def bad(args: Any, context: Any) -> None:
        raise RuntimeError("boom")

    script = "try { await tools.bad({}) } catch {} return 5"
    result = await run(script, [tool("bad", bad)], knobs={"on_tool_error": "taint"})
    assert (kind(result), result.value) == (ErrorKind.TAINTED, 5)
    result = await run(script, [tool("bad", bad)])
    assert (result.ok, result.value, result.calls[0].status) == (True, 5, "error")


class Interrupt(BaseException):
    pass


async def test_an_exception_that_steers_a_framework_passes_unseen() -> None:
    done: list[str] = []

    async def gate(args: Any, context: Any) -> None:
        raise Interrupt(args["n"])

    async def slow(args: Any, context: Any) -> None:
        await asyncio.sleep(0.05)
        done.append("slow")

    async def after(args: Any, context: Any) -> None:
        done.append("after")

    script = """
        try {
            await Promise.all([
                tools.gate({ n: 1 }), tools.slow({}).then(() => tools.after({})), tools.gate({ n: 2 }),
            ]);
        } catch { await tools.after({}) } finally { await tools.after({}) }"""
    tools = [tool("gate", gate), tool("slow", slow), tool("after", after)]
    with pytest.raises(Interrupt) as raised:
        await run(script, tools)
    assert raised.value.args == (1,)
    cause = raised.value.__cause__
    assert isinstance(cause, BaseExceptionGroup)
    assert [error.args for error in cause.exceptions] == [(2,)]
    assert done == ["slow"]


async def test_events_come_in_order_and_observers_change_nothing() -> None:
    async def bad(args: Any, context: Any) -> None:
        raise RuntimeError("boom")

    script = """
        console.log("a"); progress("half", 0.5);
        await tools.one({}); try { await tools.bad({}) } catch {}
        return 1"""
    tools = [tool("one", one), tool("bad", bad)]
    events: list[Any] = []

    async def listen(event: Any) -> None:
        await asyncio.sleep(0)
        events.append(event)
        raise RuntimeError("an observer's own problem")

    def shout(event: Any) -> None:
        events.append(event)
        raise RuntimeError("an observer's own problem")

    expected = [
        RunStarted,
        Output,
        Progress,
        CallStarted,
        CallCompleted,
        CallStarted,
        CallFailed,
        RunEnded,
    ]
    for observer in (listen, shout):
        events.clear()
        result = await run(script, tools, on_event=observer)
        assert result.value == 1
        assert [type(event) for event in events] == expected
        assert events[-1].result == result


async def test_a_failed_run_stores_nothing() -> None:
    result = await run("store('a', 1); store('b', undefined); return load('a')")
    assert (result.value, result.store_writes.set, result.store_writes.delete) == (
        1,
        {"a": 1},
        ("b",),
    )
    result = await run("store('a', 1); throw new Error('x')")
    assert (result.store_writes.set, result.store_writes.delete) == ({}, ())


async def test_helpers_are_answered_and_leave_no_receipt() -> None:
    async def helper(args: Any, context: Any) -> Any:
        return [args, context.seq]

    helpers = {"codemode.search": tool("codemode.search", helper, read_only=True)}
    script = "return await codemode.search('x')"
    result = await run(script, helpers=helpers)
    assert result.error is None
    assert result.value[1] == 1
    assert result.calls == ()


async def test_nested_runs_and_their_depth() -> None:
    async def inner(args: Any, context: Any) -> Any:
        result = await context.run(f"return await tools.inner({{ n: {args['n'] - 1} }})")
        return [context.run_id, result.value, result.error and result.error.message]

    async def outer(args: Any, context: Any) -> Any:
        if args["n"] == 0:
            return "bottom"
        return await inner(args, context)

    script = "return await tools.inner({ n: 2 })"
    result = await run(script, [tool("inner", outer)], limits={"depth": 4})
    assert result.value[0] == "run-1"
    assert result.value[1][:2] == ["run-1.1", "bottom"]
    result = await run(script, [tool("inner", outer)], limits={"depth": 2})
    assert "depth" in repr(result.value)


async def test_what_steers_a_framework_passes_through_nested_runs() -> None:
    async def gate(args: Any, context: Any) -> None:
        raise Interrupt("inner")

    async def outer(args: Any, context: Any) -> Any:
        return (await context.run("return await tools.gate({})")).value

    tools = [tool("gate", gate), tool("outer", outer)]
    with pytest.raises(Interrupt):
        await run("await tools.outer({})", tools)
