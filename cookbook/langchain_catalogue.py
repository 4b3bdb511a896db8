"""Four hundred tools without four hundred definitions in the prompt.

Above its budget the model sees an index of names. Its script finds the tools it needs, reads
their types, and calls them, all in one turn.

    python cookbook/langchain_catalogue.py           # a scripted model, offline
    ANTHROPIC_API_KEY=... python cookbook/langchain_catalogue.py

Needs: pip install "toolscript[langchain]" (and langchain-anthropic or langchain-openai)
"""

from __future__ import annotations

import os
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, StructuredTool

from toolscript import CodeModeTool

QUESTION = "What do we keep of shipments: count them, and show the oldest."

SUBJECTS = [
    "account", "audit", "budget", "campaign", "carrier", "contact", "contract", "coupon",
    "customer", "delivery", "discount", "document", "employee", "event", "forecast", "invoice",
    "item", "lead", "ledger", "location", "machine", "message", "order", "partner", "payment",
    "permit", "price", "product", "project", "quote", "receipt", "refund", "report", "return",
    "review", "schedule", "shipment", "subscription", "supplier", "ticket",
]  # fmt: skip
VERBS = {
    "count": "Count all of them",
    "oldest": "Get the oldest one",
    "newest": "Get the newest one",
    "find": "Find those whose text holds a word",
    "create": "Make a new one",
    "update": "Change one",
    "archive": "Put one into the archive",
    "export": "Write all of them to a file",
    "tag": "Put a label on one",
    "history": "List what happened to one",
}


def catalogue() -> list[BaseTool]:
    """Ten tools for each of forty subjects."""

    def make(subject: str, verb: str) -> BaseTool:
        def act(text: str = "") -> dict[str, Any]:
            if verb == "count":
                return {"subject": subject, "count": 100 + len(subject)}
            return {"subject": subject, "verb": verb, "id": f"{subject}-0001", "text": text}

        return StructuredTool.from_function(
            act, name=f"{subject}_{verb}", description=f"{VERBS[verb]} of the {subject} records."
        )

    return [make(subject, verb) for subject in SUBJECTS for verb in VERBS]


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


def main() -> None:
    tools = catalogue()
    run_code = CodeModeTool(tools, prompt_tokens=3_000)
    print(f"{len(tools)} tools, {len(run_code.description) // 4} tokens of description")
    agent = create_agent(
        model(
            script(
                """
                const found = await codemode.search("shipment records count oldest", { limit: 6 });
                console.log(found.length, "tools found");
                const [count, oldest] = await Promise.all([
                  tools.shipment_count({}), tools.shipment_oldest({}),
                ]);
                return { count: count.count, oldest: oldest.id };
                """
            ),
            AIMessage("There are 108 shipments; the oldest is shipment-0001."),
        ),
        tools=[run_code],
    )
    result = agent.invoke({"messages": [("user", QUESTION)]})
    for message in result["messages"][1:]:
        message.pretty_print()


if __name__ == "__main__":
    main()
