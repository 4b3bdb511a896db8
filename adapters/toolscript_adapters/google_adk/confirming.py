"""How a script's calls are confirmed: requests of ADK for the call of the code tool.

The payload of a request lists the nested calls: `{"calls": [{"id", "tool", "args", "hint"}]}`. A
person's `confirmed` answers them all; a payload `{"answers": {id: true or false}}` single ones.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, cast

from google.adk.events import Event
from google.adk.tools import ToolContext as AdkContext
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.genai.types import Content, FunctionCall, Part

from toolscript.host.approval import Answer, Approve, Reject
from toolscript.result import RunResult
from toolscript_adapters.google_adk.internals import emit
from toolscript_adapters.google_adk.nested import ScriptRun

_REQUEST: Final = "adk_request_confirmation"
"""The function call by which ADK asks a person."""


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A nested call as a person is asked about it; `running` if the tool asked while it ran."""

    id: str
    tool: str
    args: Any
    hint: str = ""
    payload: Any = None
    running: bool = False


def pending_calls(result: RunResult) -> list[AskedCall]:
    """The calls for which a run paused before they were made."""
    return [
        AskedCall(
            call.id,
            f"{call.namespace}.{call.tool}" if call.namespace else call.tool,
            call.args,
            call.reason,
        )
        for call in result.pending
    ]


def running_calls(run: ScriptRun) -> list[AskedCall]:
    """The calls that asked while they ran."""
    return [
        AskedCall(id, tool, args, said.hint, said.payload, running=True)
        for id, (tool, args, said) in run.asked.items()
    ]


async def request(
    context: AdkContext, calls: Iterable[AskedCall], interrupted: Sequence[int] = ()
) -> dict[str, Any]:
    """Ask for these calls, and give what the code tool answers meanwhile.

    `interrupted` are the calls to be made again, which the session keeps with the request.
    """
    asked = list(calls)
    names = ", ".join(call.tool for call in asked)
    hint = f"Please approve or reject what the script wants to call: {names}."
    payload = {"calls": [asdict(call) for call in asked], "interrupted": list(interrupted)}
    context.request_confirmation(hint=hint, payload=payload)
    context.actions.skip_summarization = True
    if context.tool_confirmation is not None:
        await _request_once_more(context)
    return {"error": f"The script waits until a person has approved or rejected: {names}."}


def last_asked(context: AdkContext) -> tuple[list[AskedCall], list[int]]:
    """What `request` was given last for the code tool's call; nothing if it never was."""
    for event in reversed(context.session.events):
        for call in event.get_function_calls():
            args = call.args or {}
            original = args.get("originalFunctionCall", {})
            if call.name == _REQUEST and original.get("id") == context.function_call_id:
                payload: Any = args.get("toolConfirmation", {}).get("payload")
                return [AskedCall(**one) for one in payload["calls"]], payload["interrupted"]
    return [], []


def answers_for(calls: Iterable[AskedCall], said: ToolConfirmation) -> Mapping[str, Answer]:
    """What a person said, for the calls that are still to be made."""
    return {
        call.id: Approve() if _confirmed(call, said) else Reject("a person rejected the call")
        for call in calls
        if not call.running
    }


def confirmations_for(
    calls: Iterable[AskedCall], said: ToolConfirmation
) -> Mapping[str, ToolConfirmation]:
    """What a person said, for the tools that asked while they ran."""
    return {
        call.id: ToolConfirmation(
            hint=said.hint, confirmed=_confirmed(call, said), payload=said.payload
        )
        for call in calls
        if call.running
    }


def _confirmed(call: AskedCall, said: ToolConfirmation) -> bool:
    payload = said.payload
    if isinstance(payload, Mapping) and "answers" in payload:
        return cast("Mapping[str, Any]", payload)["answers"].get(call.id) is True
    return said.confirmed


async def _request_once_more(context: AdkContext) -> None:
    """ADK asks by itself only when the model made the call, not when a confirmation resumed it."""
    invocation = context.get_invocation_context()
    original = next(
        call
        for event in context.session.events
        for call in event.get_function_calls()
        if call.id == context.function_call_id
    )
    asked = context.actions.requested_tool_confirmations[original.id or ""]
    id = f"adk-{uuid.uuid4()}"
    call = FunctionCall(
        id=id,
        name=_REQUEST,
        args={
            "originalFunctionCall": original.model_dump(exclude_none=True, by_alias=True),
            "toolConfirmation": asked.model_dump(exclude_none=True, by_alias=True),
        },
    )
    event = Event(
        invocation_id=invocation.invocation_id,
        author=context.agent_name,
        branch=invocation.branch,
        content=Content(role="model", parts=[Part(function_call=call)]),
        long_running_tool_ids={id},
    )
    await emit(invocation, event)
    invocation.end_invocation = True
