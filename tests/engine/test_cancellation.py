"""A run that is cancelled at every turn of the event loop leaves nothing behind."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from toolscript import (
    Approve,
    CancelToken,
    CodeMode,
    Decision,
    Determinism,
    ErrorKind,
    InlineRuntime,
    MemoryJournal,
    Policy,
    Reject,
    RunResult,
    SQLiteJournal,
    Tool,
    ToolOptions,
    events,
    tool_from,
)
from toolscript.contract.tool import Retry

SCRIPT = """
console.log("begin");
const many = await Promise.all([
  tools.read({ n: 1 }), tools.blocking({ n: 2 }), tools.read({ n: 3 }), tools.effect({ n: 1 }),
  tools.read({ n: 9 }),
]);
const nested = await tools.nested({ n: await tools.flaky({ n: 5 }) });
await sleep(1);
const last = await tools.effect({ n: 2 });
return [many, nested, last, await tools.careful({ n: 3 })];
"""
VALUE = [[1, 2, 3, "did 1", 9], 6, "did 2", "did 3"]
MOST_TURNS = 400


@dataclass
class World:
    """What the tools do, and what was told of it."""

    effects: list[int] = field(default_factory=list[int])
    told: list[events.Event] = field(default_factory=list[events.Event])
    at_work: int = 0
    tries: int = 0

    def tools(self) -> list[Tool]:
        async def read(n: int) -> int:
            self.at_work += 1
            try:
                await asyncio.sleep(0)
                return n
            finally:
                self.at_work -= 1

        def blocking(n: int) -> int:
            time.sleep(0.001)
            return n

        async def flaky(n: int) -> int:
            await asyncio.sleep(0)
            self.tries += 1
            if self.tries % 2:
                raise ValueError("once more")
            return n

        async def nested(n: int, context: Any) -> int:
            return (await context.run(f"return await tools.read({{ n: {n} }}) + 1")).unwrap()

        reads = ToolOptions(read_only=True)
        retried = ToolOptions(idempotent=True, timeout=60, retry=Retry(attempts=3, wait_s=0))
        return [
            tool_from(read, options=ToolOptions(read_only=True, max_concurrency=2)),
            tool_from(blocking, options=reads),
            tool_from(flaky, options=retried),
            Tool(
                "nested",
                "Runs a script.",
                {"type": "object", "properties": {"n": {"type": "integer"}}},
                None,
                lambda args, context: nested(args["n"], context),
                options=reads,
            ),
            tool_from(self.effect),
            tool_from(self.careful, options=ToolOptions(requires_approval=True)),
        ]

    async def effect(self, n: int) -> str:
        self.at_work += 1
        try:
            await asyncio.sleep(0)
            self.effects.append(n)
            return f"did {n}"
        finally:
            self.at_work -= 1

    async def careful(self, n: int) -> str:
        self.effects.append(n)
        return f"did {n}"

    async def watch(self, event: events.Event) -> None:
        await asyncio.sleep(0)
        self.told.append(event)


class SlowJournal(MemoryJournal):
    """One in which a cancellation can come to every step, before and after it is done."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or not inspect.iscoroutinefunction(found):
            return found

        async def slowly(*args: Any, **options: Any) -> Any:
            await asyncio.sleep(0)
            result = await found(*args, **options)
            await asyncio.sleep(0)
            return result

        return slowly


async def approve(pending: Any) -> Approve:
    await asyncio.sleep(0)
    return Approve()


async def allow(request: Any) -> Decision:
    await asyncio.sleep(0)
    return Decision("allow", policy_version="1")


