"""A person's answer to a call, by LangGraph's own pause.

The question has the form of LangChain's `HumanInTheLoopMiddleware`, so that whatever answers
that one can answer this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from toolscript.host.approval import Answer, Approve, Edit, Reject, signed

DECISIONS: Final = ("approve", "edit", "reject")


def question(
    tool: str,
    args: Any,
    description: str,
    allowed: Sequence[str] = DECISIONS,
    problem: str | None = None,
) -> dict[str, Any]:
    """What the interrupt shows: one call, and what may be answered.

    `problem` says why an earlier answer could not be used.
    """
    asked: dict[str, Any] = {
        "action_requests": [{"name": tool, "args": args, "description": description}],
        "review_configs": [{"action_name": tool, "allowed_decisions": list(allowed)}],
    }
    return asked if problem is None else {**asked, "problem": problem}


def answer_from(reply: Any, allowed: Sequence[str] = DECISIONS) -> Answer | str:
    """The answer in a resume value, or why it is none.

    Takes `{"decisions": [{"type": "approve"}]}` with one decision, that decision alone, True and
    False, the bare word, or `Approve`, `Reject`, `Edit`. A `who` in either object names the person.
    """
    if isinstance(reply, Approve | Reject | Edit):
        return reply
    if isinstance(reply, bool):
        return Approve() if reply else Reject()
    if isinstance(reply, Mapping):
        decision = cast("Mapping[str, Any]", reply)
        decisions = decision.get("decisions")
        if isinstance(decisions, list):
            several = cast("list[Any]", decisions)
            if len(several) != 1:
                return f"one decision is wanted for one call, not {len(several)}"
            answer = answer_from(several[0], allowed)
            return answer if isinstance(answer, str) else signed(answer, _name(decision))
    else:
        decision = {"type": reply}
    kind: Any = decision.get("type")
    if kind not in allowed:
        return f"a decision has a type, one of {', '.join(allowed)}; the answer was {str(cast(Any, reply))[:80]!r}"
    if kind == "reject":
        reason = str(decision.get("message") or decision.get("reason") or "")
        return Reject(reason, _name(decision))
    if kind == "edit":
        action: Any = decision.get("edited_action") or decision
        args = cast("Mapping[str, Any]", action).get("args")
        if not isinstance(args, Mapping):
            return 'an edit brings the new arguments: {"type": "edit", "edited_action": {"name": …, "args": {…}}}'
        return Edit(dict(cast("Mapping[str, Any]", args)), _name(decision))
    return Approve(_name(decision))


def _name(said: Mapping[str, Any]) -> str:
    return str(said.get("who") or "")
