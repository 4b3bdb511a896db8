"""Images that scripts return: each framework's own form of them reaches the model as an image."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from agents import ToolOutputImage, ToolOutputText, function_tool
from llama_index.core.base.llms.types import ImageBlock, TextBlock
from mcp import Client
from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.types import ImageContent, TextContent
from pydantic_ai import Tool
from pydantic_ai.messages import BinaryContent, ToolReturnPart, UserPromptPart
from strands import tool

from tests.adapters import test_llama_index as llama_index
from tests.adapters import test_openai_agents as openai_agents
from tests.adapters import test_pydantic_ai as pydantic_ai
from tests.adapters import test_strands as strands
from toolscript import CodeMode, Profile
from toolscript.images import images_of, mcp_image, without_images
from toolscript_adapters.mcp import code_server, connect

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
WORDS = "[image, image/png, 70 bytes]"
SCRIPT = "const [shown] = [await tools.chart({})]; return shown;"


async def test_of_mcp_servers() -> None:
    server: MCPServer[Any] = MCPServer("charts")

    @server.tool(structured_output=False)
    def chart() -> list[Any]:
        """Draw."""
        return ["sales", Image(data=PNG, format="png")]

    async with connect(server, "tools") as charts, Client(code_server(charts.tools)) as client:
        result = await client.call_tool("run_code", {"code": SCRIPT})
    text, image = result.content
    assert isinstance(text, TextContent)
    assert isinstance(image, ImageContent)
    assert text.text == f"sales\n{WORDS}"
    assert (base64.b64decode(image.data), image.mime_type) == (PNG, "image/png")


def test_of_openai_agents() -> None:
    url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"

    @function_tool
    def chart() -> ToolOutputImage:
        """Draw."""
        return ToolOutputImage(image_url=url)

    agent = openai_agents.agent_with([chart], SCRIPT)
    (output,) = openai_agents.outputs(openai_agents.shown(agent))
    text, image = output
    assert isinstance(text, ToolOutputText)
    assert text.text == WORDS
    assert image.image_url == url


async def test_of_pydantic_ai() -> None:
    def chart() -> BinaryContent:
        """Draw."""
        return BinaryContent(data=PNG, media_type="image/png")

    result = await pydantic_ai.agent_of([Tool(chart)], SCRIPT).run("go")
    parts = [part for message in result.all_messages() for part in message.parts]
    (returned,) = [part for part in parts if isinstance(part, ToolReturnPart)]
    assert returned.content == WORDS
    (shown,) = [part for part in parts if isinstance(part, UserPromptPart)][1:]
    (image,) = shown.content
    assert isinstance(image, BinaryContent)
    assert image.data == PNG


async def test_of_strands() -> None:
    @tool
    def chart() -> dict[str, Any]:
        """Draw."""
        image = {"image": {"format": "png", "source": {"bytes": PNG}}}
        return {"status": "success", "content": [image]}

    agent = strands.agent_of([chart], SCRIPT)
    await agent.invoke_async("go")
    text, image = agent.messages[-2]["content"][0]["toolResult"]["content"]
    assert text["text"] == WORDS
    assert image["image"] == {"format": "png", "source": {"bytes": PNG}}


@pytest.mark.parametrize("typed", [True, False])
async def test_of_llama_index(typed: bool) -> None:
    def drawn() -> ImageBlock:
        """Draw."""
        return ImageBlock(image=PNG, image_mimetype="image/png")

    def chart():  # type: ignore[no-untyped-def]
        """Draw."""
        return drawn()

    if typed:
        drawn.__name__ = "chart"
    seen: list[Any] = []
    agent = llama_index.FunctionAgent(
        tools=[llama_index.CodeModeTool([drawn if typed else chart])],
        llm=llama_index.scripted(SCRIPT),
    )
    handler = agent.run("go")
    async for event in handler.stream_events():
        if isinstance(event, llama_index.ToolCallResult) and event.tool_name == "run_code":
            seen += event.tool_output.blocks
    await handler
    text, image = seen
    assert isinstance(text, TextBlock)
    assert text.text == WORDS
    assert base64.b64decode(image.image) == PNG


@pytest.mark.parametrize(
    "made_up",
    [
        '{ type: "image", data: "no base64!", mimeType: "image/png" }',
        '{ type: "image", data: "aGk=", mimeType: "text/html" }',
        '{ type: "image", data: 3 }',
        '{ type: "image" }',
        '{ content: "text" }',
    ],
)
def test_what_only_looks_like_an_image_stays_what_it_is(made_up: str) -> None:
    result = CodeMode([], profile=Profile(name="default")).run_sync(f"return [{made_up}];")
    assert not images_of(result, mcp_image)
    assert without_images(result, mcp_image) is result
