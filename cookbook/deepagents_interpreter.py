"""A deep agent whose interpreter calls all its tools: files, sub-agents, and your own.

Where an agent had `langchain_quickjs.CodeInterpreterMiddleware(ptc=[...])`, put
`CodeModeMiddleware([...])`: the model writes TypeScript against typed tools, each nested call
passes through the agent's middleware (`interrupt_on` of the agent too), and what tools write to
the agent's state (files, todos) arrives there.

    python cookbook/deepagents_interpreter.py        # a scripted model, offline
    ANTHROPIC_API_KEY=... python cookbook/deepagents_interpreter.py

Needs: pip install "toolscript[langchain]" deepagents
"""

from __future__ import annotations

import os
from typing import Any

from deepagents import create_deep_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from toolscript import CodeModeMiddleware

QUESTION = "Look up the three plants and keep what you find in a file."


@tool
def look_up(plant: str) -> dict[str, Any]:
    """What is known about a plant."""
    known = {"basil": ("herb", 45), "oak": ("tree", 3000), "fern": ("fern", 90)}
    kind, height_cm = known[plant]
    return {"plant": plant, "kind": kind, "height_cm": height_cm}


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
    agent = create_deep_agent(
        model=model(
            script(
                """
                const plants = await Promise.all(
                  ["basil", "oak", "fern"].map((plant) => tools.look_up({ plant })),
                );
                const lines = plants.map((p) => `- ${p.plant}: ${p.kind}, ${p.height_cm} cm`);
                await tools.write_file({ file_path: "/plants.md", content: lines.join("\\n") });
                return `${lines.length} plants are in /plants.md`;
                """
            ),
            AIMessage("The three plants are in /plants.md."),
        ),
        tools=[look_up],
        middleware=[CodeModeMiddleware(["look_up", "write_file", "read_file", "task"])],
    )
    result = agent.invoke({"messages": [("user", QUESTION)]})
    for message in result["messages"]:
        message.pretty_print()
    print(result["files"]["/plants.md"]["content"])


if __name__ == "__main__":
    main()
