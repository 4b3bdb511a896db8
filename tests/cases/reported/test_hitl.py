"""Reported cases about people who decide while a script runs."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.types import Command

from tests.agent import CallsOnce
from tests.cases.reported.support import reported, run, tools_of
from tests.cases.support import Case
from toolscript import (
    Approve,
    CodeMode,
    CodeModeMiddleware,
    CodeModeTool,
    Tool,
    ToolContext,
    ToolOptions,
)


def gated(name: str, called: list[str]) -> Tool:
    async def call(args: Any, context: ToolContext) -> str:
        called.append(name)
        return name

    return Tool(name, "", {"type": "object"}, None, call, ToolOptions(requires_approval=True))


@reported("C128")
async def test_parallel_approvals_are_told_apart(case: Case) -> None:
    called: list[str] = []
    names = [spec["name"] for spec in case["input"]["tools"]]
    async with CodeMode([gated(name, called) for name in names]) as codemode:
        paused = await codemode.run(case["input"]["script"])
        assert paused.status == "paused"
        ids = {pending.tool: pending.id for pending in paused.pending}
        assert sorted(ids) == sorted(names)
        assert len(set(ids.values())) == 2
        # One at a time, the second one first.
        half = await codemode.resume(paused.run_id, {ids["square"]: Approve()})
        assert half.status == "paused"
        assert [pending.tool for pending in half.pending] == ["circle"]
        done = await codemode.resume(paused.run_id, {half.pending[0].id: Approve()})
    assert done.value == ["circle", "square"], done.text()
    assert sorted(called) == sorted(names)


@reported("C129")
async def test_each_nested_call_passes_the_gate(case: Case) -> None:
    asked: list[str] = []

    def approve(pending: Any) -> Approve:
        asked.append(pending.tool)
        return Approve()

    result = await run(tools_of(case), case["input"]["script"], approve=approve)
    assert result.value == 2, result.text()
    assert asked == ["delete", "delete"]
    paused = await run(tools_of(case), case["input"]["script"])
    assert [pending.tool for pending in paused.pending] == ["delete"]


@reported("C131")
async def test_nothing_runs_after_the_pause(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.status == "paused"
    assert [call.tool for call in result.calls] == ["gate"]
    assert result.calls[0].status == "pending"


@reported("C132")
async def test_gated_tools_are_never_ungated(case: Case) -> None:
    codemode = CodeMode(tools_of(case))
    assert "approval" in codemode.declarations().lower()
    async with codemode:
        result = await codemode.run("return await tools.pay({})")
    assert result.status == "paused"


@reported("C133")
async def test_commands_of_nested_tools_reach_the_graph(case: Case) -> None:

    class Todos(AgentState[Any]):
        todos: list[str]

    class KeepsTodos(AgentMiddleware[Any]):
        state_schema = Todos

    @tool
    def write_todos(
        todos: list[str], tool_call_id: Annotated[str, InjectedToolCallId]
    ) -> Command[Any]:
        """Write the list of things to do."""
        messages = [ToolMessage("ok", tool_call_id=tool_call_id)]
        return Command(update={"todos": todos, "messages": messages})

    agent = create_agent(
        CallsOnce(code=case["input"]["script"]),
        tools=[CodeModeTool([write_todos])],
        middleware=[KeepsTodos()],
    )
    state = await agent.ainvoke({"messages": [("user", "go")]})
    assert state["todos"] == ["a"]
    outer = [message for message in state["messages"] if message.type == "tool"]
    assert [message.tool_call_id for message in outer] == ["outer"]
    assert outer[0].text == "1"


@reported("C135")
@pytest.mark.parametrize("opt_out", [False, True])
async def test_middleware_wraps_nested_calls(case: Case, opt_out: bool) -> None:
    seen: list[str] = []

    class Watches(AgentMiddleware[Any]):
        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            seen.append(request.tool_call["name"])
            return await handler(request)

    def a() -> int:
        """Answer."""
        return 7

    model = CallsOnce(code=case["input"]["script"])
    if opt_out:
        agent = create_agent(model, tools=[CodeModeTool([a])], middleware=[Watches()])
    else:
        agent = create_agent(model, tools=[a], middleware=[CodeModeMiddleware(), Watches()])
    state = await agent.ainvoke({"messages": [("user", "go")]})
    assert state["messages"][-2].text == "7"
    assert seen == (["run_code"] if opt_out else ["run_code", "a"])
