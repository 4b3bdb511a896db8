"""A script's call of a function tool, with all that the Runner puts around one of the model's.

In its order: guardrails for the input, hooks, the tool under its own time limit inside a span of
the trace, guardrails for the output, hooks.
"""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Mapping
from operator import attrgetter
from typing import Any, cast

from agents import (
    Agent,
    FunctionTool,
    InputGuardrailTripwireTriggered,
    OutputGuardrailTripwireTriggered,
    RunHooks,
    ToolInputGuardrailData,
    ToolInputGuardrailTripwireTriggered,
    ToolOutputGuardrailData,
    ToolOutputGuardrailTripwireTriggered,
    function_span,
)
from agents.agent_tool_state import consume_agent_tool_run_result, get_agent_tool_state_scope
from agents.exceptions import ToolTimeoutError
from agents.tool import ToolErrorFunction, invoke_function_tool
from agents.tool_context import ToolContext as AgentsContext
from openai.types.responses import ResponseFunctionToolCall

from toolscript.contract.tool import ToolContext
from toolscript.errors import ToolError
from toolscript_adapters.kit import current_session, steer

_TRIPWIRES = (
    InputGuardrailTripwireTriggered,
    OutputGuardrailTripwireTriggered,
    ToolInputGuardrailTripwireTriggered,
    ToolOutputGuardrailTripwireTriggered,
)


async def call_function_tool(
    tool: FunctionTool, args: Any, call: ToolContext, hooks: RunHooks[Any] | None
) -> Any:
    """What the tool returned, as it is.

    Raises:
        ToolError: the tool failed, timed out, is not enabled, or a guardrail rejected its call.
        Steering: a guardrail ends the agent's run.
    """
    session = current_session(AgentsContext)
    outer: AgentsContext[Any] = session.context
    tool_call = ResponseFunctionToolCall(
        type="function_call",
        call_id=session.id_of(call),
        name=tool.name,
        arguments=json.dumps(args, ensure_ascii=False),
    )
    context = AgentsContext[Any].from_agent_context(outer, tool_call.call_id, tool_call=tool_call)
    agent = cast("Agent[Any]", outer.agent)
    await _check_enabled(tool, context, agent)
    listeners = [one for one in (hooks, getattr(agent, "hooks", None)) if one is not None]
    try:
        with function_span(tool.name) as span:
            shows = outer.run_config is None or outer.run_config.trace_include_sensitive_data
            if shows:
                span.span_data.input = tool_call.arguments
            await _guard_input(tool, context, agent)
            for one in listeners:
                await one.on_tool_start(context, agent, tool)
            value = await _invoked(tool, context, tool_call)
            value = await _guard_output(tool, context, agent, value)
            if shows:
                span.span_data.output = value
            for one in listeners:
                await one.on_tool_end(context, agent, tool, value)
            return value
    except _TRIPWIRES as error:
        raise steer(error, call) from error


async def _check_enabled(
    tool: FunctionTool, context: AgentsContext[Any], agent: Agent[Any]
) -> None:
    enabled = tool.is_enabled
    if not isinstance(enabled, bool):
        asked = enabled(context, agent)
        enabled = await asked if inspect.isawaitable(asked) else asked
    if not enabled:
        raise ToolError(f"{tool.name} is not enabled at present", code="denied")


async def _invoked(
    tool: FunctionTool, context: AgentsContext[Any], tool_call: ResponseFunctionToolCall
) -> Any:
    raising = _Raising(tool)
    try:
        value = await invoke_function_tool(
            function_tool=raising.tool, context=context, arguments=tool_call.arguments
        )
    except _TRIPWIRES:
        raise
    except ToolTimeoutError as error:
        raise ToolError(str(error), code="timeout") from error
    except Exception as error:
        message = await raising.message(context, error)
        if message is None:
            raise
        raise ToolError(message) from error
    # An agent that is a tool says in this way that it waits for an approval of its own.
    inner: Any = consume_agent_tool_run_result(
        tool_call, scope_id=get_agent_tool_state_scope(context)
    )
    waiting = [item.tool_name for item in inner.interruptions] if inner is not None else []
    if waiting:
        raise ToolError(
            f"{tool.name} is an agent that waits for an approval ({', '.join(waiting)}), which "
            "only works when the model calls it directly",
            code="denied",
        )
    return value


async def _guard_input(tool: FunctionTool, context: AgentsContext[Any], agent: Agent[Any]) -> None:
    for guardrail in tool.tool_input_guardrails or ():
        output = await guardrail.run(ToolInputGuardrailData(context=context, agent=agent))
        behavior = output.behavior
        if behavior["type"] == "raise_exception":
            raise ToolInputGuardrailTripwireTriggered(guardrail=guardrail, output=output)
        if behavior["type"] == "reject_content":
            raise ToolError(behavior["message"], code="denied")


async def _guard_output(
    tool: FunctionTool, context: AgentsContext[Any], agent: Agent[Any], value: Any
) -> Any:
    for guardrail in tool.tool_output_guardrails or ():
        data = ToolOutputGuardrailData(context=context, agent=agent, output=value)
        output = await guardrail.run(data)
        behavior = output.behavior
        if behavior["type"] == "raise_exception":
            raise ToolOutputGuardrailTripwireTriggered(guardrail=guardrail, output=output)
        if behavior["type"] == "reject_content":
            raise ToolError(behavior["message"], code="denied")
    return value


class _Raising:
    """A tool that raises what its function raised: the one place that touches private fields.

    By default the SDK turns an exception into a text for the model, which a script could not tell
    from a result. How it does that is kept only in private fields of the tool. A text of the
    application's own making becomes the message of the error.
    """

    def __init__(self, tool: FunctionTool):
        private: Any = attrgetter("_failure_error_function", "_use_default_failure_error_function")
        words, by_default = private(tool)
        self._words: ToolErrorFunction | None = None if by_default else words
        self.tool = copy.copy(tool)
        self.tool.timeout_behavior = "raise_exception"
        raising = {"_failure_error_function": None, "_use_default_failure_error_function": False}
        for field, value in raising.items():
            setattr(self.tool, field, value)

    async def message(self, context: AgentsContext[Any], error: Exception) -> str | None:
        """What the application says of an error to the model; None leaves it to the error."""
        if self._words is None:
            return None
        said = self._words(context, error)
        return await said if inspect.isawaitable(said) else said


def image_in(value: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """An image as scripts get it of a tool that returns a `ToolOutputImage` with its data."""
    url = value.get("image_url") if value.get("type") == "image" else None
    if not isinstance(url, str) or not url.startswith("data:"):
        return None
    mime_type, _, data = url.removeprefix("data:").partition(";base64,")
    return data, mime_type
