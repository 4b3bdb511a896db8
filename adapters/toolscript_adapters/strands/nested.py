"""One tool of the agent, as scripts call it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from strands import Agent
from strands.interrupt import InterruptException
from strands.tools.decorator import DecoratedFunctionTool
from strands.types.tools import AgentTool, ToolResult, ToolUse

from toolscript.contract.tool import JsonSchema, Tool, ToolContext, ToolOptions
from toolscript.errors import ToolError
from toolscript_adapters.kit import current_session, returns_of, steer
from toolscript_adapters.strands.execution import Execution, execute

SOURCE: Final = "strands"


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """What the agent gave to the code tool; nested calls get the same.

    `streamed` are events of nested tools, which the agent's own stream tells.
    """

    agent: Agent
    tool_use: ToolUse
    invocation_state: dict[str, Any]
    streamed: asyncio.Queue[Any] = field(default_factory=asyncio.Queue[Any])


def tool_of(tool: AgentTool, requires_approval: Collection[str]) -> Tool:
    """The tool as scripts see it. It finds the agent that calls it in the session."""
    spec = cast("Mapping[str, Any]", tool.tool_spec)
    name = tool.tool_name
    output_schema, dump_output = _returns(tool)

    async def call(args: Any, context: ToolContext) -> Any:
        session = current_session(ScriptRun)
        run = session.context
        use: ToolUse = {"toolUseId": session.id_of(context), "name": name, "input": args}
        execution = await execute(run.agent, use, run.invocation_state, run.streamed.put_nowait)
        if execution.interrupts:
            raise steer(InterruptException(execution.interrupts[0]), context, again=True)
        return _value(name, execution)

    return Tool(
        name=name,
        description=spec["description"],
        input_schema=_json_of(spec["inputSchema"]),
        output_schema=output_schema,
        call=call,
        dump_output=dump_output,
        options=ToolOptions(
            requires_approval=name in requires_approval,
            # A server's promises decide nothing; its warnings are shown.
            destructive=spec.get("annotations", {}).get("destructiveHint") is True,
        ),
        source=SOURCE,
    )


def _returns(tool: AgentTool) -> tuple[JsonSchema | None, Callable[[Any], Any] | None]:
    spec = cast("Mapping[str, Any]", tool.tool_spec)
    if "outputSchema" in spec:
        return _json_of(spec["outputSchema"]), None
    if not isinstance(tool, DecoratedFunctionTool):
        return None, None
    function: Callable[..., Any] = inspect.unwrap(cast("Callable[..., Any]", tool))
    if inspect.isasyncgenfunction(function):
        # What it yields last is its result, of whatever type.
        return None, None
    schema, dump = returns_of(function, tool.tool_name)
    if isinstance(schema, Mapping) and _may_be_a_result(schema):
        return None, None
    return schema, dump


def _may_be_a_result(schema: Mapping[str, Any]) -> bool:
    """Whether the function may return a finished `ToolResult`: scripts get its content."""
    properties = schema.get("properties")
    if properties is None:
        return schema.get("type") == "object"
    return {"status", "content"} <= set(properties)


def _value(name: str, execution: Execution) -> Any:
    """What the script receives: the value that the tool returned, or what its result says."""
    result = execution.result
    if result is None:
        raise ToolError(f"{name} gave no result")
    if result["status"] == "error":
        message = _text(result).removeprefix("Error: ")
        raise ToolError(message, code="denied" if execution.cancelled else "failed")
    for content, value in execution.returned:
        # A hook or middleware may have changed the result, and then its word counts.
        if content == result["content"] and not _is_result(value):
            return value
    structured = cast("Mapping[str, Any]", result).get("structuredContent")
    if structured is not None:
        return structured
    content = result["content"]
    if all("text" in item for item in content):
        return _text(result)
    if len(content) == 1:
        return next(iter(content[0].values()))
    return content


def _is_result(value: Any) -> bool:
    return isinstance(value, dict) and "status" in value and "content" in value


def _text(result: ToolResult) -> str:
    return "\n".join(item["text"] for item in result["content"] if "text" in item)


def _json_of(schema: Mapping[str, Any]) -> JsonSchema:
    return schema.get("json", schema)


def image_in(value: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """An image as scripts get it of a result: alone, or among other content."""
    image = cast("Mapping[str, Any]", value.get("image", value))
    source = image.get("source") if "format" in image else None
    if not isinstance(source, Mapping):
        return None
    return cast("Mapping[str, Any]", source).get("bytes"), f"image/{image['format']}"
