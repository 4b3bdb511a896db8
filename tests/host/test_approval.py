"""Calls that a person decides about: while the script waits, or in a pause."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.clock import Clock
from tests.host.support import run, tool
from toolscript import CodeMode
from toolscript.events import CallPending
from toolscript.host.approval import Approve, Edit, Reject
from toolscript.result import Pending

WALL_S = 60.0
N = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class Effects:
    """Tools that write down what they did."""

    def __init__(self) -> None:
        self.done: list[Any] = []
        self.tools = [
            tool("pay", self._call, schema=N, requires_approval=True),
            tool("big", self._call, schema=N, requires_approval=lambda args: args["n"] > 10),
            tool("read", self._call, schema=N, read_only=True),
            tool("write", self._call, schema=N),
        ]

    async def _call(self, args: Any, context: Any) -> Any:
        await asyncio.sleep(0.01)
        self.done.append((context.tool, args["n"]))
        return args["n"]


async def test_without_a_callback_the_run_pauses_unseen() -> None:
    effects = Effects()
    script = """
        await tools.write({ n: 1 });
        try { await tools.pay({ n: 2 }) } catch { await tools.write({ n: 3 }) }
        finally { await tools.write({ n: 4 }) }"""
    events: list[Any] = []
    result = await run(script, effects.tools, on_event=events.append)
    assert result.status == "paused"
    assert effects.done == [("write", 1)]
    [pending] = result.pending
    assert (pending.tool, pending.args, pending.seq, pending.line) == ("pay", {"n": 2}, 2, 3)
    assert "write" in pending.effects_so_far[0]
    assert [call.status for call in result.calls] == ["ok", "pending"]
    assert [event.pending for event in events if isinstance(event, CallPending)] == [pending]
    assert not result.store_writes.set


async def test_calls_made_together_are_decided_and_siblings_finish() -> None:
    effects = Effects()
    script = """
        const more = tools.read({ n: 1 }).then((n) => tools.write({ n }));
        return await Promise.all([tools.pay({ n: 2 }), more, tools.pay({ n: 3 })])"""
    result = await run(script, effects.tools)
    assert result.status == "paused"
    assert [pending.args["n"] for pending in result.pending] == [2, 3]
    assert len({pending.id for pending in result.pending}) == 2
    assert effects.done == [("read", 1)]


async def test_a_waiting_barrier_lets_nothing_pass() -> None:
    effects = Effects()
    script = "await Promise.all([tools.pay({ n: 1 }), tools.read({ n: 2 }), tools.pay({ n: 3 })])"
    result = await run(script, effects.tools, knobs={"parallel": "serial"})
    assert result.status == "paused"
    assert effects.done == []
    assert [call.status for call in result.calls] == ["pending"] * 3


@pytest.mark.parametrize(
    ("answer", "value", "done"),
    [
        (Approve(), 5, [("pay", 5)]),
        (Edit({"n": 6}), 6, [("pay", 6)]),
        (Reject("too much"), ["denied", "too much"], []),
        (None, ["denied", None], []),
        ("yes", ["denied", None], []),
        (RuntimeError("secret"), ["denied", None], []),
    ],
)
@pytest.mark.parametrize("waits", [False, True])
async def test_what_a_person_says(answer: Any, value: Any, done: Any, waits: bool) -> None:
    effects, asked = Effects(), list[Pending]()

    def plain(pending: Pending) -> Any:
        asked.append(pending)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def later(pending: Pending) -> Any:
        await asyncio.sleep(0.01)
        return plain(pending)

    script = "try { return await tools.pay({ n: 5 }) } catch (e) { return [e.code, e.message] }"
    result = await run(script, effects.tools, approve=later if waits else plain)
    assert result.error is None
    assert len(asked) == 1
    assert effects.done == done
    if isinstance(value, list):
        assert result.value[0] == value[0]
        assert value[1] is None or result.value[1] == value[1]
        assert "secret" not in result.value[1]
    else:
        assert result.value == value
        if isinstance(answer, Edit):
            assert result.calls[0].args == {"n": 6}
            assert result.calls[0].note


async def test_approval_by_the_arguments() -> None:
    effects = Effects()
    asked: list[Pending] = []

    def approve(pending: Pending) -> Any:
        asked.append(pending)
        return Approve()

    script = "return [await tools.big({ n: 1 }), await tools.big({ n: 11 })]"
    result = await run(script, effects.tools, approve=approve)
    assert result.value == [1, 11]
    assert [pending.args["n"] for pending in asked] == [11]


@pytest.mark.parametrize("wrong", ["raises", "nothing"])
async def test_an_approval_rule_that_fails_lets_nothing_through(wrong: str) -> None:
    ran: list[int] = []

    async def call(args: Any, context: Any) -> None:
        ran.append(1)

    def rule(args: Any) -> Any:
        if wrong == "raises":
            raise KeyError("n")

    result = await run("await tools.t({})", [tool("t", call, requires_approval=rule)])
    assert result.status == ("failed" if wrong == "raises" else "paused")
    assert not ran


async def test_the_wall_clock_stands_while_a_person_decides(clock: Clock) -> None:
    effects = Effects()

    async def approve(pending: Pending) -> Any:
        clock.passes(WALL_S)
        await asyncio.sleep(0.01)
        return Approve()

    script = "await tools.pay({ n: 1 }); return await tools.pay({ n: 2 })"
    result = await run(script, effects.tools, approve=approve, wall_s=WALL_S)
    assert result.value == 2


async def test_an_approval_that_never_comes_ends_with_the_run() -> None:
    effects, asked = Effects(), asyncio.Event()

    async def approve(pending: Pending) -> Any:
        asked.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(run("await tools.pay({ n: 1 })", effects.tools, approve=approve))
    await asked.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not effects.done


async def test_what_an_answer_names_is_bound_to_run_place_tool_and_arguments() -> None:
    effects = Effects()
    script = "return await tools.pay({ n: 5 })"

    async def asked(source: str, **setup: Any) -> str:
        [pending] = (await run(source, effects.tools, **setup)).pending
        return pending.id

    named = await asked(script)
    assert await asked(script) == named
    others = [
        await asked("return await tools.pay({ n: 6 })"),
        await asked("await tools.read({ n: 5 }); return await tools.pay({ n: 5 })"),
        await asked("return await tools.big({ n: 50 })"),
        await asked(script, run_id="run-2"),
    ]
    assert len({named, *others}) == 5


async def test_a_script_that_returns_without_waiting_does_not_pause() -> None:
    effects = Effects()
    result = await run("tools.pay({ n: 1 }); return 'done'", effects.tools)
    assert (result.status, result.value) == ("completed", "done")
    assert [call.status for call in result.calls] == ["cancelled"]
    assert not effects.done


class Nested:
    """A tool that runs a script which calls one that needs a person."""

    def __init__(self) -> None:
        self.effects = Effects()
        self.tools = [*self.effects.tools, tool("outer", self._outer)]

    async def _outer(self, args: Any, context: Any) -> Any:
        result = await context.run("return await tools.pay({ n: 1 })")
        return [result.status, result.value]


async def test_a_nested_script_cannot_pause() -> None:
    nested = Nested()
    result = await run("return await tools.outer({})", nested.tools)
    assert result.value == ["failed", None]
    assert not nested.effects.done


async def test_all_clocks_stand_while_a_person_decides_in_a_nested_script(clock: Clock) -> None:
    nested = Nested()

    async def approve(pending: Pending) -> Any:
        clock.passes(WALL_S)
        await asyncio.sleep(0.01)
        return Approve()

    result = await run("return await tools.outer({})", nested.tools, approve=approve, wall_s=WALL_S)
    assert result.value == ["completed", 1]


@pytest.mark.parametrize(("answer", "done"), [(Reject("no"), []), (Edit({"n": 5}), [5])])
async def test_an_answer_counts_although_nobody_would_ask_any_more(
    answer: Reject | Edit, done: list[int]
) -> None:
    paid: list[int] = []
    asked: list[Any] = []

    def first_only(args: Any) -> bool:
        asked.append(args)
        return len(asked) == 1

    pay = tool(
        "pay", lambda args, context: paid.append(args["n"]), schema=N, requires_approval=first_only
    )
    async with CodeMode([pay]) as codemode:
        paused = await codemode.run("return await tools.pay({ n: 1 })")
        await codemode.resume(paused.run_id, {paused.pending[0].id: answer})
    assert paid == done


async def test_resume_sync_goes_on_with_a_run_inside_of_a_running_loop() -> None:
    effects = Effects()
    codemode = CodeMode(effects.tools)
    paused = codemode.run_sync("return await tools.pay({ n: 2 })")
    assert codemode.resume_sync(paused.run_id).status == "paused"
    done = codemode.resume_sync(
        paused.run_id, {paused.pending[0].id: Edit({"n": 3})}, timeout=WALL_S
    )
    assert done.value == 3
    assert effects.done == [("pay", 3)]
