"""Pausing, resuming, and everything that may have changed in between."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from toolscript import (
    Approve,
    Authority,
    CodeMode,
    Decision,
    Edit,
    ErrorKind,
    GlobalFunction,
    InlineRuntime,
    Journal,
    MemoryJournal,
    Policy,
    Reject,
    ResumeError,
    RunResult,
    SQLiteJournal,
    Tool,
    ToolContext,
    ToolOptions,
)
from toolscript.events import CallCompleted, Event, Output, RunStarted
from toolscript.host.lease import new_lease


class World:
    """Tools that note what they did."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self._changed = asyncio.Event()

    def note(self, what: str) -> None:
        self.did.append(what)
        self._changed.set()

    async def until(self, what: str, times: int = 1) -> None:
        while self.did.count(what) < times:
            self._changed.clear()
            await self._changed.wait()

    def tool(
        self, name: str, *, returns: Callable[[Any], Any] | None = None, **options: Any
    ) -> Tool:
        async def call(args: Any, context: ToolContext) -> Any:
            self.note(f"{name} {args['n']}")
            if name == "hang":
                await asyncio.sleep(60)
            return args["n"] if returns is None else returns(args)

        schema = {
            "type": "object",
            "properties": {"n": {"type": "integer"}},
            "required": ["n"],
            "additionalProperties": False,
        }
        return Tool(name, name, schema, None, call, ToolOptions(**options))

    def tools(self) -> list[Tool]:
        return [
            self.tool("read", read_only=True),
            self.tool("pay"),
            self.tool("gate", requires_approval=True),
            self.tool("hang"),
        ]


def engine(world: World, journal: Journal | None, **options: Any) -> CodeMode:
    return CodeMode(world.tools(), journal=journal, runtime=InlineRuntime(), **options)


