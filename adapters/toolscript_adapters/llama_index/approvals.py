"""Calls of scripts that wait for a person, as events of the workflow."""

from __future__ import annotations

from typing import Any

from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent

from toolscript.host.approval import Answer, Approve, Edit, Reject
from toolscript.result import Pending


class ApprovalRequest(InputRequiredEvent):
    """A script waits for a person to say whether it may make a call.

    `id` has to come back in the `ApprovalResponse`; `effects_so_far` are the calls that were made.
    """

    id: str
    tool: str
    args: Any
    reason: str = ""
    effects_so_far: tuple[str, ...] = ()


class ApprovalResponse(HumanResponseEvent):
    """What a person says: the call is made, with `args` instead of its own if they are given.

    `who` says it, for the receipt of the call.
    """

    id: str
    approved: bool
    args: Any = None
    reason: str = ""
    who: str = ""


async def answer_for(pending: Pending, context: Context, tries: int) -> Answer:
    """What a person said about a call, of which `tries` answers could not be used before.

    Until then this raises what pauses the workflow's step, which is run again with the answer.
    """
    # Each question has an id of its own: a workflow wakes every waiter that an event fits.
    id = f"{pending.id}.{tries}" if tries else pending.id
    response = await context.wait_for_event(
        ApprovalResponse,
        waiter_id=f"toolscript {id}",
        waiter_event=ApprovalRequest(
            id=id,
            tool=pending.tool,
            args=pending.args,
            reason=pending.reason,
            effects_so_far=pending.effects_so_far,
        ),
        requirements={"id": id},
        timeout=None,
    )
    if response.approved is not True:
        return Reject(response.reason, response.who)
    if response.args is None:
        return Approve(response.who)
    return Edit(response.args, response.who)
