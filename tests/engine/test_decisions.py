"""Who allowed what: a run and its receipts say so, whatever comes between question and answer."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from toolscript import (
    Answer,
    Approve,
    Authority,
    Call,
    CallDecision,
    CodeMode,
    Decision,
    Edit,
    Event,
    MemoryJournal,
    Pending,
    Policy,
    PolicyRequest,
    Reject,
    RunResult,
    ToolOptions,
    tool_from,
)
from toolscript.events import CallCompleted, CallDenied, RunEnded
from toolscript.host.journal import StoredRun


def refund(order: int) -> int:
    """Pay an order back."""
    return order


def stock(order: int) -> int:
    """Look at an order."""
    return order


REFUND = tool_from(refund)
CAREFUL = tool_from(refund, options=ToolOptions(requires_approval=True))
ADA = Authority(principal="ada")
ONE = "return await tools.refund({ order: 3 })"


def says(kind: Any, **more: Any) -> Policy:
    return Policy(lambda request: Decision(kind, **more), version="v9")


def policy_said(kind: Any, id: str = "", reason: str = "") -> CallDecision:
    return CallDecision("policy", kind, id=id, policy_version="v9", reason=reason)


async def test_a_policys_decision_is_on_the_receipt_and_in_the_event() -> None:
    heard: list[Event] = []
    codemode = CodeMode([REFUND], policy=says("allow", id="D77", reason="because"))
    result = await codemode.run(ONE, authority=ADA, on_event=heard.append)
    [call] = result.calls
    assert call.decisions == (policy_said("allow", "D77", "because"),)
    assert result.principal == "ada"
    [told] = [event.call for event in heard if isinstance(event, CallCompleted)]
    assert told.decisions == call.decisions
    [ended] = [event.result for event in heard if isinstance(event, RunEnded)]
    assert ended.principal == "ada"
    assert RunResult.from_json(result.to_json()) == result


@pytest.mark.parametrize(
    ("decision", "id"),
    [
        (Decision("deny", id="D1", reason="not today"), "D1"),
        (Decision("allow", id="D2", policy_version="v8"), "D2"),
        (Decision("allow", id="D3", scope=frozenset({"pay"})), "D3"),
        ("yes", ""),
        (RuntimeError("broken"), ""),
    ],
)
async def test_so_is_one_by_which_a_call_was_denied(decision: Any, id: str) -> None:
    def authorize(request: PolicyRequest) -> Decision:
        if isinstance(decision, Exception):
            raise decision
        return decision

    heard: list[Event] = []
    codemode = CodeMode([REFUND], policy=Policy(authorize, version="v9"))
    result = await codemode.run(ONE, authority=ADA, on_event=heard.append)
    [call] = result.calls
    assert call.status == "denied"
    assert call.error is not None
    assert call.decisions == (policy_said("deny", id, call.error.message),)
    [told] = [event.call for event in heard if isinstance(event, CallDenied)]
    assert told.decisions == call.decisions


async def test_an_authority_that_does_not_cover_a_tool_is_named() -> None:
    codemode = CodeMode([tool_from(refund, options=ToolOptions(capabilities=frozenset({"pay"})))])
    [call] = (await codemode.run(ONE, authority=ADA)).calls
    [decision] = call.decisions
    assert (decision.by, decision.kind) == ("authority", "deny")
    assert "pay" in decision.reason


async def test_a_call_that_nobody_was_asked_about_names_nobody() -> None:
    result = await CodeMode([REFUND]).run(ONE)
    assert result.calls[0].decisions == ()
    assert result.principal == ""


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        (Approve(), CallDecision("person", "approve")),
        (Approve(who="bo"), CallDecision("person", "approve", who="bo")),
        (Edit({"order": 4}, who="bo"), CallDecision("person", "edit", who="bo")),
        (Reject("no", who="bo"), CallDecision("person", "reject", who="bo", reason="no")),
    ],
)
async def test_a_persons_answer_is_on_the_receipt(answer: Answer, decision: CallDecision) -> None:
    def approve(pending: Pending) -> Answer:
        return answer

    asked = await CodeMode([CAREFUL], approve=approve).run(ONE)
    codemode = CodeMode([CAREFUL])
    paused = await codemode.run(ONE)
    assert paused.calls[0].decisions == ()
    resumed = await codemode.resume(paused.run_id, {paused.pending[0].id: answer})
    for result in (asked, resumed):
        assert result.calls[0].decisions == (decision,)
        assert RunResult.from_json(result.to_json()) == result


async def test_a_policy_that_asks_stands_before_the_person_who_answers() -> None:
    ids = itertools.count(1)

    def authorize(request: PolicyRequest) -> Decision:
        id = f"D{next(ids)}"
        return Decision("ask" if request.args["order"] > 2 else "allow", id=id)

    codemode = CodeMode(
        [REFUND],
        policy=Policy(authorize, version="v9"),
        approve=lambda pending: Edit({"order": 1}, who="bo"),
    )
    [call] = (await codemode.run(ONE)).calls
    assert call.decisions == (
        policy_said("ask", "D1"),
        CallDecision("person", "edit", who="bo"),
        policy_said("allow", "D2"),
    )


class Counted:
    """A policy whose every decision has a number of its own."""

    def __init__(self) -> None:
        self.made = 0

    def authorize(self, request: PolicyRequest) -> Decision:
        self.made += 1
        kind = "ask" if request.tool == "refund" else "allow"
        return Decision(kind, id=f"D{self.made}")


TWO = "await tools.stock({ order: 1 }); return await tools.refund({ order: 3 })"


async def test_what_was_decided_before_a_pause_stays_as_it_was_decided() -> None:
    journal, counted = MemoryJournal(), Counted()
    policy = Policy(counted.authorize, version="v9")
    tools = [tool_from(stock), REFUND]
    paused = await CodeMode(tools, policy=policy, journal=journal).run(TWO, authority=ADA)
    assert [call.decisions for call in paused.calls] == [
        (policy_said("allow", "D1"),),
        (policy_said("ask", "D2"),),
    ]
    done = await CodeMode(tools, policy=policy, journal=journal).resume(
        paused.run_id, {paused.pending[0].id: Approve(who="bo")}
    )
    first, second = done.calls
    assert (first.replayed, first.decisions) == (True, (policy_said("allow", "D1"),))
    assert second.decisions == (
        policy_said("ask", "D3"),
        CallDecision("person", "approve", who="bo"),
    )
    assert done.principal == "ada"
    again = await CodeMode(tools, policy=policy, journal=journal).resume(paused.run_id)
    assert [call.decisions for call in again.calls] == [call.decisions for call in done.calls]


class OlderJournal(MemoryJournal):
    """Gives back what it holds as it was written before decisions were on record."""

    async def load(self, run_id: str) -> StoredRun | None:
        run = await super().load(run_id)
        if run is None or run.lease is not None:
            return run
        return replace(
            run,
            entries=tuple(map(older_entry, run.entries)),
            outcome=None if run.outcome is None else older_outcome(run.outcome),
        )


def older_entry(entry: bytes) -> bytes:
    line, separator, body = entry.partition(b"\n")
    values: dict[str, Any] = json.loads(line)
    values.pop("decisions", None)
    if "answer" in values:
        values["answer"].pop("who")
    return json.dumps(values).encode() + separator + body


def older_outcome(outcome: bytes) -> bytes:
    values: dict[str, Any] = json.loads(outcome)
    del values["principal"]
    calls: Sequence[Mapping[str, Any]] = values["calls"]
    values["calls"] = [
        {name: part for name, part in call.items() if name != "decisions"} for call in calls
    ]
    return json.dumps(values).encode()


async def test_journals_from_before_decisions_were_on_record_are_read() -> None:
    journal = OlderJournal()
    tools = [tool_from(stock), CAREFUL]
    paused = await CodeMode(tools, journal=journal).run(TWO, authority=ADA)
    asked_again = await CodeMode(tools, journal=journal).resume(paused.run_id)
    assert asked_again.principal == ""
    assert [call.decisions for call in asked_again.calls] == [(), ()]
    done = await CodeMode(tools, journal=journal).resume(
        paused.run_id, {paused.pending[0].id: Approve()}
    )
    assert done.value == 3
    assert [call.decisions for call in done.calls] == [(), (CallDecision("person", "approve"),)]
    assert (await CodeMode(tools, journal=journal).resume(paused.run_id)).value == 3


class Died(BaseException):
    """Ends a run in the middle of a call, as the death of its process does."""


async def cut_off(journal: MemoryJournal, **options: Any) -> Sequence[Any]:
    """A run of `ONE` that left its call without an outcome; the tools to go on with."""
    dies = True

    async def refund(order: int) -> int:
        """Pay an order back."""
        if dies:
            raise Died
        return order

    tools = [tool_from(refund, options=ToolOptions(**options))]
    with pytest.raises(Died):
        await CodeMode(tools, journal=journal).run(ONE, run_id="cut")
    dies = False
    return tools


async def test_who_had_a_call_of_unknown_outcome_made_again_is_on_its_receipt() -> None:
    journal = MemoryJournal()
    codemode = CodeMode(await cut_off(journal), journal=journal)
    stopped = await codemode.resume("cut")
    assert "what became of these calls" in stopped.text()
    assert "Approve makes it again" in stopped.text()
    assert "approval" not in stopped.text()
    done = await codemode.resume("cut", {stopped.pending[0].id: Approve(who="bo")})
    [call] = done.calls
    assert (call.status, done.value) == ("ok", 3)
    assert call.decisions == (CallDecision("person", "approve", who="bo"),)
    assert call.note == "it was under way before, was cut off, and was made again"


async def test_who_took_it_as_failed_is_on_it_too() -> None:
    journal = MemoryJournal()
    codemode = CodeMode(await cut_off(journal), journal=journal)
    stopped = await codemode.resume("cut")
    done = await codemode.resume("cut", {stopped.pending[0].id: Reject("lost", who="bo")})
    [call] = done.calls
    assert call.status == "error"
    assert call.decisions == (CallDecision("person", "reject", who="bo", reason="lost"),)


async def test_a_call_that_is_made_again_by_itself_names_nobody_but_says_so() -> None:
    journal = MemoryJournal()
    tools = await cut_off(journal, read_only=True)
    [call] = (await CodeMode(tools, journal=journal).resume("cut")).calls
    assert (call.status, call.decisions, call.replayed) == ("ok", (), False)
    assert call.note == "it was under way before, was cut off, and was made again"


async def test_receipts_say_which_tools_only_read() -> None:
    tools = [tool_from(stock, options=ToolOptions(read_only=True)), REFUND]
    calls: Sequence[Call] = (await CodeMode(tools).run(TWO)).calls
    assert [call.read_only for call in calls] == [True, False]