class Turns(selectors.DefaultSelector):
    """Counts the turns of an event loop, and cancels something in the midst of them."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = 0
        self.plan: dict[int, Callable[[], Any]] = {}

    def select(self, timeout: float | None = None) -> Any:
        self.turn += 1
        planned = self.plan.pop(self.turn, None)
        if planned is not None:
            planned()
            timeout = 0
        return super().select(timeout)


Plan = Callable[[Callable[[], Any]], None]
"""Plans a cancellation."""

Scenario = Callable[[Plan], Coroutine[Any, Any, bool]]
"""Something cancelled as planned; gives whether that came before its end."""


def at_every_turn(scenario: Scenario, *, again_after: int | None = None) -> None:
    """Run `scenario` once for each turn of the event loop, until it ends before that turn."""
    for turn in range(1, MOST_TURNS):
        if not at_turn(turn, scenario, again_after):
            assert turn > 10
            return
    pytest.fail("the scenario never came to its end")


def at_turn(turn: int, scenario: Scenario, again_after: int | None) -> bool:
    turns = Turns()
    complaints: list[Any] = []

    def plan(cancel: Callable[[], Any]) -> None:
        turns.plan[turns.turn + turn] = cancel
        if again_after is not None:
            turns.plan[turns.turn + turn + again_after] = cancel

    loop = asyncio.SelectorEventLoop(turns)
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    try:
        came = loop.run_until_complete(scenario(plan))
    finally:
        loop.close()
    assert not complaints, (turn, complaints)
    return came


async def no_task_left() -> None:
    for _ in range(2_000):
        left = asyncio.all_tasks() - {asyncio.current_task()}
        if not left:
            return
        await asyncio.sleep(0.005)
    pytest.fail(f"still at work: {left}")


async def nothing_left(world: World, codemode: CodeMode) -> None:
    await no_task_left()
    assert not world.at_work
    # Both places of the tool are free, and so is the runtime.
    script = "return await Promise.all([tools.read({ n: 7 }), tools.read({ n: 8 })])"
    assert (await codemode.run(script)).value == [7, 8]
    await codemode.aclose()


def every_start_has_its_end(told: list[events.Event]) -> None:
    own = [event for event in told if event.run_id == "r"]
    if own:
        assert [isinstance(event, events.RunEnded) for event in own].index(True) == len(own) - 1
    ended = (events.CallCompleted, events.CallFailed, events.CallDenied)
    open_calls: set[int] = set()
    for event in own:
        if isinstance(event, events.CallStarted):
            open_calls.add(event.call.seq)
        elif isinstance(event, ended):
            open_calls.discard(event.call.seq)
        elif isinstance(event, events.RunEnded):
            calls = event.result.calls
            assert all(call.started_at is None for call in calls if call.status == "pending")
    assert not open_calls


@pytest.mark.parametrize("again_after", [None, 2])
def test_a_cancelled_run_leaves_nothing(again_after: int | None):
    async def scenario(plan: Plan) -> bool:
        world = World()
        codemode = CodeMode(
            world.tools(),
            runtime=InlineRuntime(),
            approve=approve,
            policy=Policy(authorize=allow, version="1"),
        )
        task = asyncio.ensure_future(codemode.run(SCRIPT, run_id="r", on_event=world.watch))
        plan(task.cancel)
        await asyncio.wait([task])
        every_start_has_its_end(world.told)
        await nothing_left(world, codemode)
        if not task.cancelled():
            assert task.result().value == VALUE
        return task.cancelled()

    at_every_turn(scenario, again_after=again_after)


@pytest.mark.parametrize("how", ["token", "abort"])
def test_an_aborted_run_leaves_nothing(how: str):
    async def scenario(plan: Plan) -> bool:
        world, token = World(), CancelToken()
        codemode = CodeMode(world.tools(), runtime=InlineRuntime(), approve=approve)
        task = asyncio.ensure_future(
            codemode.run(SCRIPT, run_id="r", on_event=world.watch, cancel=token)
        )

        def abort() -> None:
            if how == "token":
                token.cancel()
            else:
                aborting.append(asyncio.ensure_future(codemode.abort("r")))

        aborting: list[asyncio.Future[bool]] = []
        plan(abort)
        result = await task
        for each in aborting:
            await each
        every_start_has_its_end(world.told)
        await nothing_left(world, codemode)
        if result.ok:
            # It was over before that, or nobody knew of it yet.
            assert result.value == VALUE
            return token.cancelled or bool(aborting)
        assert result.error is not None
        assert result.error.kind is ErrorKind.ABORTED
        return True

    at_every_turn(scenario)


async def gone_on_with(codemode: CodeMode, world: World) -> RunResult:
    """The end of run r, whatever it stopped at; an outcome that nobody knows is looked up."""
    while True:
        result = await codemode.resume("r")
        if not result.pending:
            return result
        answers: dict[str, Approve | Reject] = {}
        for pending in result.pending:
            done = result.error is not None and pending.args["n"] in world.effects
            answers[pending.id] = Reject("it was done") if done else Approve()
        await codemode.resume("r", answers)


@pytest.mark.parametrize("journal", ["memory", "sqlite"])
@pytest.mark.parametrize("resumed", [False, True])
def test_a_cancelled_run_can_go_on_and_repeats_nothing(journal: str, resumed: bool, tmp_path: Path):
    files = itertools.count()

    async def scenario(plan: Plan) -> bool:
        world = World()
        path = tmp_path / f"{next(files)}.db"
        kept = SlowJournal() if journal == "memory" else SQLiteJournal(path)
        codemode = CodeMode(world.tools(), runtime=InlineRuntime(), journal=kept)
        work = partial(codemode.run, SCRIPT, run_id="r")
        if resumed:
            paused = await work()
            answers = {pending.id: Approve() for pending in paused.pending}
            work = partial(codemode.resume, "r", answers)
        task = asyncio.ensure_future(work(on_event=world.watch))
        plan(task.cancel)
        await asyncio.wait([task])
        every_start_has_its_end(world.told)
        infos = {info.run_id: info.status for info in codemode.list_runs()}
        assert infos.get("r") != "running"
        if "r" in infos:
            result = await gone_on_with(codemode, world)
            assert result.value == VALUE or "it was done" in str(result.error)
        assert len(set(world.effects)) == len(world.effects)
        await nothing_left(world, codemode)
        await kept.aclose()
        return task.cancelled()

    at_every_turn(scenario)


ANSWERS: dict[str, Callable[[Any], Any]] = {
    "read": lambda args: args["n"],
    "blocking": lambda args: args["n"],
    "flaky": lambda args: args["n"],
    "nested": lambda args: args["n"] + 1,
    "effect": lambda args: f"did {args['n']}",
    "careful": lambda args: f"did {args['n']}",
    "sleep": lambda args: None,
}


def test_a_cancelled_stepwise_run_leaves_nothing():
    async def stepwise(codemode: CodeMode) -> RunResult:
        step = await codemode.start(SCRIPT, determinism=Determinism(now_ms=1, seed=1))
        while step.result is None:
            step = await step.deliver(
                {
                    call.seq: Approve()
                    if call.kind == "approval"
                    else ANSWERS[call.tool](call.args)
                    for call in step.pending
                }
            )
        return step.result

    async def scenario(plan: Plan) -> bool:
        world = World()
        codemode = CodeMode(world.tools(), runtime=InlineRuntime())
        task = asyncio.ensure_future(stepwise(codemode))
        plan(task.cancel)
        await asyncio.wait([task])
        await nothing_left(world, codemode)
        if not task.cancelled():
            assert task.result().value == VALUE
        return task.cancelled()

    at_every_turn(scenario)


async def test_a_scope_that_cancels_at_every_turn_waits_for_the_end():
    """As anyio does, and so the servers and SDKs that are built on it."""
    anyio = pytest.importorskip("anyio")
    let_go: list[str] = []
    told: list[events.Event] = []

    async def hangs() -> None:
        scope.cancel()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            let_go.append("hangs")

    async def watch(event: events.Event) -> None:
        await asyncio.sleep(0)
        told.append(event)

    codemode = CodeMode([hangs], runtime=InlineRuntime(), journal=MemoryJournal())
    with anyio.CancelScope() as scope:
        await codemode.run("await tools.hangs()", run_id="r", on_event=watch)
    assert scope.cancelled_caught
    assert let_go == ["hangs"]
    every_start_has_its_end(told)
    assert isinstance(told[-1], events.RunEnded)
    assert [info.status for info in codemode.list_runs()] == ["interrupted"]
    await no_task_left()


INTERRUPTED = """
import asyncio, os, signal
from toolscript import CodeMode, InlineRuntime

async def hangs():
    os.kill(os.getpid(), signal.SIGINT)
    try:
        await asyncio.sleep(600)
    finally:
        print("let go", flush=True)

async def main():
    # As notebooks have it; asyncio's own handler would only cancel this task.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        CodeMode([hangs], runtime=InlineRuntime()).run_sync("await tools.hangs()")
    except KeyboardInterrupt:
        print("interrupted", flush=True)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to send")
def test_an_interrupted_run_sync_leaves_nothing_at_work():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "let go\ninterrupted\n"
