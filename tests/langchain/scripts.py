"""Run a script against tools, and give back what the agent would get."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.messages import ToolMessage

from toolscript import CodeModeTool


async def run_message(tools: Any, script: str, **options: Any) -> ToolMessage:
    """The tool message of one script, outside of any graph."""
    tool = CodeModeTool(tools, **options)
    call = {"name": tool.name, "args": {"code": script}, "id": "outer", "type": "tool_call"}
    return await tool.ainvoke(call)


async def run_value(tools: Any, script: str, **options: Any) -> Any:
    """What a script returned; it has to complete."""
    message = await run_message(tools, script, **options)
    assert message.status == "success", message.content
    return message.artifact["value"]


async def run_error(tools: Any, script: str, **options: Any) -> str:
    """What a model reads of a script that fails."""
    message = await run_message(tools, script, **options)
    assert message.status == "error", message.content
    return str(message.content)


def caught(expression: str) -> str:
    """A script that returns what the failing expression throws."""
    return (
        f"try {{ await {expression}; return 'nothing was thrown'; }} "
        "catch (e) { return { tool: e.tool, code: e.code, message: e.message, name: e.name, "
        "isToolError: e instanceof ToolError }; }"
    )


def quoted(value: Any) -> str:
    return json.dumps(value)
