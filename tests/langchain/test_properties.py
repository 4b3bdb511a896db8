"""What holds for any commands, arguments and answers."""

from __future__ import annotations

import json
import operator
from typing import Annotated, Any

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import InjectedToolArg, InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.types import Command, interrupt

from tests.langchain.model import code
from tests.langchain.scripts import run_value
from toolscript import CodeModeTool

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


class State(MessagesState):
    place: str
    log: Annotated[list[str], operator.add]
    tally: Annotated[int, lambda old, new: 10 * (old or 0) + new]


@tool
def write(update: dict[str, Any], call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Write to the state."""
    return Command(update={**update, "messages": [ToolMessage("ok", tool_call_id=call_id)]})


@tool
def read(state: Annotated[dict[str, Any], InjectedState]) -> list[Any]:
    """Read the state."""
    return [state["place"], state["log"], state["tally"]]


UPDATES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "place": st.sampled_from(["a", "b", "c"]),
            "log": st.lists(st.sampled_from(["x", "y"]), max_size=2),
            "tally": st.integers(0, 9),
        },
    ),
    max_size=6,
)


def _graph() -> Any:
    graph = StateGraph(State)
    graph.add_node("tools", ToolNode([CodeModeTool([write, read])]))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    return graph.compile()


@given(updates=UPDATES, parallel=st.booleans())
@settings(max_examples=25)
def test_the_graph_ends_where_the_updates_lead_one_by_one(
    updates: list[dict[str, Any]], parallel: bool
) -> None:
    expected: list[Any] = ["start", [], 0]
    for update in updates:
        expected[0] = update.get("place", expected[0])
        expected[1] = [*expected[1], *update.get("log", [])]
        if "tally" in update:
            expected[2] = 10 * expected[2] + update["tally"]
    each = (
        "await Promise.all(updates.map((update) => tools.write({ update })));"
        if parallel
        else "for (const update of updates) await tools.write({ update });"
    )
    script = f"const updates = {json.dumps(updates)}; {each} return await tools.read({{}});"
    given_: dict[str, Any] = {"messages": [code(script)], "place": "start", "log": [], "tally": 0}
    result = _graph().invoke(given_)
    (message,) = [one for one in result["messages"] if isinstance(one, ToolMessage)]
    assert message.tool_call_id == "call_1"
    if parallel and sum("place" in update for update in updates) > 1:
        # Without a reducer a field holds one value: what else was written is told, not lost.
        assert message.status == "error"
        assert "'place'" in message.content
        return
    assert message.status == "success", message.content
    assert [result["place"], result["log"], result["tally"]] == expected
    assert message.artifact["value"] == expected


@tool
async def whoami(
    value: Any = None,
    user: Annotated[str, InjectedToolArg] = "nobody",
    call_id: Annotated[str, InjectedToolCallId] = "",
    state: Annotated[dict[str, Any] | None, InjectedState] = None,
) -> list[Any]:
    """Say who calls."""
    return [value, user, call_id, state]


@given(
    args=st.dictionaries(
        st.sampled_from(["value", "user", "call_id", "state", "config", "run_manager", "type"]),
        JSON,
        max_size=7,
    )
)
@settings(max_examples=30)
async def test_no_arguments_forge_what_is_injected(args: dict[str, Any]) -> None:
    script = f"return await tools.whoami(JSON.parse({json.dumps(json.dumps(args))}));"
    expected = [args.get("value"), "nobody", "outer:1", None]
    assert await run_value([whoami], script) == expected


@given(content=st.text(max_size=20) | st.lists(st.text(max_size=5), max_size=3), value=JSON)
@settings(max_examples=25)
async def test_any_json_value_of_a_tool_arrives_unchanged(content: Any, value: Any) -> None:
    @tool
    async def give() -> Any:
        """Give."""
        return {"content": content, "value": value}

    assert await run_value([give], "return await tools.give({});") == {
        "content": content,
        "value": value,
    }


def test_the_state_of_the_model_message_is_what_the_graph_had() -> None:
    script = "return (await tools.read({}))[0];"
    given_: Any = {"messages": [AIMessage("hi"), code(script)], "place": "p", "log": [], "tally": 1}
    result = _graph().invoke(given_)
    assert result["messages"][-1].content == "p"


GROUPS = st.lists(
    st.lists(st.sampled_from(["look", "pay", "jot"]), min_size=1, max_size=3),
    min_size=1,
    max_size=4,
)


@given(groups=GROUPS, data=st.data())
@settings(max_examples=20)
def test_however_a_run_is_paused_and_answered_each_effect_happens_once(
    groups: list[list[str]], data: st.DataObject
) -> None:
    effects: list[str] = []

    @tool
    def look(n: int) -> str:
        """Look."""
        effects.append(f"look {n}")
        return f"look {n}"

    @tool
    async def pay(n: int) -> str:
        """Pay, if a person agrees."""
        answer = interrupt(n)
        effects.append(f"pay {n}")
        return f"pay {n} {answer}"

    @tool
    def jot(n: int, call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Jot something down."""
        effects.append(f"jot {n}")
        said = ToolMessage(f"jot {n}", tool_call_id=call_id)
        return Command(update={"log": [str(n)], "messages": [said]})

    numbered = iter(range(100))
    steps = [[(name, next(numbered)) for name in group] for group in groups]
    lines = [
        "out.push(...await Promise.all(["
        + ", ".join(f"tools.{name}({{ n: {n} }})" for name, n in group)
        + "]));"
        for group in steps
    ]
    script = f"const out = []; {' '.join(lines)} return out;"
    graph = StateGraph(State)
    graph.add_node("tools", ToolNode([CodeModeTool([look, pay, jot])]))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    agent = graph.compile(checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    state = agent.invoke({"messages": [code(script)], "log": []}, config)
    while waiting := state.get("__interrupt__"):
        chosen = data.draw(st.lists(st.sampled_from(waiting), min_size=1, unique_by=id))
        answers = {one.id: f"yes {one.value}" for one in chosen}
        state = agent.invoke(Command(resume=answers), config)
    calls = [call for group in steps for call in group]
    assert sorted(effects) == sorted(f"{name} {n}" for name, n in calls)
    message = state["messages"][-1]
    assert message.status == "success", message.content
    assert message.artifact["value"] == [
        f"pay {n} yes {n}" if name == "pay" else f"{name} {n}" for name, n in calls
    ]
    assert state["log"] == [str(n) for name, n in calls if name == "jot"]
