"""Calls of scripts that wait for a person, as interrupts of the agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from strands.interrupt import InterruptException
from strands.types.tools import ToolContext

from toolscript.host.approval import Answer, Approve, Edit, Reject
from toolscript.result import Pending, RunResult


def answers_for(
    result: RunResult, context: ToolContext[Any], tries: Mapping[str, int]
) -> dict[str, Answer]:
    """What people said of the calls that wait.

    `tries` counts, by id, earlier answers that could not be used: each has an interrupt of its own.

    Raises:
        InterruptException: if nobody has said anything yet.
    """
    answers: dict[str, Answer] = {}
    open_question: InterruptException | None = None
    for pending in result.pending:
        try:
            response = context.interrupt(
                f"approve {pending.id}{' again' * tries.get(pending.id, 0)}",
                reason=_question(pending),
            )
        except InterruptException as question:
            open_question = open_question or question
            continue
        answers[pending.id] = _answer(response)
    if open_question is not None and not answers:
        raise open_question
    return answers


def _question(pending: Pending) -> dict[str, Any]:
    return {
        "tool": pending.tool,
        "args": pending.args,
        "reason": pending.reason,
        "effects_so_far": list(pending.effects_so_far),
    }


def _answer(response: Any) -> Answer:
    """An interrupt's response: true, "y" or "yes", or an object with `approved`.

    The object may hold `args`, to be used instead, or a `reason` for a rejection, and `who` says
    so. Whatever is no clear yes is a no.
    """
    if isinstance(response, Mapping):
        told = cast("Mapping[str, Any]", response)
        who = str(told.get("who") or "")
        if told.get("approved") is not True:
            return Reject(str(told.get("reason", "")), who)
        return Edit(told["args"], who) if "args" in told else Approve(who)
    if response is True or (isinstance(response, str) and response.lower() in ("y", "yes")):
        return Approve()
    return Reject()
