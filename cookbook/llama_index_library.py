"""LlamaIndex: one script asks a retriever many questions, joins the answers, and asks a person.

`CodeModeTool` is a `FunctionTool` like any other: give it to an agent in place of the tools that it
runs scripts over. Those get the workflow's `Context`. Ordering a book needs an approval, for which
the workflow waits: an `ApprovalRequest` comes on its event stream.

    python cookbook/llama_index_library.py            # a scripted model, offline
    ANTHROPIC_API_KEY=... python cookbook/llama_index_library.py

Needs: pip install "toolscript[llama-index]" (and llama-index-llms-anthropic)
"""

# LlamaIndex finds the parameter for its context by comparing annotations with the type, so
# `from __future__ import annotations` would hide it.

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent, ToolCall
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.workflow import Context
from pydantic import BaseModel

from toolscript_adapters.llama_index import ApprovalRequest, ApprovalResponse, CodeModeTool

QUESTION = "Order every book about the sea that the library lacks, if it is below 20 euros."


class Book(BaseModel):
    title: str
    euros: float


CATALOGUE = {
    "sea": [Book(title="Tides", euros=12), Book(title="The Deep", euros=35)],
    "whales": [Book(title="Songs Below", euros=18), Book(title="Tides", euros=12)],
}


def find_books(subject: str) -> list[Book]:
    """Books of the trade about a subject."""
    return CATALOGUE.get(subject, [])


async def has_book(ctx: Context, title: str) -> bool:
    """Whether the library has a book."""
    return title in await ctx.store.get("shelf")


async def order(ctx: Context, title: str) -> str:
    """Order a book."""
    await ctx.store.set("shelf", [*await ctx.store.get("shelf"), title])
    return f"ordered {title}"


SCRIPT = """
const found = await Promise.all(["sea", "whales"].map((subject) => tools.find_books({ subject })));
const titles = new Set(found.flat().filter((book) => book.euros < 20).map((book) => book.title));
const said = [];
for (const title of titles) {
  if (!(await tools.has_book({ title }))) said.push(await tools.order({ title }));
}
return said;
"""


def reply(messages: Sequence[ChatMessage], **options: Any) -> AsyncIterator[ChatMessage]:
    """Plays the model where no key is set."""

    async def one() -> AsyncIterator[ChatMessage]:
        if messages[-1].role == MessageRole.TOOL:
            yield ChatMessage(role="assistant", content=f"Done: {messages[-1].content}")
        else:
            call = ToolCallBlock(
                tool_call_id="call_1", tool_name="run_code", tool_kwargs={"code": SCRIPT}
            )
            yield ChatMessage(role="assistant", blocks=[call])

    return one()


def model() -> FunctionCallingLLM:
    if os.environ.get("ANTHROPIC_API_KEY"):
        from llama_index.llms.anthropic import Anthropic

        return Anthropic(model="claude-sonnet-4-5", max_tokens=4000)
    return MockFunctionCallingLLM(response_generator=reply)


def decide(request: ApprovalRequest) -> bool:
    """A person's answer; where nobody sits at a terminal, it is a yes."""
    print(f"May I {request.tool} {request.args['title']}?")
    return not sys.stdin.isatty() or input("  [y]es or [n]o: ").startswith("y")


async def main() -> None:
    code = CodeModeTool([find_books, has_book, order], requires_approval=["order"])
    agent = FunctionAgent(tools=[code], llm=model())
    context = Context(agent)
    await context.store.set("shelf", ["Tides"])
    handler = agent.run(QUESTION, ctx=context)
    async for event in handler.stream_events():
        if isinstance(event, ApprovalRequest):
            handler.ctx.send_event(ApprovalResponse(id=event.id, approved=decide(event)))
        elif isinstance(event, ToolCall) and event.tool_name != "run_code":
            print(f"  (the script calls {event.tool_name})")
    print(await handler)


if __name__ == "__main__":
    asyncio.run(main())
