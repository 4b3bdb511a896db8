"""The code of docs/langchain.md runs, in order."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from mcp.server import MCPServer

from tests.langchain.model import code, done, scripted

PAGE = Path(__file__).resolve().parents[2] / "docs" / "langchain.md"


def test_the_examples_run() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 7
    first, server, options, who, middleware, more, store = blocks
    script = "return (await tools.get_order({ order_id: 2 })).total;"
    scope: dict[str, Any] = {"model": scripted(code(script), done())}
    exec(first, scope)
    result = scope["agent"].invoke({"messages": [("user", "go")]})
    assert result["messages"][2].content == "19"
    assert _asked_of_a_server(server, scope, script) == "done"
    exec(options, scope)
    asking = {tool.name: tool.options for tool in scope["run_code"].engine.contract.tools}
    assert asking["get_order"].read_only
    assert asking["cancel_order"].requires_approval is True
    exec(who, scope)
    assert _who_approved(scope["run_code"], script) == "carol"
    exec(middleware, scope)
    exec(more, scope)
    assert "get_order" in scope["system_prompt"]
    assert create_agent(scope["model"], tools=[scope["run_code"]])
    exec(store, scope)
    assert _kept_by_thread(scope["run_code"]) == ["null", "1", "null"]


def _asked_of_a_server(block: str, scope: dict[str, Any], script: str) -> str:
    orders: MCPServer[Any] = MCPServer("orders")

    @orders.tool()
    def count() -> int:
        """How many there are."""
        return 2

    both = script.replace("order_id: 2", "order_id: await orders.count()")
    scope |= {"server": orders, "model": scripted(code(both), done())}
    exec(block.replace('["npx", "-y", "@acme/orders-mcp"]', "server"), scope)
    said = asyncio.run(scope["ask"]("how many?"))
    (read,) = [one for one in scope["model"].seen[1] if one.type == "tool"]
    assert read.content == "19"
    scope["model"] = scripted(code(script), done())
    return said


def _who_approved(run_code: Any, script: str) -> str:
    model = scripted(code(script), done())
    agent: Any = create_agent(model, tools=[run_code], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "a"}}
    agent.invoke({"messages": [("user", "go")]}, config, context={"user": "ada"})
    state = agent.invoke(Command(resume=True), config, context={"user": "carol"})
    return state["messages"][-2].artifact["calls"][0]["decisions"][0]["who"]


def _kept_by_thread(run_code: Any) -> list[str]:
    """What the first script of a thread finds, the second one, and the first of another thread."""
    script = "const seen = load('seen') ?? null; store('seen', 1); return seen;"
    model = scripted(*[one for _ in range(3) for one in (code(script), done())])
    agent = create_agent(model, tools=[run_code], checkpointer=InMemorySaver())
    found: list[str] = []
    for thread in ("a", "a", "b"):
        state = agent.invoke(
            {"messages": [("user", "go")]}, {"configurable": {"thread_id": thread}}
        )
        found.append(state["messages"][-2].content)
    return found
