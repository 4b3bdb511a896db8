"""Function tools of the Agents SDK, as tools that a script can call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from agents import FunctionTool, RunHooks, function_tool
from agents.function_schema import function_schema
from agents.tool_context import ToolContext as AgentsContext

from toolscript.contract.convert import tool_from
from toolscript.contract.tool import JsonSchema, Tool, ToolContext, ToolOptions
from toolscript.errors import ContractError
from toolscript.mcp.convert import options_from
from toolscript_adapters.kit import current_session, returns_of
from toolscript_adapters.openai_agents.nested import call_function_tool


def tool_from_openai_agents(tool: Any, *, hooks: RunHooks[Any] | None = None) -> Tool:
    """A tool whose calls are invocations of a `FunctionTool`.

    A plain function becomes a function tool first, a `Tool` stays what it is.

    Args:
        hooks: hear of each call, beside the agent's own hooks.

    Raises:
        ContractError: for a tool that only OpenAI can run, such as web search.
    """
    if isinstance(tool, Tool):
        return tool
    if isinstance(tool, FunctionTool):
        return _from_function_tool(tool, hooks)
    if type(tool).__module__.partition(".")[0] == "agents":
        raise ContractError(
            f"{type(tool).__name__} is not run by a function here, so a script cannot call it; "
            "leave it in the agent's own tools"
        )
    if callable(tool):
        return _from_function_tool(function_tool(tool), hooks)
    return tool_from(tool)


def _from_function_tool(tool: FunctionTool, hooks: RunHooks[Any] | None) -> Tool:
    function: Callable[..., Any] | None = getattr(tool, "__wrapped__", None)
    output_schema: JsonSchema | None = tool.output_json_schema
    dump = None
    if output_schema is None and function is not None:
        output_schema, dump = returns_of(function, tool.name)

    # Versions before 0.24 keep no annotations of tools that are from an MCP server.
    annotations: Any = getattr(tool, "mcp_annotations", None)
    asking = ToolOptions(requires_approval=_approval_of(tool))

    async def call(args: Any, context: ToolContext) -> Any:
        return await call_function_tool(tool, args, context, hooks)

    return Tool(
        name=tool.name,
        description=tool.description,
        input_schema=_input_schema(tool, function),
        output_schema=output_schema,
        call=call,
        options=options_from(annotations, asking, trusted=False),
        dump_output=dump,
    )


def _input_schema(tool: FunctionTool, function: Callable[..., Any] | None) -> JsonSchema:
    """The schema of the arguments, in which those with a default may be left out.

    The strict schema, which models get for direct calls, requires all of them.
    """
    if function is None or not tool.strict_json_schema:
        return tool.params_json_schema
    loose = function_schema(function, name_override=tool.name, strict_json_schema=False)
    return loose.params_json_schema


def _approval_of(tool: FunctionTool) -> bool | Callable[[dict[str, Any]], Awaitable[bool]]:
    asks = tool.needs_approval
    if isinstance(asks, bool):
        return asks

    async def ask(args: dict[str, Any]) -> bool:
        session = current_session(AgentsContext)
        return await asks(session.context, args, session.call_id)

    return ask
