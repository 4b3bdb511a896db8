"""Tools of in-process MCP servers, as tools that a script can call."""

from __future__ import annotations

from typing import Any, Final, cast

import claude_agent_sdk
from claude_agent_sdk import SdkMcpTool

from toolscript.contract.convert import tool_from
from toolscript.contract.tool import JsonSchema, Tool
from toolscript.mcp.convert import tool_from_mcp

SOURCE: Final = "claude_agent_sdk"


def tool_from_claude(tool: Any, *, output_schema: JsonSchema | None = None) -> Tool:
    """A tool whose calls are those of the handler of an `SdkMcpTool`.

    Functions, `Tool`s and what else `tool_from` takes are taken, too.

    Args:
        output_schema: schema of the JSON in the text that the handler returns; the SDK's tools do
            not say it.

    Raises:
        ContractError: for what is no tool.
    """
    if not isinstance(tool, SdkMcpTool):
        return tool_from(tool, output_schema=output_schema)
    own = cast("SdkMcpTool[Any]", tool)

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        result = await own.handler(arguments)
        return {"content": result.get("content", []), "isError": result.get("is_error", False)}

    definition = {
        "name": own.name,
        "description": own.description,
        "inputSchema": input_schema_of(own),
        "outputSchema": output_schema,
        "annotations": own.annotations,
    }
    return tool_from_mcp(definition, call, server=SOURCE)


def input_schema_of(tool: SdkMcpTool[Any]) -> dict[str, Any]:
    """The schema that the SDK itself makes of names and types; touches a private function of it."""
    return cast("Any", claude_agent_sdk)._build_input_schema(tool)
