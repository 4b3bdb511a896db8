"""What a person answers to a call that waits for them, right and wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

import pytest

from toolscript import (
    Approve,
    CallDecision,
    CodeMode,
    Determinism,
    Edit,
    ErrorKind,
    Happened,
    InlineRuntime,
    InputError,
    Journal,
    MemoryJournal,
    Pending,
    Reject,
    ResumeError,
    RunResult,
    SQLiteJournal,
    ToolOptions,
    tool_from,
)
from toolscript.contract.tool import GlobalFunction


class Died(BaseException):
    """Ends a run in the middle of a call, as the death of its process does."""


class Paid(TypedDict):
    id: int
    amount: float


class Shop:
    """Tools that note what they did. `dies` is the name of one that never comes to an end."""

    def __init__(self, dies: str = "") -> None:
        self.did: list[str] = []
        self.dies = dies

    def _note(self, tool: str, amount: float) -> None:
        self.did.append(f"{tool} {amount:g}")
        if tool == self.dies:
            raise Died

    def tools(self) -> list[Any]:
        async def gate(amount: float) -> float:
            """Needs leave."""
            self._note("gate", amount)
            return amount

        async def pay(amount: float) -> Paid:
            """Pay."""
            self._note("pay", amount)
            return Paid(id=1, amount=amount)

        return [tool_from(gate, options=ToolOptions(requires_approval=True)), pay]

    def engine(self, journal: Journal | None, **options: Any) -> CodeMode:
        return CodeMode(self.tools(), journal=journal, runtime=InlineRuntime(), **options)


GATE = "return await tools.gate({ amount: 1 });"
TWO = """
const both = await Promise.all([tools.gate({ amount: 1 }), tools.gate({ amount: 2 })]);
return both;
"""
PAY = "const paid = await tools.pay({ amount: 5 }); return [paid.id, paid.amount];"
MISFITS = [
    Edit({"amount": "x"}),
    Edit({}),
    Edit([]),
    Edit(object()),
    Edit({"amount": float("nan")}),
]


@pytest.fixture(params=["memory", "sqlite", "none"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Journal | None:
    if request.param == "none":
        return None
    return MemoryJournal() if request.param == "memory" else SQLiteJournal(tmp_path / "runs.db")


@pytest.mark.parametrize("wrong", MISFITS, ids=str)
async def test_an_edit_that_does_not_fit_is_told_and_asked_about_again(
    journal: Journal | None, wrong: Edit
) -> None:
    shop = Shop()
    codemode = shop.engine(journal)
    paused = await codemode.run(GATE)
    [pending] = paused.pending
    again = await codemode.resume(paused.run_id, {pending.id: wrong})
    assert again.status == "paused"
    [asked] = again.pending
    assert (asked.id, asked.args) == (pending.id, {"amount": 1})
    assert asked.reason.startswith("the last answer could not be used: ")
    assert asked.reason.endswith(pending.reason)
    assert "call 1 (gate)" in again.warnings[-1]
    [info] = codemode.list_runs()
    assert (info.status, info.pending) == ("paused", paused.pending)
    done = await codemode.resume(paused.run_id, {pending.id: Edit({"amount": 3}, who="bo")})
    assert (done.value, shop.did) == (3, ["gate 3"])
    [call] = done.calls
    assert call.decisions == (CallDecision("person", "edit", who="bo"),)


async def test_what_else_was_answered_counts(journal: Journal | None) -> None:
    shop = Shop()
    codemode = shop.engine(journal)
    paused = await codemode.run(TWO)
    one, two = paused.pending
    half = await codemode.resume(paused.run_id, {one.id: Edit({"amount": None}), two.id: Approve()})
    assert half.status == "paused"
    assert [item.id for item in half.pending] == [one.id]
    assert "amount" in half.pending[0].reason
    assert shop.did == ["gate 2"]
    done = await codemode.resume(paused.run_id, {one.id: Approve()})
    assert (done.value, shop.did) == ([1, 2], ["gate 2", "gate 1"])


@pytest.mark.parametrize("wrong", MISFITS, ids=str)
async def test_whoever_is_asked_at_once_is_asked_again_too(
    journal: Journal | None, wrong: Edit
) -> None:
    asked: list[Pending] = []

    async def approve(pending: Pending) -> Edit | Approve:
        asked.append(pending)
        return wrong if len(asked) == 1 else Edit({"amount": 4})

    shop = Shop()
    done = await shop.engine(journal, approve=approve).run(GATE)
    assert (done.value, shop.did, len(asked)) == (4, ["gate 4"], 2)
    assert "could not be used" not in asked[0].reason
    assert "could not be used" in asked[1].reason


@pytest.mark.parametrize("wrong", MISFITS, ids=str)
async def test_one_that_never_gives_arguments_that_fit_fails_the_call(
    journal: Journal | None, wrong: Edit
) -> None:
    asked: list[Pending] = []

    def approve(pending: Pending) -> Edit:
        asked.append(pending)
        return wrong

    shop = Shop()
    result = await shop.engine(journal, approve=approve).run(
        "try { await tools.gate({ amount: 1 }); } catch (error) { return error.code; }"
    )
    assert (result.value, shop.did, len(asked)) == ("invalid_args", [], 5)


async def undecided(journal: Journal, shop: Shop, script: str, **options: Any) -> RunResult:
    """A run whose call was under way when its process died, as it stands for whoever looks."""
    with pytest.raises(Died):
        await shop.engine(journal, **options).run(script, run_id="cut")
    shop.dies = ""
    stopped = await shop.engine(journal, **options).resume("cut")
    assert stopped.error is not None
    assert stopped.error.kind is ErrorKind.UNKNOWN_OUTCOME
    return stopped


@pytest.fixture
def kept(tmp_path: Path) -> SQLiteJournal:
    return SQLiteJournal(tmp_path / "runs.db")


async def test_a_call_of_unknown_outcome_has_begun(kept: SQLiteJournal) -> None:
    stopped = await undecided(kept, Shop("pay"), PAY)
    [call] = stopped.calls
    assert (call.status, call.tool) == ("pending", "pay")
    assert call.started_at is not None
    assert call.note == "under way when its process died: its outcome is unknown"
    assert "call 1 (pay)" in str(stopped.error)
    assert "Happened" in stopped.text()


async def test_a_person_says_that_it_happened_and_what_it_came_to(kept: SQLiteJournal) -> None:
    shop = Shop("pay")
    stopped = await undecided(kept, shop, PAY)
    [pending] = stopped.pending
    said = Happened({"id": 7, "amount": 5.0}, who="bo")
    done = await shop.engine(kept).resume("cut", {pending.id: said})
    assert (done.value, shop.did) == ([7, 5], ["pay 5"])
    [call] = done.calls
    assert (call.status, call.result) == ("ok", {"id": 7, "amount": 5.0})
    assert call.decisions == (CallDecision("person", "happened", who="bo"),)
    assert call.started_at is not None
    assert call.note is not None
    assert "a person said what it came to" in call.note
    assert RunResult.from_json(done.to_json()) == done
    assert (await shop.engine(kept).resume("cut")).value == [7, 5]


@pytest.mark.parametrize("wrong", [{"id": "x", "amount": 5}, {"id": 7}, None, 7, object()], ids=str)
async def test_what_no_such_call_gives_is_refused_and_asked_again(
    kept: SQLiteJournal, wrong: Any
) -> None:
    shop = Shop("pay")
    stopped = await undecided(kept, shop, PAY)
    [pending] = stopped.pending
    again = await shop.engine(kept).resume("cut", {pending.id: Happened(wrong)})
    assert again.error == stopped.error
    assert again.pending[0].id == pending.id
    assert again.pending[0].reason.startswith("the last answer could not be used: ")
    assert "call 1 (pay)" in again.warnings[-1]
    [info] = shop.engine(kept).list_runs()
    assert info.status == "undecided"
    done = await shop.engine(kept).resume("cut", {pending.id: Happened({"id": 1, "amount": 5})})
    assert (done.value, shop.did) == ([1, 5], ["pay 5"])


async def test_it_goes_on_after_what_happened_as_often_as_it_is_cut_off(
    kept: SQLiteJournal,
) -> None:
    shop = Shop("pay")
    script = "const a = await tools.pay({ amount: 1 }); return await tools.gate({ amount: a.id });"
    stopped = await undecided(kept, shop, script)
    said: dict[str, Any] = {stopped.pending[0].id: Happened({"id": 9, "amount": 1})}
    paused = await shop.engine(kept).resume("cut", said)
    assert [item.args for item in paused.pending] == [{"amount": 9}]
    done = await shop.engine(kept).resume("cut", {paused.pending[0].id: Approve()})
    assert (done.value, shop.did) == (9, ["pay 1", "gate 9"])
    assert [call.replayed for call in done.calls] == [True, False]


@pytest.mark.parametrize(
    ("verdict", "status"), [(Happened(3.0, who="al"), "ok"), (Reject("lost", who="al"), "error")]
)
async def test_who_gave_leave_before_stays_on_the_receipt(
    kept: SQLiteJournal, verdict: Happened | Reject, status: str
) -> None:
    shop = Shop("gate")
    paused = await shop.engine(kept).run(GATE, run_id="cut")
    with pytest.raises(Died):
        await shop.engine(kept).resume("cut", {paused.pending[0].id: Edit({"amount": 3}, who="bo")})
    shop.dies = ""
    stopped = await shop.engine(kept).resume("cut")
    done = await shop.engine(kept).resume("cut", {stopped.pending[0].id: verdict})
    [call] = done.calls
    assert (call.status, call.args) == (status, {"amount": 3})
    assert [(made.kind, made.who) for made in call.decisions] == [
        ("edit", "bo"),
        (type(verdict).__name__.lower(), "al"),
    ]
    assert shop.did == ["gate 3"]


async def test_a_call_that_was_never_made_did_not_happen(journal: Journal | None) -> None:
    shop = Shop()
    codemode = shop.engine(journal)
    paused = await codemode.run(GATE)
    with pytest.raises(ResumeError, match=r"call 1 \(gate\) was not made yet"):
        await codemode.resume(paused.run_id, {paused.pending[0].id: Happened(1)})
    [info] = codemode.list_runs()
    assert (info.status, shop.did) == ("paused", [])


async def test_a_host_function_may_have_happened(kept: SQLiteJournal) -> None:
    shop = Shop("pay")

    async def wire(args: Any, context: Any) -> Any:
        return await shop.tools()[1](args["amount"])

    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    options = {"globals": [GlobalFunction("wire", wire, output_schema=schema)]}
    script = "return (await wire({ amount: 5 })).id;"
    stopped = await undecided(kept, shop, script, **options)
    [pending] = stopped.pending
    wrong = await shop.engine(kept, **options).resume("cut", {pending.id: Happened("no")})
    assert wrong.pending[0].id == pending.id
    said = Happened({"id": 4, "amount": 5})
    done = await shop.engine(kept, **options).resume("cut", {pending.id: said})
    assert (done.value, shop.did) == (4, ["pay 5"])


async def test_giving_up_says_that_nobody_knows(kept: SQLiteJournal) -> None:
    shop = Shop("pay")
    await undecided(kept, shop, PAY)
    assert await shop.engine(kept).abort("cut")
    [call] = (await shop.engine(kept).resume("cut")).calls
    assert call.error is not None
    assert "nobody said what became of the call" in call.error.message


async def test_calls_that_wait_say_so(journal: Journal | None) -> None:
    paused = await Shop().engine(journal, limits={"parallel": 1}).run(TWO)
    notes: Sequence[str | None] = [call.note for call in paused.calls]
    assert notes == ["waits for a person", "waits for a person"]


async def test_an_engine_of_its_own_knows_what_happened_itself() -> None:
    codemode = Shop().engine(None)
    step = await codemode.start(GATE, determinism=Determinism(now_ms=0, seed=1))
    with pytest.raises(InputError, match="Approve"):
        await step.deliver({1: Happened(1)})
    step = await step.deliver({1: Approve()})
    with pytest.raises(InputError, match="what its tool returns"):
        await step.deliver({1: Happened(1)})
    await step.aclose()
