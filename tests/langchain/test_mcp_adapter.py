"""Tools that `langchain-mcp-adapters` made of a real MCP server's, over its own transport."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from tests.langchain.scripts import caught, run_error, run_value
from toolscript import CodeModeTool, tool_from

pytest.importorskip(
    "langchain_mcp_adapters.tools", reason="no adapter for this LangChain", exc_type=ImportError
)

from langchain_mcp_adapters.tools import load_mcp_tools
from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session
from mcp.types import ToolAnnotations


class Stock(BaseModel):
    item: str
    count: int


def _server() -> FastMCP:
    server = FastMCP("warehouse")

    @server.tool(annotations=ToolAnnotations(readOnlyHint=True))
    def stock(item: str) -> Stock:
        """How many there are."""
        return Stock(item=item, count=3)

    @server.tool(structured_output=False)
    def label(item: str, copies: int = 1) -> str:
        """Print a label."""
        return "42" if item == "number" else f"{item} x{copies}"

    @server.tool()
    def fail() -> str:
        """Fail."""
        raise RuntimeError("the shelf is empty")

    return server


async def test_a_servers_tools_in_a_script() -> None:
    async with create_connected_server_and_client_session(_server()._mcp_server) as session:
        tools: list[Any] = await load_mcp_tools(session)
        script = (
            "const s = await tools.stock({ item: 'nut' });"
            "return [s.count, await tools.label({ item: 'nut', copies: 2 }),"
            " await tools.label({ item: 'number' })];"
        )
        assert await run_value(tools, script) == [3, "nut x2", "42"]
        error = await run_value(tools, caught("tools.label({ item: 'nut', copies: 'x' })"))
        assert error["code"] == "invalid_args"
        assert "shelf is empty" in await run_error(tools, "await tools.fail({});")
        by_name = {tool.name: tool_from(tool) for tool in tools}
        assert not by_name["stock"].options.read_only


async def test_output_schemas_can_be_given_where_the_adapter_drops_them() -> None:
    async with create_connected_server_and_client_session(_server()._mcp_server) as session:
        tools: list[Any] = await load_mcp_tools(session)
        listed = await session.list_tools()
        schemas = {
            t.name: t.outputSchema for t in listed.tools if t.outputSchema and t.name != "fail"
        }
        assert "count: number" in CodeModeTool(tools, output_schemas=schemas).description
        script = "return (await tools.stock({ item: 'nut' })).count;"
        assert await run_value(tools, script, output_schemas=schemas) == 3
