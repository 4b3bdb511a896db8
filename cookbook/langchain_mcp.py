"""Tools of MCP servers, called from one script.

`langchain-mcp-adapters` makes LangChain tools of a server's; toolscript shows the model their
types and gives scripts the servers' structured results. The adapter drops output schemas, so
they are read from the session and handed over.

    python cookbook/langchain_mcp.py                 # a scripted model, offline
    ANTHROPIC_API_KEY=... python cookbook/langchain_mcp.py

Needs: pip install "toolscript[langchain]" langchain-mcp-adapters (and a model's package), in an
environment without the extra `mcp`: the adapter needs the MCP SDK before version 2, toolscript's
own connection to servers (cookbook/mcp_servers.py) needs version 2.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from mcp.server.fastmcp import FastMCP
from pydantic import BaseModel

from toolscript import CodeModeTool

QUESTION = "How many books by Le Guin are on the shelf, and how many pages is that?"


class Book(BaseModel):
    title: str
    author: str
    pages: int


def serve() -> None:
    """A small MCP server; a real one would be a program of its own."""
    library = FastMCP("library")
    shelf = [
        Book(title="The Dispossessed", author="Le Guin", pages=387),
        Book(title="Solaris", author="Lem", pages=204),
        Book(title="The Lathe of Heaven", author="Le Guin", pages=184),
    ]

    @library.tool()
    def find_titles(author: str) -> list[str]:
        """Titles by an author."""
        return [book.title for book in shelf if book.author == author]

    @library.tool()
    def get_book(title: str) -> Book:
        """All about one book."""
        return next(book for book in shelf if book.title == title)

    library.run()


class Scripted(BaseChatModel):
    """Plays the model where no key is set."""

    replies: list[AIMessage]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        turn = sum(isinstance(message, AIMessage) for message in messages)
        reply = self.replies[turn].model_copy(update={"id": None})
        return ChatResult(generations=[ChatGeneration(message=reply)])


def model(*replies: AIMessage) -> BaseChatModel:
    if os.environ.get("ANTHROPIC_API_KEY"):
        return init_chat_model("anthropic:claude-sonnet-4-5")
    if os.environ.get("OPENAI_API_KEY"):
        return init_chat_model("openai:gpt-5")
    return Scripted(replies=list(replies))


def script(code: str) -> AIMessage:
    call = {"name": "run_code", "args": {"code": code}, "id": "call_1", "type": "tool_call"}
    return AIMessage(content="", tool_calls=[call])


async def main() -> None:
    client = MultiServerMCPClient(
        {
            "library": {
                "transport": "stdio",
                "command": sys.executable,
                "args": [__file__, "--serve"],
            }
        }
    )
    async with client.session("library") as session:
        tools = await load_mcp_tools(session)
        listed = (await session.list_tools()).tools
        schemas = {one.name: one.outputSchema for one in listed if one.outputSchema}
        agent = create_agent(
            model(
                script(
                    """
                    const { result: titles } = await tools.find_titles({ author: "Le Guin" });
                    const books = await Promise.all(titles.map((title) => tools.get_book({ title })));
                    return { books: books.length, pages: books.reduce((sum, b) => sum + b.pages, 0) };
                    """
                ),
                AIMessage("Two books by Le Guin, 571 pages together."),
            ),
            tools=[CodeModeTool(tools, output_schemas=schemas)],
        )
        result = await agent.ainvoke({"messages": [("user", QUESTION)]})
    for message in result["messages"]:
        message.pretty_print()


if __name__ == "__main__":
    if "--serve" in sys.argv:
        serve()
    else:
        asyncio.run(main())
