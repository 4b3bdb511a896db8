"""`Command`s that nested tools write: what overlaps, what follows, and each kind of field."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Annotated, Any

from langchain.agents import AgentState, create_agent
from langchain.tools import InjectedState, ToolRuntime
from langchain_core.tools import tool
from langgraph.channels import Topic
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Overwrite

from tests.langchain.model import code, done, scripted
from tests.langchain.scripts import caught
from tests.langchain.test_agent import ASK, tool_messages
from toolscript import CodeModeTool


class State(AgentState[Any]):
    city: str


@tool
def move(city: str) -> Command[Any]:
    """Move to another city."""
    return Command(update={"city": city})


@tool
def settle(city: str, runtime: ToolRuntime[Any, Any]) -> Command[Any]:
    """Settle in a city."""
    return Command(update={"city": f"{runtime.state['city']}+{city}"})


BOTH = (
    "const done = await Promise.allSettled("
    "[tools.move({ city: 'Basel' }), tools.settle({ city: 'Chur' })]);"
    "return done.map((one) => one.status === 'rejected' ? one.reason.message : one.status);"
)


async def test_what_overlapping_calls_write_to_one_field_is_not_lost_in_silence() -> None:
    agent = create_agent(
        scripted(code(BOTH), done()), tools=[CodeModeTool([move, settle])], state_schema=State
    )
    result = await agent.ainvoke({**ASK, "city": "Bern"})
    (message,) = tool_messages(result)
    statuses = message.artifact["value"]
    assert sorted(one == "fulfilled" for one in statuses) == [False, True]
    (told,) = [one for one in statuses if one != "fulfilled"]
    for words in ("move", "settle", "'city'", "Await one call", "reducer"):
        assert words in told
    # The one that the script was told of is the one that is not in the state.
    assert result["city"] == ("Bern+Chur" if statuses[0] != "fulfilled" else "Basel")


async def test_calls_that_the_host_makes_one_after_the_other_do_not_collide() -> None:
    agent = create_agent(
        scripted(code(BOTH), done()),
        tools=[CodeModeTool([move, settle], parallel="serial")],
        state_schema=State,
    )
    result = await agent.ainvoke({**ASK, "city": "Bern"})
    assert tool_messages(result)[0].artifact["value"] == ["fulfilled", "fulfilled"]
    assert result["city"] == "Basel+Chur"


async def test_a_tool_that_writes_to_one_field_twice_is_told_so() -> None:
    @tool
    def waver() -> list[Command[Any]]:
        """Write twice."""
        return [Command(update={"city": "Basel"}), Command(update={"city": "Chur"})]

    agent = create_agent(
        scripted(code(f"{caught('tools.waver({})')}"), done()),
        tools=[CodeModeTool([waver])],
        state_schema=State,
    )
    result = await agent.ainvoke({**ASK, "city": "Bern"})
    assert "'city'" in tool_messages(result)[0].artifact["value"]["message"]
    assert result["city"] == "Bern"


class Channels(MessagesState):
    gathered: Annotated[list[str], Topic(str, True)]
    log: Annotated[list[str], operator.add]


@dataclass
class Change:
    log: list[str]


async def test_each_kind_of_field_takes_what_a_script_writes_one_after_the_other() -> None:
    @tool
    def gather(text: str) -> Command[Any]:
        """Gather a text, in a list that LangGraph makes of all that is written."""
        return Command(update={"gathered": text})

    @tool
    def log(text: str, anew: bool = False) -> Command[Any]:
        """Log a text, after those before it or in their place."""
        return Command(update={"log": Overwrite([text]) if anew else [text]})

    @tool
    def change(text: str) -> Command[Any]:
        """Log a text by an object."""
        return Command(update=Change([text]))

    @tool
    def elsewhere() -> Command[Any]:
        """Write to a field that the graph does not have."""
        return Command(update={"nowhere": 1})

    @tool
    def fields(state: Annotated[dict[str, Any], InjectedState]) -> dict[str, Any]:
        """The state now."""
        return {name: value for name, value in state.items() if name != "messages"}

    script = (
        "await tools.gather({ text: 'a' }); await tools.gather({ text: 'b' });"
        "await tools.log({ text: '1' }); await tools.log({ text: '2', anew: true });"
        "await tools.log({ text: '3' }); await tools.change({ text: '4' });"
        "await tools.elsewhere({}); return await tools.fields({});"
    )
    graph = StateGraph(Channels)
    graph.add_node("tools", ToolNode([CodeModeTool([gather, log, change, elsewhere, fields])]))
    graph.add_edge(START, "tools")
    result = await graph.compile().ainvoke({"messages": [code(script)], "log": ["0"]})
    expected = {"gathered": ["a", "b"], "log": ["2", "3", "4"]}
    assert tool_messages(result)[0].artifact["value"] == expected
    assert {name: result[name] for name in expected} == expected
