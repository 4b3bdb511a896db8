"""What scripts wait for, as PydanticAI tells and answers it: deferred tool requests and results.

A run that waits for a person ends with one request for the call of the code tool. Its metadata
lists the nested calls. Approving the request approves them all; answers for single ones travel in
the metadata of the results.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from pydantic_ai.tools import (
    DeferredToolRequests,
    DeferredToolResults,
    ToolApproved,
    ToolDenied,
)

from toolscript.host.approval import Answer, Approve, Edit, Reject
from toolscript.result import Pending

Decision = bool | ToolApproved | ToolDenied

CALLS: Final = "nested_calls"
ANSWERS: Final = "nested_answers"
_MOST_WAITING: Final = 100


@dataclass(frozen=True, slots=True)
class NestedCall:
    """One call of a script that waits for an approval.

    `tool_call_id` is that of the code tool, `id` the nested call's own.
    """

    id: str
    tool_call_id: str
    tool_name: str
    args: Any
    reason: str = ""


def nested_calls(requests: DeferredToolRequests) -> list[NestedCall]:
    """The calls of scripts for which a run of the agent ended; none for other requests."""
    return [
        NestedCall(
            id=told["id"],
            tool_call_id=request.tool_call_id,
            tool_name=told["tool_name"],
            args=told["args"],
            reason=told["reason"],
        )
        for request in requests.approvals
        for told in requests.metadata.get(request.tool_call_id, {}).get(CALLS, ())
    ]


def nested_results(
    requests: DeferredToolRequests, decisions: Mapping[str, Decision], *, who: str = ""
) -> DeferredToolResults:
    """Answers for `nested_calls`, by id, to give to the next run of the agent.

    `who` gives them, for the receipts of the calls. A denied call throws in its script, which may catch that; a call without an answer is denied.
    Requests of other tools have to be added by the caller.
    """
    results = DeferredToolResults()
    for call in nested_calls(requests):
        results.approvals[call.tool_call_id] = True
        answers = results.metadata.setdefault(call.tool_call_id, {}).setdefault(ANSWERS, {})
        decision = decisions.get(call.id, ToolDenied("nobody approved the call"))
        answers[call.id] = _told(decision, who)
    return results


def request_metadata(calls: Iterable[NestedCall]) -> dict[str, Any]:
    """What `ApprovalRequired` carries, in JSON values."""
    return {
        CALLS: [
            {"id": call.id, "tool_name": call.tool_name, "args": call.args, "reason": call.reason}
            for call in calls
        ]
    }


def nested_call_of(pending: Pending, tool_call_id: str) -> NestedCall:
    return NestedCall(pending.id, tool_call_id, pending.tool, pending.args, pending.reason)


def answer_for(id: str, metadata: Any) -> Answer:
    """The answer for one nested call after its request was approved.

    `metadata` is what came with the approval. One that answers no single call approves them all.
    """
    answers = _answers_in(metadata)
    if answers is None:
        return Approve()
    told = answers.get(id)
    if told is None:
        return Reject("nobody approved the call")
    who = told.get("who", "")
    if told["approved"] is not True:
        return Reject(told["message"], who)
    return Approve(who) if told["args"] is None else Edit(told["args"], who)


def as_answer(decision: Decision) -> Answer:
    """A decision of PydanticAI in the engine's words."""
    match decision:
        case ToolApproved(override_args=None) | True:
            return Approve()
        case ToolApproved():
            return Edit(decision.override_args)
        case ToolDenied():
            return Reject(decision.message)
        case _:
            return Reject("the call was denied")


def _answers_in(metadata: Any) -> Mapping[str, Any] | None:
    given = cast("Mapping[str, Any]", metadata if isinstance(metadata, Mapping) else {})
    return given.get(ANSWERS)


def _told(decision: Decision, who: str) -> dict[str, Any]:
    answer = as_answer(decision)
    return {
        "who": who,
        "approved": not isinstance(answer, Reject),
        "message": answer.reason if isinstance(answer, Reject) else "",
        "args": answer.args if isinstance(answer, Edit) else None,
    }


@dataclass(slots=True)
class Raised:
    """Questions that tools of one run raised themselves, and their answers, by nested call."""

    asked: dict[str, NestedCall] = field(default_factory=dict[str, NestedCall])
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])

    def take_answers(self, tool_call_id: str, metadata: Any) -> list[int]:
        """Answer all open questions, as the approved request says; the calls, by `seq`.

        Those that were asked in another process are known by their answers.
        """
        here = f"{tool_call_id}:"
        ids = {*self.asked, *(id for id in _answers_in(metadata) or () if id.startswith(here))}
        for id in ids:
            self.answers[id] = answer_for(id, metadata)
        self.asked.clear()
        return [int(id.removeprefix(here)) for id in ids if id.removeprefix(here).isdigit()]


class RaisedQuestions:
    """What `Raised` of each run that is not over; those that nobody goes on with are dropped."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, Raised] = OrderedDict()

    def of(self, run_id: str) -> Raised:
        raised = self._runs.setdefault(run_id, Raised())
        self._runs.move_to_end(run_id)
        if len(self._runs) > _MOST_WAITING:
            self._runs.popitem(last=False)
        return raised

    def forget(self, run_id: str) -> None:
        self._runs.pop(run_id, None)
