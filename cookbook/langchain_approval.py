"""A person approves each payment that a script makes; nothing else is asked twice.

`CodeModeMiddleware` has the model call the agent's tools from scripts and sends every nested call
through the agent's other middleware. So LangChain's own `HumanInTheLoopMiddleware` pauses the
graph in the middle of the script. What the script had done is not done again afterwards, also if
another process goes on from the same checkpointer.

    python cookbook/langchain_approval.py            # a scripted model, offline
    ANTHROPIC_API_KEY=... python cookbook/langchain_approval.py

Needs: pip install "toolscript[langchain]" (and langchain-anthropic or langchain-openai)
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.chat_models import init_chat_model
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from toolscript import CodeModeMiddleware

QUESTION = "Pay all invoices that are due."

INVOICES = [
    {"id": "A-1", "to": "Ada", "euros": 120, "due": True},
    {"id": "A-2", "to": "Bert", "euros": 80, "due": False},
    {"id": "A-3", "to": "Cleo", "euros": 9000, "due": True},
]


@tool
def list_invoices() -> list[dict[str, Any]]:
    """All open invoices."""
    print("  (the invoices are read)")
    return INVOICES


@tool
def pay(invoice: str, euros: float) -> str:
    """Pay an invoice."""
    print(f"  (paying {euros:g} for {invoice})")
    return f"paid {euros:g} for {invoice}"


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


def decide(request: dict[str, Any]) -> dict[str, Any]:
    """A person's answer; where nobody sits at a terminal, large amounts are cut to 100."""
    print(f"May I {request['name']} {json.dumps(request['args'])}?")
    if sys.stdin.isatty():
        said = input("  [y]es or [n]o: ")
        return {"type": "approve"} if said.startswith("y") else {"type": "reject"}
    if request["args"]["euros"] <= 500:
        return {"type": "approve"}
    smaller = {"name": request["name"], "args": {**request["args"], "euros": 100}}
    return {"type": "edit", "edited_action": smaller}


def main() -> None:
    agent = create_agent(
        model(
            script(
                """
                const due = (await tools.list_invoices({})).filter((one) => one.due);
                return await Promise.all(
                  due.map((one) => tools.pay({ invoice: one.id, euros: one.euros })),
                );
                """
            ),
            AIMessage("Both due invoices are paid; one amount was changed by you."),
        ),
        tools=[list_invoices, pay],
        middleware=[HumanInTheLoopMiddleware({"pay": True}), CodeModeMiddleware()],
        checkpointer=InMemorySaver(),
    )
    config: RunnableConfig = {"configurable": {"thread_id": "payments"}}
    result = agent.invoke({"messages": [("user", QUESTION)]}, config)
    while "__interrupt__" in result:
        answers = {
            asked.id: {"decisions": [decide(one) for one in asked.value["action_requests"]]}
            for asked in result["__interrupt__"]
        }
        result = agent.invoke(Command(resume=answers), config)
    print(result["messages"][-1].text)


if __name__ == "__main__":
    main()
