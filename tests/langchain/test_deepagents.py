"""In deepagents: an interpreter for its own tools, sub-agents included."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents.middleware import TodoListMiddleware
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tests.langchain.model import code, done, scripted
from tests.langchain.test_agent import ASK, tool_messages
from toolscript import CodeModeMiddleware

deepagents = pytest.importorskip(
    "deepagents", reason="no deepagents for this LangChain", exc_type=ImportError
)


@tool
def search(query: str) -> list[str]:
    """Search the web."""
    return [f"{query} 1", f"{query} 2"]


@tool
def publish(text: str) -> str:
    """Publish a text."""
    return f"published {text}"


async def test_files_todos_and_tools_from_one_script() -> None:
    script = (
        "const found = await tools.search({ query: 'bees' });"
        "await tools.write_todos({ todos: [{ content: 'write', status: 'in_progress' }] });"
        "await tools.write_file({ file_path: '/notes.md', content: found.join('\\n') });"
        "return await tools.read_file({ file_path: '/notes.md' });"
    )
    agent = deepagents.create_deep_agent(
        model=scripted(code(script), done()),
        tools=[search],
        middleware=[TodoListMiddleware(), CodeModeMiddleware(keep=["write_todos"])],
    )
    result = await agent.ainvoke(ASK)
    (message,) = tool_messages(result)
    assert message.status == "success", message.content
    assert "bees 2" in str(message.content)
    assert result["todos"][0]["content"] == "write"
    assert "/notes.md" in result["files"]


async def test_a_script_gives_work_to_a_sub_agent() -> None:
    def play(messages: Any) -> AIMessage:
        return done("the sub-agent's answer") if "count" in str(messages[-1].content) else step

    step = code(
        "return await tools.task({ description: 'count', subagent_type: 'general-purpose' });"
    )
    agent = deepagents.create_deep_agent(
        model=scripted(play, done()), tools=[search], middleware=[CodeModeMiddleware()]
    )
    (message,) = tool_messages(await agent.ainvoke(ASK))
    assert "sub-agent's answer" in str(message.content)


async def test_its_human_approval_holds_for_nested_calls() -> None:
    agent = deepagents.create_deep_agent(
        model=scripted(code("return await tools.publish({ text: 'x' });"), done()),
        tools=[publish],
        interrupt_on={"publish": True},
        middleware=[CodeModeMiddleware()],
        checkpointer=InMemorySaver(),
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    (asked,) = (await agent.ainvoke(ASK, config))["__interrupt__"]
    assert "publish" in str(asked.value)
    answer = {"decisions": [{"type": "approve"}]}
    result = await agent.ainvoke(Command(resume=answer), config)
    assert tool_messages(result)[0].content == "published x"
