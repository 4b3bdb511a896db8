"""A script's call of an ADK tool, through ADK's own function calling."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from google.adk.events import EventActions
from google.adk.flows.llm_flows.functions import handle_function_call_list_async
from google.adk.tools import BaseTool
from google.adk.tools import ToolContext as AdkContext
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.genai.types import FunctionCall, FunctionResponse

from toolscript.contract.tool import ToolContext
from toolscript.errors import ToolError
from toolscript_adapters.kit import current_session, steer

_OF_THE_CALL_ALONE: Final = (
    "requested_tool_confirmations",
    "requested_auth_configs",
    "skip_summarization",
)
"""Actions that tell how to go on after the one call; the script goes on after it in any case."""


class WaitsForConfirmation(Exception):
    """A tool asked for a confirmation while it ran."""


@dataclass(slots=True)
class ScriptRun:
    """What nested calls of one script need of the agent's run.

    Attributes:
        context: that of the code tool.
        tools: what scripts can call, by key.
        confirmed: what a person said of calls that asked while they ran, by id.
        asked: calls that ask now, by id: the tool, its arguments, what it says.
    """

    context: AdkContext
    tools: Mapping[str, BaseTool]
    confirmed: Mapping[str, ToolConfirmation] = field(default_factory=dict[str, ToolConfirmation])
    asked: dict[str, tuple[str, Any, ToolConfirmation]] = field(
        default_factory=dict[str, tuple[str, Any, ToolConfirmation]]
    )


async def needs_confirmation(key: str, args: dict[str, Any]) -> bool:
    """What the tool itself says about a call of it."""
    session = current_session(ScriptRun)
    run = session.context
    context = AdkContext(
        run.context.get_invocation_context(),
        function_call_id=session.call_id,
        event_actions=EventActions(),
    )
    return await run.tools[key].check_require_confirmation(copy.deepcopy(args), context)


async def call_adk_tool(
    key: str, args: Any, call: ToolContext, *, error_is_value: bool = False
) -> Any:
    """What the tool returned, as it is, or what a callback put in its place.

    Raises:
        ToolError: the tool answered with an error, as ADK's tools do, or needs a person who signs
            in.
        Steering: the tool asked for a confirmation while it ran.
    """
    session = current_session(ScriptRun)
    run = session.context
    id = session.id_of(call)
    tool = _Watched(run.tools[key])
    said = await _confirmation(run, id, key, args)
    event = await handle_function_call_list_async(
        run.context.get_invocation_context(),
        [FunctionCall(id=id, name=tool.copy.name, args=copy.deepcopy(args))],
        {tool.copy.name: tool.copy},
        tool_confirmation_dict={} if said is None else {id: said},
    )
    if event is None:
        raise ToolError(f"{tool.copy.name} gives its answer later, for which a script cannot wait")
    _merge(event.actions, run.context.actions)
    asked = event.actions.requested_tool_confirmations.get(id)
    if asked is not None:
        run.asked[id] = (tool.copy.name, args, asked)
        raise steer(WaitsForConfirmation(), call, again=True)
    if event.actions.requested_auth_configs:
        raise ToolError(
            f"{tool.copy.name} needs the user to sign in, for which only a call of the model can "
            "wait; have it called once outside of a script",
            code="denied",
        )
    (response,) = event.get_function_responses()
    value = _value_of(response, tool, call)
    if not error_is_value and isinstance(value, dict):
        told = cast("dict[str, Any]", value)
        if set(told) == {"error"}:
            raise ToolError(str(told["error"]))
    return cast("Any", value)


async def _confirmation(
    run: ScriptRun, id: str, key: str, args: dict[str, Any]
) -> ToolConfirmation | None:
    """The engine makes a call that needs a confirmation only when there is one."""
    said = run.confirmed.get(id)
    if said is None and await needs_confirmation(key, args):
        return ToolConfirmation(confirmed=True)
    return said


class _Watched:
    """A copy of a tool that keeps what it returned: ADK itself turns that into an object."""

    def __init__(self, tool: BaseTool):
        self.copy: BaseTool = copy.copy(tool)
        self.returned: Any = None
        run = tool.run_async

        async def watched(*, args: dict[str, Any], tool_context: AdkContext) -> Any:
            self.returned = await run(args=args, tool_context=tool_context)
            return self.returned

        object.__setattr__(self.copy, "run_async", watched)


def _value_of(response: FunctionResponse, tool: _Watched, call: ToolContext) -> Any:
    """What was returned, unless a callback put something else in its place or showed a medium."""
    given = response.response
    if response.parts:
        for part in response.parts:
            blob = part.inline_data
            if blob is not None and blob.data is not None:
                call.image(blob.data, blob.mime_type or "image/png")
        return given
    if given is None or _is_same(given, tool.returned) or set(given) != {"result"}:
        return given
    return given["result"]


def _is_same(given: dict[str, Any], returned: Any) -> bool:
    """Whether ADK had no need of a box: what the tool returned is an object with these values."""
    if not isinstance(returned, dict):
        return False
    own = cast("dict[str, Any]", returned)
    return given.keys() == own.keys() and all(given[name] is own[name] for name in given)


def _merge(actions: EventActions, into: EventActions) -> None:
    """What a tool did besides returning, added to what the code tool's own event tells."""
    for name in EventActions.model_fields:
        value: Any = getattr(actions, name)
        if name in _OF_THE_CALL_ALONE or value is None:
            continue
        before: Any = getattr(into, name)
        if isinstance(value, dict) and isinstance(before, dict):
            cast("dict[str, Any]", before).update(cast("dict[str, Any]", value))
        elif isinstance(value, list) and isinstance(before, list):
            cast("list[Any]", before).extend(cast("list[Any]", value))
        else:
            setattr(into, name, value)