@pytest.fixture(params=["memory", "sqlite", "none"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Journal | None:
    if request.param == "none":
        return None
    return MemoryJournal() if request.param == "memory" else SQLiteJournal(tmp_path / "runs.db")


def approve(result: RunResult) -> dict[str, Approve]:
    return {pending.id: Approve() for pending in result.pending}


class TestApproval:
    async def test_an_approved_run_goes_on_where_it_was(self, journal: Journal | None):
        world = World()
        codemode = engine(world, journal)
        script = """
            console.log("before");
            const a = await tools.read({ n: 1 });
            const b = await tools.gate({ n: 2 });
            console.log("after");
            store("both", [a, b]);
            return [a, b];
        """
        paused = await codemode.run(script, run_id="run")
        assert paused.status == "paused"
        (pending,) = paused.pending
        assert (pending.tool, pending.args, pending.seq, pending.line) == ("gate", {"n": 2}, 2, 4)
        assert pending.reason == "every call of gate needs an approval"
        assert not paused.store_writes.set
        assert RunResult.from_json(paused.to_json()) == paused
        done = await codemode.resume("run", approve(paused))
        assert done.value == [1, 2]
        assert world.did == ["read 1", "gate 2"]
        assert done.store_writes.set == {"both": [1, 2]}
        assert [item.text for item in done.output] == ["before", "after"]
        assert [(call.tool, call.status, call.replayed) for call in done.calls] == [
            ("read", "ok", True),
            ("gate", "ok", False),
        ]
        assert done.usage.calls == 2
        assert done.usage.chars_out == 2

    async def test_it_tells_what_has_taken_effect(self, journal: Journal | None):
        codemode = engine(World(), journal)
        paused = await codemode.run(
            "await tools.read({ n: 1 }); await tools.pay({ n: 2 }); await tools.gate({ n: 3 });"
        )
        assert paused.pending[0].effects_so_far == ("pay (call 2)",)

    async def test_rejecting_denies_the_call(self, journal: Journal | None):
        world = World()
        codemode = engine(world, journal)
        script = """
            try { return await tools.gate({ n: 1 }); }
            catch (error) { return [error.code, error.message]; }
        """
        paused = await codemode.run(script)
        decisions = {paused.pending[0].id: Reject("too much")}
        done = await codemode.resume(paused.run_id, decisions)
        assert done.value == ["denied", "too much"]
        assert world.did == []

    async def test_editing_calls_with_other_arguments(self, journal: Journal | None):
        world = World()
        codemode = engine(world, journal)
        paused = await codemode.run(
            "const a = await tools.gate({ n: 1 }); return a + await tools.gate({ n: 5 });"
        )
        again = await codemode.resume(paused.run_id, {paused.pending[0].id: Edit({"n": 3})})
        assert again.status == "paused"
        done = await codemode.resume(paused.run_id, approve(again))
        assert done.value == 8
        assert world.did == ["gate 3", "gate 5"]
        assert done.calls[0].args == {"n": 3}

    async def test_a_run_does_not_pause_in_the_middle_of_a_function(self, journal: Journal | None):
        done: list[str] = []

        async def slow(args: Any, context: ToolContext) -> str:
            await asyncio.sleep(0.05)
            done.append("slow")
            return "slow"

        codemode = CodeMode(
            [World().tool("gate", requires_approval=True)],
            globals=[GlobalFunction("slow", slow)],
            journal=journal,
            runtime=InlineRuntime(),
        )
        paused = await codemode.run("return await Promise.all([slow(), tools.gate({ n: 1 })]);")
        assert paused.status == "paused"
        result = await codemode.resume(paused.run_id, approve(paused))
        assert result.value == ["slow", 1]
        assert done == ["slow"]

    async def test_what_was_called_together_is_done_and_the_script_waits(
        self, journal: Journal | None
    ):
        world = World()
        codemode = engine(world, journal)
        script = """
            const then = async (promise, n) => { await promise; return tools.pay({ n }); };
            return await Promise.all([
                then(tools.pay({ n: 1 }), 10),
                then(tools.gate({ n: 2 }), 20),
                then(tools.read({ n: 3 }), 30),
            ]);
        """
        paused = await codemode.run(script)
        assert paused.status == "paused"
        assert sorted(world.did) == ["pay 1", "read 3"]
        assert [call.status for call in paused.calls] == ["ok", "pending", "ok"]
        done = await codemode.resume(paused.run_id, approve(paused))
        assert done.value == [10, 20, 30]
        assert sorted(world.did) == ["gate 2", "pay 1", "pay 10", "pay 20", "pay 30", "read 3"]

    @pytest.mark.parametrize("first", [0, 1])
    async def test_two_questions_are_answered_in_any_order(
        self, journal: Journal | None, first: int
    ):
        world = World()
        codemode = engine(world, journal)
        script = """
            const then = async (promise, n) => { await promise; return tools.pay({ n }); };
            return await Promise.all([
                then(tools.gate({ n: 1 }), 10),
                then(tools.gate({ n: 2 }), 20),
                then(tools.read({ n: 3 }), 30),
            ]);
        """
        paused = await codemode.run(script)
        assert len({pending.id for pending in paused.pending}) == 2
        one, other = paused.pending[first], paused.pending[1 - first]
        half = await codemode.resume(paused.run_id, {one.id: Approve()})
        assert half.status == "paused"
        assert [pending.id for pending in half.pending] == [other.id]
        assert [call.status for call in half.calls].count("ok") == 2
        assert [did for did in world.did if did.startswith("pay")] == []
        done = await codemode.resume(paused.run_id, {other.id: Approve()})
        assert done.value == [10, 20, 30]
        assert sorted(world.did) == ["gate 1", "gate 2", "pay 10", "pay 20", "pay 30", "read 3"]

    async def test_an_answer_to_what_is_not_pending_changes_nothing(self, journal: Journal | None):
        world = World()
        codemode = engine(world, journal)
        paused = await codemode.run(
            "await tools.gate({ n: 1 }); return await tools.gate({ n: 2 });"
        )
        still = await codemode.resume(paused.run_id, {"1-unknown": Approve()})
        assert still.status == "paused"
        assert "1-unknown" in still.warnings[-1]
        assert f"waits now: {paused.pending[0].id} (gate)" in still.warnings[-1]
        assert world.did == []
        first = approve(paused)
        second = await codemode.resume(paused.run_id, first)
        assert second.status == "paused"
        again = await codemode.resume(paused.run_id, first)
        assert again.status == "paused"
        assert again.pending == second.pending
        assert paused.pending[0].id in again.warnings[-1]
        assert "call 1 (gate) does not wait for one, it is ok" in again.warnings[-1]
        done = await codemode.resume(paused.run_id, approve(second))
        over = await codemode.resume(paused.run_id, approve(second))
        assert over.value == done.value == 2
        assert second.pending[0].id in over.warnings[-1]
        assert over.warnings[-1].endswith("what waits now: nothing")
        assert world.did == ["gate 1", "gate 2"]

    @pytest.mark.parametrize(
        "wrong",
        [
            "yes",
            True,
            None,
            Approve,
        ],
        ids=str,
    )
    async def test_an_answer_that_is_none_changes_nothing(
        self, journal: Journal | None, wrong: Any
    ):
        world = World()
        codemode = engine(world, journal)
        paused = await codemode.run("return await tools.gate({ n: 1 });")
        with pytest.raises(ResumeError):
            await codemode.resume(paused.run_id, {paused.pending[0].id: wrong})
        with pytest.raises(ResumeError, match=r"pending\.id"):
            await codemode.resume(paused.run_id, [wrong])  # pyright: ignore[reportArgumentType]
        (info,) = codemode.list_runs()
        assert (info.status, info.pending) == ("paused", paused.pending)
        assert world.did == []
        assert (await codemode.resume(paused.run_id, approve(paused))).value == 1

    async def test_an_aborted_pause_leaves_no_call_pending(self, journal: Journal | None):
        world = World()
        codemode = engine(world, journal)
        paused = await codemode.run("return await tools.gate({ n: 1 });")
        assert await codemode.abort(paused.run_id)
        ended = await codemode.resume(paused.run_id)
        assert ended.status == "failed"
        assert [call.status for call in ended.calls] == ["cancelled"]

    async def test_a_callback_is_asked_once_and_its_answer_kept(self, tmp_path: Path):
        asked: list[int] = []

        def ask(pending: Any) -> Approve:
            asked.append(pending.args["n"])
            return Approve()

        journal = SQLiteJournal(tmp_path / "runs.db")
        world = World()
        script = "await tools.gate({ n: 1 }); await tools.hang({ n: 2 });"
        running = asyncio.create_task(engine(world, journal, approve=ask).run(script, run_id="run"))
        await world.until("hang 2")
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        stopped = await engine(world, journal, approve=ask).resume("run")
        assert stopped.error is not None
        assert stopped.error.kind is ErrorKind.UNKNOWN_OUTCOME
        assert asked == [1]
        assert world.did == ["gate 1", "hang 2"]

    async def test_a_paused_run_may_go_on_with_a_callback(self, journal: Journal | None):
        if journal is None:
            pytest.skip("another engine cannot know it")
        world = World()
        paused = await engine(world, journal).run("return await tools.gate({ n: 1 });")
        answering = engine(world, journal, approve=lambda pending: Approve())
        done = await answering.resume(paused.run_id)
        assert done.value == 1


class TestInterruption:
    async def interrupted(
        self, world: World, journal: Journal, script: str, at: str, **options: Any
    ) -> None:
        """Run until a tool is at work, then cancel."""
        running = asyncio.create_task(engine(world, journal).run(script, run_id="run", **options))
        await world.until(at)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    async def test_a_call_of_unknown_outcome_stops_the_run_until_somebody_decides(
        self, tmp_path: Path
    ):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        script = """
            await tools.pay({ n: 1 });
            try { return await tools.hang({ n: 2 }); } catch (error) { return error.message; }
        """
        await self.interrupted(world, journal, script, "hang 2")
        (info,) = engine(world, journal).list_runs()
        assert info.status == "interrupted"
        for _ in range(2):
            stopped = await engine(world, journal).resume("run")
            assert stopped.error is not None
            assert stopped.error.kind is ErrorKind.UNKNOWN_OUTCOME
            assert stopped.error.tool is not None
            assert "hang" in stopped.error.tool
            (pending,) = stopped.pending
            assert (pending.tool, pending.args, pending.seq) == ("hang", {"n": 2}, 2)
            assert pending.effects_so_far == ("pay (call 1)",)
        (info,) = engine(world, journal).list_runs()
        assert (info.status, info.pending) == ("undecided", stopped.pending)
        assert world.did == ["pay 1", "hang 2"]
        with pytest.raises(ResumeError, match="already made"):
            await engine(world, journal).resume("run", {pending.id: Edit({"n": 3})})
        done = await engine(world, journal).resume("run", {pending.id: Reject("it was not sent")})
        assert done.status == "completed"
        assert done.value == "it was not sent"
        assert world.did == ["pay 1", "hang 2"]

    async def test_approving_an_unknown_outcome_makes_the_call_again(self, tmp_path: Path):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        await self.interrupted(world, journal, "return await tools.hang({ n: 1 });", "hang 1")
        stopped = await engine(world, journal).resume("run")
        running = asyncio.create_task(engine(world, journal).resume("run", approve(stopped)))
        await world.until("hang 1", 2)
        running.cancel()
        await asyncio.wait([running])
        again = await engine(world, journal).resume("run")
        assert again.error is not None
        assert again.error.kind is ErrorKind.UNKNOWN_OUTCOME, "the answer was used up"

    @pytest.mark.parametrize("option", ["idempotent", "read_only"])
    async def test_what_may_be_repeated_is(self, tmp_path: Path, option: str):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        wait = asyncio.Event()

        async def call(args: Any, context: ToolContext) -> str:
            world.note("slow")
            await wait.wait()
            return "done"

        slow = Tool("slow", "", {"type": "object"}, None, call, ToolOptions(**{option: True}))

        def made() -> CodeMode:
            return CodeMode([*world.tools(), slow], journal=journal, runtime=InlineRuntime())

        running = asyncio.create_task(
            made().run("await tools.pay({ n: 1 }); return await tools.slow({});", run_id="run")
        )
        await world.until("slow")
        running.cancel()
        await asyncio.wait([running])
        wait.set()
        done = await made().resume("run")
        assert done.value == "done"
        assert world.did == ["pay 1", "slow", "slow"]

    async def test_a_sleep_goes_on_with_what_is_left(self, tmp_path: Path):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        script = """
            const before = Date.now();
            tools.read({ n: 1 });
            await sleep(500);
            await tools.read({ n: 2 });
            return Date.now() - before;
        """
        await self.interrupted(world, journal, script, "read 1")
        stored = await journal.load("run")
        assert stored is not None
        await asyncio.sleep(0.6)
        done = await engine(world, journal).resume("run")
        assert done.value >= 500
        assert world.did.count("read 2") == 1


class TestOwnership:
    async def test_a_run_at_work_cannot_be_resumed(self, tmp_path: Path):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        running = asyncio.create_task(
            engine(world, journal).run("await tools.hang({ n: 1 })", run_id="run")
        )
        await world.until("hang 1")
        with pytest.raises(ResumeError, match="is being run"):
            await engine(World(), SQLiteJournal(tmp_path / "runs.db")).resume("run")
        running.cancel()
        await asyncio.wait([running])

    async def test_of_two_that_resume_at_once_one_does(self, tmp_path: Path):
        world, path = World(), tmp_path / "runs.db"
        paused = await engine(world, SQLiteJournal(path)).run("return await tools.gate({ n: 1 });")
        tries = [
            engine(world, SQLiteJournal(path)).resume(paused.run_id, approve(paused))
            for _ in range(5)
        ]
        results = await asyncio.gather(*tries, return_exceptions=True)
        done = [result for result in results if isinstance(result, RunResult)]
        assert done
        assert all(result.value == 1 for result in done)
        assert all(isinstance(result, RunResult | ResumeError) for result in results)
        assert world.did == ["gate 1"]

    async def test_an_owner_that_lost_the_run_begins_nothing_more(self, tmp_path: Path):
        path = tmp_path / "runs.db"
        world, journal = World(), SQLiteJournal(path)
        thief = SQLiteJournal(path)

        async def steal(args: Any, context: ToolContext) -> None:
            stored = await thief.load("run")
            assert stored is not None
            assert stored.lease is not None
            assert await thief.claim("run", new_lease(), instead_of=stored.lease.owner)

        tool = Tool("steal", "", {"type": "object"}, None, steal)
        codemode = CodeMode([*world.tools(), tool], journal=journal, runtime=InlineRuntime())
        with pytest.raises(ResumeError, match="taken over"):
            await codemode.run("await tools.steal({}); await tools.pay({ n: 1 });", run_id="run")
        assert world.did == []

    async def test_an_unknown_run_cannot_be_resumed(self, journal: Journal | None):
        with pytest.raises(ResumeError, match="no run 'nobody'"):
            await engine(World(), journal).resume("nobody")

    async def test_a_failing_journal_fails_the_run_and_not_the_effects(self):
        class Full(MemoryJournal):
            async def append(self, *args: Any) -> bool:
                raise OSError("the disk is full")

        world = World()
        with pytest.raises(OSError, match="the disk is full"):
            await engine(world, Full()).run("await tools.pay({ n: 1 });")
        assert world.did == []


class TestChanges:
    async def test_other_tools_are_told_before_anything_runs(self, tmp_path: Path):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        paused = await engine(world, journal).run(
            "await tools.pay({ n: 1 }); await tools.gate({ n: 2 });"
        )
        changed = CodeMode(world.tools()[:3], journal=journal, runtime=InlineRuntime())
        with pytest.raises(ResumeError, match="the tools changed"):
            await changed.resume(paused.run_id, approve(paused))
        other = engine(world, journal, json="js")
        with pytest.raises(ResumeError, match="knobs"):
            await other.resume(paused.run_id, approve(paused))
        assert world.did == ["pay 1"]
        done = await engine(world, journal, limits={"wall_s": 50.0}).resume(
            paused.run_id, approve(paused)
        )
        assert done.ok

    async def test_a_script_that_takes_another_path_diverges(self):
        world, journal = World(), MemoryJournal()
        paused = await engine(world, journal).run(
            "await tools.pay({ n: 1 }); await tools.gate({ n: 2 });", run_id="run"
        )
        stored = await journal.load("run")
        assert stored is not None
        for script, told in (
            ("await tools.pay({ n: 7 }); await tools.gate({ n: 2 });", '{"n":7}'),
            ("await tools.read({ n: 1 }); await tools.gate({ n: 2 });", "tools.read"),
            ("return 1", "ended without making it"),
            ("await tools.pay({ n: 1 }); await new Promise(() => {});", "waits without"),
        ):
            changed, lease = MemoryJournal(), replace(new_lease(), expires_at=0.0)
            head = stored.head.replace(
                b"await tools.pay({ n: 1 }); await tools.gate({ n: 2 });", script.encode()
            )
            await changed.create("run", head, lease)
            await changed.append("run", lease, stored.entries)
            result = await engine(world, changed).resume("run", approve(paused))
            assert result.error is not None
            assert result.error.kind is ErrorKind.DIVERGED
            assert told in result.error.message
        assert world.did == ["pay 1"]

    async def test_authority_may_be_narrowed_and_not_widened(self, tmp_path: Path):
        journal = SQLiteJournal(tmp_path / "runs.db")
        world = World()

        def made() -> CodeMode:
            spend = world.tool("spend", capabilities=frozenset({"money"}))
            return CodeMode([*world.tools(), spend], journal=journal, runtime=InlineRuntime())

        script = """
            await tools.gate({ n: 1 });
            try { return await tools.spend({ n: 2 }); } catch (error) { return error.code; }
        """
        held = Authority("ann", frozenset({"money"}))
        paused = await made().run(script, authority=held)
        with pytest.raises(ResumeError, match="admin"):
            await made().resume(
                paused.run_id,
                approve(paused),
                authority=Authority("ann", frozenset({"money", "admin"})),
            )
        narrow = await made().resume(
            paused.run_id, approve(paused), authority=Authority("ann", frozenset())
        )
        assert narrow.value == "denied"
        paused = await made().run(script, authority=held)
        assert (await made().resume(paused.run_id, approve(paused))).value == 2

    async def test_context_is_given_again(self, journal: Journal | None):
        seen: list[Any] = []

        def call(args: Any, context: ToolContext) -> None:
            seen.append(context.app)

        look = Tool("look", "", {"type": "object"}, None, call)
        gate = World().tool("gate", requires_approval=True)
        codemode = CodeMode([look, gate], journal=journal, runtime=InlineRuntime())
        script = "await tools.look({}); await tools.gate({ n: 1 }); await tools.look({});"
        paused = await codemode.run(script, context="first")
        await codemode.resume(paused.run_id, approve(paused), context="second")
        assert seen == ["first", "second"]

    async def test_the_script_keeps_the_store_and_input_that_it_began_with(
        self, journal: Journal | None
    ):
        gate = World().tool("gate", requires_approval=True)
        codemode = CodeMode(
            [gate], journal=journal, runtime=InlineRuntime(), input_schema={"type": "integer"}
        )
        script = 'await tools.gate({ n: 1 }); return [load("k"), input];'
        paused = await codemode.run(script, store={"k": 1}, input=7)
        done = await codemode.resume(paused.run_id, approve(paused), store={"k": 2})
        assert done.value == [1, 7]
        assert "store" in done.warnings[-1]


class TestIds:
    async def test_an_id_that_is_over_gives_its_result(self, tmp_path: Path):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        script = "return await tools.pay({ n: 1 });"
        first = await engine(world, journal).run(script, run_id="order-1")
        again = await engine(world, journal).run(script, run_id="order-1")
        assert again == first
        assert world.did == ["pay 1"]
        with pytest.raises(ResumeError, match="another script"):
            await engine(world, journal).run("return 2", run_id="order-1")

    async def test_an_id_that_is_not_over_is_told_to_resume(self, tmp_path: Path):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        script = "await tools.gate({ n: 1 });"
        await engine(world, journal).run(script, run_id="run")
        with pytest.raises(ResumeError, match="resume"):
            await engine(world, journal).run(script, run_id="run")

    async def test_without_a_journal_an_id_is_only_a_name(self):
        world = World()
        codemode = engine(world, None)
        for _ in range(2):
            await codemode.run("return await tools.pay({ n: 1 });", run_id="run")
        assert world.did == ["pay 1", "pay 1"]

    async def test_a_failed_run_gives_its_failure_again(self, tmp_path: Path):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        script = "await tools.pay({ n: 1 }); throw new Error('no');"
        failed = await engine(world, journal).run(script, run_id="run")
        assert failed.status == "failed"
        assert await engine(world, journal).resume("run") == failed
        assert world.did == ["pay 1"]


class TestWatching:
    async def test_events_of_what_was_recorded_are_marked(self, journal: Journal | None):
        codemode = engine(World(), journal)
        script = """
            console.log("one");
            await tools.read({ n: 1 });
            await tools.gate({ n: 2 });
            console.log("two");
        """
        paused = await codemode.run(script)
        events: list[Event] = []
        await codemode.resume(paused.run_id, approve(paused), on_event=events.append)
        assert [event.resumed for event in events if isinstance(event, RunStarted)] == [True]
        output = [
            (event.item.text, event.replayed) for event in events if isinstance(event, Output)
        ]
        assert output == [("one", True), ("two", False)]
        calls = [
            (event.call.tool, event.call.replayed)
            for event in events
            if isinstance(event, CallCompleted)
        ]
        assert calls == [("read", True), ("gate", False)]

    async def test_runs_are_listed_and_aborted(self, tmp_path: Path):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        codemode = engine(world, journal)
        await codemode.run("return 1", run_id="done")
        paused = await codemode.run("await tools.gate({ n: 1 })", run_id="waits")
        listed = {info.run_id: info for info in codemode.list_runs()}
        assert listed["done"].status == "completed"
        assert listed["waits"].status == "paused"
        assert listed["waits"].pending == paused.pending
        assert listed["waits"].age_s >= 0
        assert not await codemode.abort("done")
        assert await codemode.abort("waits")
        over = await codemode.resume("waits", approve(paused))
        assert over.error is not None
        assert over.error.kind is ErrorKind.ABORTED
        assert world.did == []
        assert await journal.prune(time.time() + 1) == 2
        assert codemode.list_runs() == []

    async def test_usage_adds_up(self, tmp_path: Path):
        world, journal = World(), SQLiteJournal(tmp_path / "runs.db")
        codemode = engine(world, journal)
        script = "await tools.read({ n: 1 }); await sleep(50); await tools.gate({ n: 2 });"
        paused = await codemode.run(script)
        done = await codemode.resume(paused.run_id, approve(paused))
        whole = await codemode.run(script.replace("gate", "pay"))
        assert done.usage.wall_s >= paused.usage.wall_s
        for name in ("calls", "chars_in", "chars_out", "peak_parallel"):
            assert getattr(done.usage, name) == getattr(whole.usage, name), name


async def test_a_kept_script_has_no_source_of_chance():
    codemode = CodeMode([], journal=MemoryJournal(), runtime=InlineRuntime())
    script = """
        return [
          typeof WeakRef, typeof FinalizationRegistry, typeof performance,
          new (Object.getPrototypeOf(new Date()).constructor)().getTime() === Date.now(),
          Date().slice(0, 15), Math.random(),
        ];
    """
    results = [await codemode.run(script, run_id=id) for id in ("one", "two")]
    for result in results:
        assert result.value[:4] == ["undefined", "undefined", "undefined", True]
    assert results[0].value[5] != results[1].value[5], "the seed comes from the run's id"


async def test_discovery_and_idempotent_globals_may_be_made_again(tmp_path: Path):
    journal = SQLiteJournal(tmp_path / "runs.db")
    began, wait = asyncio.Event(), asyncio.Event()
    made: list[str] = []

    def engine_with(*, idempotent: bool) -> CodeMode:
        async def attach(args: Any, context: ToolContext) -> str:
            made.append(args)
            began.set()
            await wait.wait()
            return "attached"

        attached = GlobalFunction("attach", attach, idempotent=idempotent)
        return CodeMode([], globals=[attached], journal=journal, runtime=InlineRuntime())

    for idempotent in (True, False):
        began.clear()
        wait.clear()
        running = asyncio.create_task(
            engine_with(idempotent=idempotent).run(
                'await codemode.search("x"); return await attach("a");', run_id=str(idempotent)
            )
        )
        await began.wait()
        running.cancel()
        await asyncio.wait([running])
        wait.set()
        result = await engine_with(idempotent=idempotent).resume(str(idempotent))
        if idempotent:
            assert result.value == "attached"
        else:
            assert result.error is not None
            assert result.error.kind is ErrorKind.UNKNOWN_OUTCOME
            assert [pending.tool for pending in result.pending] == ["attach"]
            id = result.pending[0].id
            over = await engine_with(idempotent=False).resume("False", {id: Reject("it failed")})
            assert over.error is not None
            assert "it failed" in over.error.message
    assert made == ["a", "a", "a"]


async def test_a_run_goes_on_under_a_policy_where_it_began_under_one() -> None:
    world, journal = World(), MemoryJournal()
    tools = [world.tool("ask", requires_approval=True), world.tool("pay")]

    def engine(version: str | None, **knobs: Any) -> CodeMode:
        policy = None
        if version is not None:
            policy = Policy(
                lambda asked: Decision("deny" if asked.tool == "pay" else "allow"), version=version
            )
        return CodeMode(tools, journal=journal, policy=policy, **knobs)

    def stars(tool: str, value: Any) -> Any:
        return "*"

    script = "await tools.ask({ n: 1 }); await tools.pay({ n: 2 })"
    paused = await engine("1", redact=stars).run(script)
    answers = {paused.pending[0].id: Approve()}
    with pytest.raises(ResumeError, match=r"began under version '1'; pass policy=.*pass redact="):
        await engine(None).resume(paused.run_id, answers)
    with pytest.raises(ResumeError, match=r"without a hook that keeps its secrets"):
        await engine("2").resume(paused.run_id, answers)
    # A newer policy is a policy: its decisions count.
    result = await engine("2", redact=stars).resume(paused.run_id, answers)
    assert result.error is not None
    assert result.error.code == "denied"
    assert world.did == ["ask 1"]
