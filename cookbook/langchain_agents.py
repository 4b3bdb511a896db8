"""Several agents that share tools, and a lead that puts them to work from one script.

Each agent gets a code tool over the part of the tools that is its business. The lead's script
asks both at once and compares their answers; none of the figures passes through its context.

    python cookbook/langchain_agents.py              # scripted models, offline
    ANTHROPIC_API_KEY=... python cookbook/langchain_agents.py

Needs: pip install "toolscript[langchain]" (and langchain-anthropic or langchain-openai)
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool

from toolscript import CodeModeTool

QUESTION = "Do our prices and our stock agree with what we promise customers?"


@tool
def list_products() -> list[str]:
    """Names of all products."""
    return ["lamp", "chair", "desk"]


@tool
async def get_price(product: str) -> float:
    """Price of a product in euros."""
    await asyncio.sleep(0.01)
    return {"lamp": 39.0, "chair": 89.0, "desk": 240.0}[product]


@tool
async def get_stock(product: str) -> int:
    """Pieces of a product in the warehouse."""
    await asyncio.sleep(0.01)
    return {"lamp": 14, "chair": 0, "desk": 3}[product]


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


def specialist(name: str, tools: list[BaseTool], *replies: AIMessage) -> BaseTool:
    """An agent of its own, as a tool of another."""
    agent = create_agent(model(*replies), tools=[CodeModeTool(tools)], name=name)

    @tool(name, description=f"Ask the {name} a question.")
    async def ask(question: str) -> str:
        result: dict[str, Any] = await agent.ainvoke({"messages": [("user", question)]})
        return result["messages"][-1].text

    return ask


async def main() -> None:
    pricing = specialist(
        "pricing",
        [list_products, get_price],
        script(
            """
            const names = await tools.list_products({});
            const prices = await Promise.all(names.map((product) => tools.get_price({ product })));
            return names.filter((_, i) => prices[i] > 200);
            """
        ),
        AIMessage("Above 200 euros: desk."),
    )
    warehouse = specialist(
        "warehouse",
        [list_products, get_stock],
        script(
            """
            const names = await tools.list_products({});
            const stock = await Promise.all(names.map((product) => tools.get_stock({ product })));
            return names.filter((_, i) => stock[i] === 0);
            """
        ),
        AIMessage("Sold out: chair."),
    )
    lead = create_agent(
        model(
            script(
                """
                const [prices, stock] = await Promise.all([
                  tools.pricing({ question: "Which products cost more than 200 euros?" }),
                  tools.warehouse({ question: "Which products are sold out?" }),
                ]);
                return `${prices} ${stock}`;
                """
            ),
            AIMessage("The desk is dearer than promised, and the chair is sold out."),
        ),
        tools=[CodeModeTool([pricing, warehouse])],
    )
    result = await lead.ainvoke({"messages": [("user", QUESTION)]})
    for message in result["messages"]:
        message.pretty_print()


if __name__ == "__main__":
    asyncio.run(main())
