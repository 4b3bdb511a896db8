"""The tools of an MCP server that toolscript itself connects, in a LangChain agent."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from langchain.agents import create_agent

from tests.langchain.model import Recorder, code, done, scripted
from tests.langchain.test_agent import ASK, tool_messages
from toolscript import CodeModeTool

pytest.importorskip("mcp.server.mcpserver", reason="needs the MCP SDK from version 2 on")

from mcp.server import MCPServer
from mcp.server.mcpserver import Image

from toolscript_adapters.mcp import connect

PIXEL = b"\x89PNG\r\n\x1a\n"


def _server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("charts")

    @server.tool(structured_output=False)
    def chart(of: str) -> list[Any]:
        """Draw a chart."""
        return [of, Image(data=PIXEL, format="png")]

    @server.tool()
    def count(of: str) -> int:
        """How many there are."""
        return len(of)

    return server


async def _answer(script: str, recorder: Recorder) -> Any:
    async with connect(_server(), "charts") as charts:
        agent = create_agent(scripted(code(script), done()), tools=[CodeModeTool([charts])])
        result = await agent.ainvoke(ASK, {"callbacks": [recorder]})
    (message,) = tool_messages(result)
    assert message.status == "success", message.content
    return message.content


async def test_calls_are_typed_and_traced() -> None:
    recorder = Recorder()
    assert await _answer("return 1 + (await charts.count({ of: 'sales' }));", recorder) == "6"
    (outer,) = recorder.named("run_code")
    assert recorder.parent(recorder.named("count")[0]) is outer


async def test_an_image_that_a_script_returns_is_one_for_the_model() -> None:
    text, image = await _answer("return await charts.chart({ of: 'sales' });", Recorder())
    assert text == {"type": "text", "text": "sales\n[image, image/png, 8 bytes]"}
    assert image["mime_type"] == "image/png"
    assert base64.b64decode(image["base64"]) == PIXEL
