"""A run in numbered steps: the same answers make the same calls, and no tool is touched."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript import (
    Approve,
    CodeMode,
    Determinism,
    Edit,
    InlineRuntime,
    InputError,
    QuickJSRuntime,
    Reject,
    Runtime,
    Step,
    Tool,
    ToolError,
    ToolOptions,
)

PINNED = Determinism(now_ms=1_700_000_000_000, seed=7, clock="advancing")


def untouched(name: str, **options: Any) -> Tool:
    def call(args: Any, context: Any) -> Any:
        raise AssertionError("a step touches no tool")

    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    return Tool(name, name, schema, {"type": "integer"}, call, ToolOptions(**options))


def engine(runtime: Runtime | None = None) -> CodeMode:
    tools = [untouched("a"), untouched("b"), untouched("gate", requires_approval=True)]
    return CodeMode({"": tools, "bank": [untouched("pay")]}, runtime=runtime or InlineRuntime())


def shown(step: Step) -> list[tuple[int, str, str, Any]]:
    return [(call.seq, call.kind, call.tool, call.args) for call in step.pending]


async def test_a_run_goes_from_step_to_step():
    step = await engine().start(
        """
        const a = await tools.a({ n: 1 });
        const [b, c] = await Promise.all([tools.b({ n: a }), bank.pay({ n: 3 })]);
        return [a, b, c];
        """,
        determinism=PINNED,
    )
    assert shown(step) == [(1, "call", "a", {"n": 1})]
    assert step.result is None
    step = await step.deliver({1: 10})
    assert shown(step) == [(2, "call", "b", {"n": 10}), (3, "call", "pay", {"n": 3})]
    assert [call.namespace for call in step.pending] == [None, "bank"]
    step = await step.deliver({3: 30})
    assert shown(step) == [(2, "call", "b", {"n": 10})]
    step = await step.deliver({2: 20})
    assert step.pending == ()
    assert step.result is not None
    assert step.result.value == [10, 20, 30]
    assert [call.status for call in step.result.calls] == ["ok"] * 3


async def test_in_worker_processes_too():
    runtime = QuickJSRuntime(max_workers=1)
    step = await engine(runtime).start(
        "await sleep(5); return (await tools.a({ n: 1 })) + 1;", determinism=PINNED
    )
    assert shown(step) == [(1, "timer", "sleep", {"ms": 5})]
    step = await step.deliver({1: None})
    step = await step.deliver({2: 41})
    assert step.result is not None
    assert step.result.value == 42
    await runtime.aclose()


async def test_a_failed_call_is_an_exception():
    step = await engine().start(
        "try { await tools.a({ n: 1 }); } catch (error) { return [error.code, error.message]; }",
        determinism=PINNED,
    )
    step = await step.deliver({1: ToolError("the card expired", code="timeout")})
    assert step.result is not None
    assert step.result.value == ["timeout", "the card expired"]


async def test_arguments_and_results_are_checked():
    step = await engine().start(
        """
        const seen = [];
        for (const args of [{ n: "one" }, { n: 1 }]) {
          try { await tools.a(args); } catch (error) { seen.push(error.code); }
        }
        return seen;
        """,
        determinism=PINNED,
    )
    assert shown(step) == [(2, "call", "a", {"n": 1})]
    step = await step.deliver({2: "no number"})
    assert step.result is not None
    assert step.result.value == ["invalid_args", "invalid_result"]


async def test_timers_belong_to_the_engine():
    script = """
        const before = Date.now();
        const late = setTimeout(() => console.log("late"), 5000);
        await Promise.race([sleep(100), tools.a({ n: 1 })]);
        clearTimeout(late);
        return Date.now() - before;
    """
    step = await engine().start(script, determinism=PINNED)
    assert shown(step) == [
        (1, "timer", "sleep", {"ms": 5000}),
        (2, "timer", "sleep", {"ms": 100}),
        (3, "call", "a", {"n": 1}),
    ]
    step = await step.deliver({2: None}, now_ms=PINNED.now_ms + 100)
    assert step.result is not None
    assert step.result.value == 100
    assert step.result.output == ()


async def test_an_answer_that_ends_the_wait_for_another():
    step = await engine().start(
        """
        const late = setTimeout(() => {}, 5000);
        await tools.a({ n: 1 });
        clearTimeout(late);
        return "done";
        """,
        determinism=PINNED,
    )
    step = await step.deliver({2: 1, 1: None})
    assert step.result is not None
    assert step.result.value == "done"


@pytest.mark.parametrize(
    ("answer", "value"),
    [(Approve(), 7), (Edit({"n": 2}), 7), (Reject("no"), "denied")],
)
async def test_approvals_are_asked_of_the_engine(answer: Any, value: Any):
    step = await engine().start(
        "try { return await tools.gate({ n: 1 }); } catch (error) { return error.code; }",
        determinism=PINNED,
    )
    assert shown(step) == [(1, "approval", "gate", {"n": 1})]
    step = await step.deliver({1: answer})
    if not isinstance(answer, Reject):
        args = {"n": 2} if isinstance(answer, Edit) else {"n": 1}
        assert shown(step) == [(1, "call", "gate", args)]
        step = await step.deliver({1: 7})
    assert step.result is not None
    assert step.result.value == value


async def test_wrong_answers_are_told_and_change_nothing():
    step = await engine().start("return await tools.a({ n: 1 });", determinism=PINNED)
    with pytest.raises(InputError, match="call 2 waits for no answer; pending: 1"):
        await step.deliver({1: 1, 2: 2})
    with pytest.raises(InputError, match="waits for what its tool returns"):
        await step.deliver({1: Approve()})
    done = await step.deliver({1: 1})
    assert done.result is not None
    assert done.result.value == 1
    with pytest.raises(InputError, match="over"):
        await step.deliver({1: 1})


async def test_a_script_that_fails_or_never_calls_ends_at_once():
    for script, status in (("return 1", "completed"), ("nonsense(", "failed"), ("x.y", "failed")):
        step = await engine().start(script, determinism=PINNED)
        assert step.result is not None
        assert step.result.status == status


async def test_a_run_can_be_given_up():
    step = await engine().start("await tools.a({ n: 1 });", determinism=PINNED)
    await step.aclose()


@pytest.mark.parametrize(("unawaited", "calls"), [("drain", 1), ("cancel", 0)])
async def test_what_the_script_did_not_wait_for(unawaited: Any, calls: int):
    codemode = CodeMode([untouched("a")], runtime=InlineRuntime(), unawaited=unawaited)
    step = await codemode.start(
        "tools.a({ n: 1 }); setTimeout(() => {}, 1000); return 2;", determinism=PINNED
    )
    assert len([call for call in step.pending if call.kind == "call"]) == calls
    if calls:
        step = await step.deliver({1: 5})
    assert step.result is not None
    assert step.result.value == 2


async def test_more_calls_than_may_run_at_once_all_wait_here():
    step = await engine().start(
        "return await Promise.all(Array.from({ length: 50 }, (_, n) => tools.a({ n })));",
        determinism=PINNED,
    )
    assert len(step.pending) == 50
    step = await step.deliver({call.seq: call.args["n"] for call in reversed(step.pending)})
    assert step.result is not None
    assert step.result.value == list(range(50))


@settings(max_examples=15)
@given(order=st.permutations(range(1, 6)), cuts=st.sets(st.integers(1, 4)))
def test_the_same_answers_make_the_same_calls(order: list[int], cuts: set[int]):
    script = """
        const trace = [];
        const chain = async (n) => {
          const first = await tools.a({ n });
          trace.push([n, Date.now(), Math.random()]);
          for (let turn = 0; turn < n; turn++) await null;
          const second = await tools.b({ n: first + trace.length });
          trace.push([n, second]);
        };
        await Promise.all([1, 2, 3, 4, 5].map(chain));
        return trace;
    """

    async def once(bounds: list[int]) -> tuple[Any, list[Any]]:
        step = await engine().start(script, determinism=PINNED)
        made: list[Any] = list(shown(step))
        for begin, end in pairwise(bounds):
            answers: Mapping[int, Any] = {seq: seq * 10 for seq in order[begin:end]}
            step = await step.deliver(answers, now_ms=PINNED.now_ms + end)
        seconds = [call for call in step.pending if call.tool == "b"]
        made += [(call.seq, call.args) for call in seconds]
        step = await step.deliver({call.seq: call.args["n"] for call in seconds})
        assert step.result is not None
        return step.result.value, made

    async def check() -> None:
        bounds = [0, *sorted(cuts), 5]
        assert await once(bounds) == await once(bounds)

    asyncio.run(check())


async def test_an_engine_that_is_closed_ends_its_steps():
    codemode = engine()
    step = await codemode.start("return await tools.a({ n: 1 })", determinism=PINNED)
    await codemode.aclose()
    last = await step.deliver({1: 1})
    assert last.result is not None
    assert last.result.error is not None
    assert last.result.error.message == "the run was aborted: its CodeMode was closed"


async def test_an_answer_that_no_future_takes_fails_its_call():
    step = await engine().start(
        "try { await tools.a({ n: 1 }) } catch (e) { return e.message }", determinism=PINNED
    )
    last = await step.deliver({1: StopIteration(3)})
    assert last.result is not None
    assert last.result.value == "the tool raised StopIteration(3)"
