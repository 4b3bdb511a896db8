"""An MCP server whose one tool runs scripts over many tools."""

from __future__ import annotations

from typing import Annotated, Any, Unpack

from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import Field

from toolscript.contract.convert import tool_from
from toolscript_adapters.kit import (
    CODE_DESCRIPTION,
    CodeRunner,
    CodeToolOptions,
    check_code_tool,
    convert_tools,
)
from toolscript_adapters.mcp.request import CodeRequest


def code_server(
    tools: Any, server_name: str = "toolscript", **options: Unpack[CodeToolOptions]
) -> MCPServer[Any]:
    """A server with the code tool; `run()` serves it, and whatever else the SDK offers.

    Takes what `add_code_tool` takes.
    """
    server: MCPServer[Any] = MCPServer(server_name)
    add_code_tool(server, tools, **options)
    return server


def add_code_tool(
    server: MCPServer[Any], tools: Any, **options: Unpack[CodeToolOptions]
) -> CodeRunner:
    """Add to a server the one tool that runs scripts; gives the engine behind it.

    Tools find the SDK's `Context` of the request as `context.app`. The script's `progress` is
    reported to the client.

    Args:
        tools: functions, `Tool`s, `Namespace`s (such as those of `connect`); or name → tools.
        options: see `CodeToolOptions` and `CodeMode`.

    Raises:
        ContractError, ConfigurationError: as `CodeMode` does.
    """
    check_code_tool(add_code_tool, options)
    runner = CodeRunner(convert_tools(tools, tool_from), options)

    async def run_code(
        code: Annotated[str, Field(description=CODE_DESCRIPTION)], context: Context[Any, Any]
    ) -> CallToolResult | InputRequiredResult:
        return await CodeRequest(runner, context, get_access_token()).answer(code)

    server.add_tool(
        run_code, name=runner.name, description=runner.description, structured_output=False
    )
    return runner
