"""Random call graphs through the whole host, against what the rules say must have happened."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.support import run, tool
from toolscript.errors import ToolError
from toolscript.events import CallCompleted, CallDenied, CallFailed, CallStarted
from toolscript.host.cancel import CancelToken
from toolscript.host.policy import Decision, Policy, PolicyRequest
from toolscript.result import ErrorKind, RunResult


@dataclass(frozen=True)
class Plan:
    """One call: what kind of tool, how long, and how it is to end."""

    kind: str  # read, write, alone
    turns: int
    ending: str  # ok, error, denied_by_tool, denied_by_policy, invalid


@dataclass(frozen=True)
class Group:
    together: bool
    parts: tuple[Any, ...]


PLANS = st.builds(
    Plan,
    st.sampled_from(["read", "read", "write", "alone"]),
    st.integers(0, 6),
    st.sampled_from(["ok", "ok", "ok", "error", "denied_by_tool", "denied_by_policy", "invalid"]),
)
GRAPHS = st.recursive(
    PLANS,
    lambda inner: st.builds(
        Group, st.booleans(), st.lists(inner, min_size=1, max_size=4).map(tuple)
    ),
    max_leaves=14,
)

STATUS = {
    "ok": "ok",
    "error": "error",
    "invalid": "error",
    "denied_by_tool": "denied",
    "denied_by_policy": "denied",
}


def leaves(graph: Any) -> Iterator[Plan]:
    if isinstance(graph, Plan):
        yield graph
    else:
        for part in graph.parts:
            yield from leaves(part)


def script_of(graph: Any, plans: dict[int, Plan]) -> str:
    if isinstance(graph, Plan):
        number = len(plans)
        plans[number] = graph
        args = "{ n: 'x' }" if graph.ending == "invalid" else f"{{ n: {number} }}"
        return f"call('{graph.kind}', {args})"
    parts = [script_of(part, plans) for part in graph.parts]
    if graph.together:
        return f"Promise.all([{', '.join(parts)}])"
    return f"(async () => {{ {' '.join(f'await {part};' for part in parts)} }})()"


@dataclass
class World:
    """The tools, and everything that happened to them in order."""

    plans: dict[int, Plan]
    delays: tuple[int, ...]
    stop_after: int | None = None
    token: CancelToken = field(default_factory=CancelToken)
    trace: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    asked: list[int] = field(default_factory=list[int])
    events: list[Any] = field(default_factory=list[Any])

    def note(self, what: str, number: int) -> None:
        self.trace.append((what, number))
        if self.stop_after is not None and len(self.trace) == self.stop_after:
            self.token.cancel()

    async def call(self, args: Any, context: Any) -> Any:
        number = args["n"]
        plan = self.plans[number]
        self.note("start", number)
        try:
            for _ in range(plan.turns):
                await asyncio.sleep(0)
        finally:
            self.note("end", number)
        if plan.ending == "error":
            raise RuntimeError(f"call {number} failed")
        if plan.ending == "denied_by_tool":
            raise ToolError("not this one", code="denied")
        return number

    async def authorize(self, request: PolicyRequest) -> Decision:
        number = request.args["n"]
        self.asked.append(number)
        for _ in range(self.delays[number % len(self.delays)]):
            await asyncio.sleep(0)
        denied = self.plans[number].ending == "denied_by_policy"
        return Decision("deny" if denied else "allow")

    def tools(self) -> list[Any]:
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
        return [
            tool("read", self.call, schema=schema, read_only=True),
            tool("write", self.call, schema=schema),
            tool("alone", self.call, schema=schema, parallel=False),
        ]


CALL = (
    "const call = async (k, a) => { try { return await tools[k](a) } catch (e) { return e.code } };"
)


async def happen(world: World, body: str, mode: Any, most: int | None) -> RunResult:
    return await run(
        f"{CALL} await {body}; return 'done'",
        world.tools(),
        knobs={"parallel": mode},
        limits={"parallel": most},
        policy=Policy(world.authorize),
        cancel=world.token,
        on_event=world.events.append,
    )


def check_overlap(world: World, mode: str, most: int | None) -> None:
    """No two overlap that may not, never too many, and barriers hold on both sides."""
    running: list[int] = []
    for what, number in world.trace:
        if what == "end":
            running.remove(number)
            continue
        alone = {
            "all": ("alone",),
            "reads": ("alone", "write"),
            "serial": ("alone", "write", "read"),
        }[mode]
        kinds = [world.plans[other].kind for other in running]
        assert not any(kind in alone for kind in kinds), "something overlaps a barrier"
        assert not (running and world.plans[number].kind in alone), "a barrier overlaps something"
        running.append(number)
        assert most is None or len(running) <= most
    assert not running, "a tool was still at work when the run was over"


def check_receipts(world: World, result: RunResult) -> None:
    """The record holds each call once, in order, with what happened to its tool."""
    assert [call.seq for call in result.calls] == list(range(1, len(result.calls) + 1))
    started = [number for what, number in world.trace if what == "start"]
    recorded = [call.args["n"] for call in result.calls if call.started_at is not None]
    assert sorted(recorded) == sorted(started)
    assert len(set(started)) == len(started)
    for call in result.calls:
        number = call.args["n"]
        if number == "x":
            assert (call.status, call.error and call.error.code) == ("error", "invalid_args")
            continue
        plan = world.plans[number]
        if call.status == "cancelled":
            assert not result.ok
        else:
            assert call.status == STATUS[plan.ending]
            assert (call.result == number) == (plan.ending == "ok")
        if plan.ending == "denied_by_policy":
            assert number not in started


def check_events(world: World, result: RunResult) -> None:
    """A start event for each call that started, and one end event for each that ended."""
    started = [event.call.seq for event in world.events if isinstance(event, CallStarted)]
    assert sorted(started) == [call.seq for call in result.calls if call.started_at is not None]
    ended = [
        event.call.seq
        for event in world.events
        if isinstance(event, CallCompleted | CallFailed | CallDenied)
    ]
    assert len(set(ended)) == len(ended)
    expected = [c.seq for c in result.calls if c.status != "cancelled" or c.started_at is not None]
    assert sorted(ended) == expected


MODES = st.sampled_from(["all", "reads", "serial"])
MOST = st.sampled_from([None, 1, 2, 3])
DELAYS = st.lists(st.integers(0, 5), min_size=1, max_size=4).map(tuple)


@settings(max_examples=80)
@given(GRAPHS, MODES, MOST, DELAYS)
def test_every_graph_runs_by_the_rules(graph: Any, mode: Any, most: Any, delays: Any) -> None:
    plans: dict[int, Plan] = {}
    body = script_of(graph, plans)
    world = World(plans, delays)
    result = asyncio.run(happen(world, body, mode, most))
    assert result.value == "done", result.error
    assert len(result.calls) == len(plans)
    check_overlap(world, mode, most)
    check_receipts(world, result)
    check_events(world, result)
    if mode != "all":
        seqs = {call.args["n"]: call.seq for call in result.calls}
        starts = [seqs[number] for what, number in world.trace if what == "start"]
        assert starts == sorted(starts), "calls start in the order in which they were made"


@settings(max_examples=80)
@given(GRAPHS, MODES, MOST, DELAYS, st.integers(1, 12))
def test_a_run_that_is_stopped_anywhere_leaves_nothing_behind(
    graph: Any, mode: Any, most: Any, delays: Any, stop_after: int
) -> None:
    plans: dict[int, Plan] = {}
    body = script_of(graph, plans)
    world = World(plans, delays, stop_after)
    result = asyncio.run(happen(world, body, mode, most))
    if result.ok:
        assert result.value == "done"
    else:
        assert result.error is not None
        assert result.error.kind is ErrorKind.ABORTED
    check_overlap(world, mode, most)
    check_receipts(world, result)
    check_events(world, result)
