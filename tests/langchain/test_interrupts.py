"""`interrupt()` in a nested tool: the graph pauses, the script does not notice."""

from __future__ import annotations

import inspect
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from tests.langchain.model import calls, code, done, scripted
from tests.langchain.test_agent import ASK, State, note, tool_messages
from toolscript import CodeModeMiddleware, CodeModeTool, Tool, ToolOptions, tool_from

CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}


class World:
    """What really happened."""

    def __init__(self) -> None:
        self.effects: list[str] = []

    def tools(self) -> list[Any]:
        @tool
        def read(name: str) -> str:
            """Read."""
            self.effects.append(f"read {name}")
            return name

        @tool
        def pay(amount: int) -> str:
            """Pay, if a person agrees."""
            answer = interrupt({"pay": amount})
            self.effects.append(f"pay {amount} {answer}")
            return f"paid {amount}: {answer}"

        @tool
        async def apay(amount: int) -> str:
            """Pay, if a person agrees, twice."""
            first = interrupt({"first": amount})
            second = interrupt({"second": amount})
            self.effects.append(f"apay {amount} {first} {second}")
            return f"{first}/{second}"

        return [read, pay, apay, note]


def _agent(world: World, script: str, saver: Any, **options: Any) -> Any:
    return create_agent(
        scripted(code(script), done()),
        tools=[CodeModeTool(world.tools(), **options)],
        checkpointer=saver,
        state_schema=State,
    )


PAY_ONE = """
let log = [Math.random(), Date.now()];
const a = await tools.read({ name: "a" });
try {
  const paid = await tools.pay({ amount: 5 });
  const b = await tools.read({ name: "b" });
  return { a, paid, b, same: log.every((v) => typeof v === "number") };
} catch (e) {
  return "the script saw it: " + e.message;
} finally {
  await tools.read({ name: "finally" });
}
"""

PAID = {"a": "a", "paid": "paid 5: yes", "b": "b", "same": True}


async def test_a_pause_and_an_answer() -> None:
    world = World()
    agent = _agent(world, PAY_ONE, InMemorySaver())
    paused = await agent.ainvoke(ASK, CONFIG)
    (asked,) = paused["__interrupt__"]
    assert asked.value == {"pay": 5}
    assert world.effects == ["read a"]
    result = await agent.ainvoke(Command(resume="yes"), CONFIG)
    (message,) = tool_messages(result)
    assert message.artifact["value"] == PAID
    assert world.effects == ["read a", "pay 5 yes", "read b", "read finally"]
    assert [c["replayed"] for c in message.artifact["calls"]] == [True, False, False, False]


def test_the_same_in_a_sync_graph() -> None:
    world = World()
    agent = _agent(world, PAY_ONE, InMemorySaver())
    assert agent.invoke(ASK, CONFIG)["__interrupt__"]
    (message,) = tool_messages(agent.invoke(Command(resume="yes"), CONFIG))
    assert message.artifact["value"] == PAID
    assert world.effects == ["read a", "pay 5 yes", "read b", "read finally"]


def test_a_new_process_on_the_same_sqlite_checkpointer(tmp_path: Any) -> None:
    """Nothing but the file is carried over; a true restart is in test_restart."""
    world = World()
    path = str(tmp_path / "graph.db")
    with SqliteSaver.from_conn_string(path) as saver:
        assert _agent(world, PAY_ONE, saver).invoke(ASK, CONFIG)["__interrupt__"]
    with SqliteSaver.from_conn_string(path) as saver:
        result = _agent(world, PAY_ONE, saver).invoke(Command(resume="yes"), CONFIG)
    assert tool_messages(result)[0].artifact["value"] == PAID
    assert world.effects == ["read a", "pay 5 yes", "read b", "read finally"]


async def test_an_async_sqlite_checkpointer(tmp_path: Any) -> None:
    world = World()
    path = str(tmp_path / "graph.db")
    async with AsyncSqliteSaver.from_conn_string(path) as saver:
        assert (await _agent(world, PAY_ONE, saver).ainvoke(ASK, CONFIG))["__interrupt__"]
    async with AsyncSqliteSaver.from_conn_string(path) as saver:
        result = await _agent(world, PAY_ONE, saver).ainvoke(Command(resume="yes"), CONFIG)
    assert tool_messages(result)[0].artifact["value"] == PAID
    assert world.effects == ["read a", "pay 5 yes", "read b", "read finally"]


PAY_THREE = """
const [x, y, z, r] = await Promise.all([
  tools.pay({ amount: 1 }), tools.pay({ amount: 2 }), tools.pay({ amount: 3 }),
  tools.read({ name: "r" }),
]);
return [x, y, z, r];
"""


async def test_one_interrupt_for_each_waiting_call_and_each_answer_to_its_own() -> None:
    world = World()
    agent = _agent(world, PAY_THREE, InMemorySaver())
    paused = await agent.ainvoke(ASK, CONFIG)
    asked = {one.value["pay"]: one.id for one in paused["__interrupt__"]}
    assert set(asked) == {1, 2, 3}
    assert len(set(asked.values())) == 3
    assert world.effects == ["read r"]
    answers = {asked[3]: "three", asked[1]: "one", asked[2]: "two"}
    result = await agent.ainvoke(Command(resume=answers), CONFIG)
    assert tool_messages(result)[0].artifact["value"] == [
        "paid 1: one",
        "paid 2: two",
        "paid 3: three",
        "r",
    ]
    assert sorted(world.effects) == ["pay 1 one", "pay 2 two", "pay 3 three", "read r"]


async def test_answers_may_come_one_by_one() -> None:
    world = World()
    agent = _agent(world, PAY_THREE, InMemorySaver())
    paused = await agent.ainvoke(ASK, CONFIG)
    asked = {one.value["pay"]: one.id for one in paused["__interrupt__"]}
    paused = await agent.ainvoke(Command(resume={asked[2]: "two"}), CONFIG)
    assert {one.id for one in paused["__interrupt__"]} == {asked[1], asked[3]}
    assert world.effects == ["read r", "pay 2 two"]
    paused = await agent.ainvoke(Command(resume={asked[1]: "one"}), CONFIG)
    assert [one.id for one in paused["__interrupt__"]] == [asked[3]]
    result = await agent.ainvoke(Command(resume={asked[3]: "three"}), CONFIG)
    assert tool_messages(result)[0].status == "success"
    assert sorted(world.effects) == ["pay 1 one", "pay 2 two", "pay 3 three", "read r"]


async def test_a_tool_may_ask_twice_and_a_script_may_pause_again() -> None:
    world = World()
    script = (
        "const p = await tools.apay({ amount: 9 }); return [p, await tools.pay({ amount: 4 })];"
    )
    agent = _agent(world, script, InMemorySaver())
    paused = await agent.ainvoke(ASK, CONFIG)
    for question, answer in (({"first": 9}, "a"), ({"second": 9}, "b"), ({"pay": 4}, "c")):
        assert paused["__interrupt__"][0].value == question
        paused = await agent.ainvoke(Command(resume=answer), CONFIG)
    assert tool_messages(paused)[0].artifact["value"] == ["a/b", "paid 4: c"]
    assert world.effects == ["apay 9 a b", "pay 4 c"]


async def test_artifacts_and_commands_from_before_a_pause_are_kept() -> None:
    world = World()
    script = (
        "await tools.note({ text: 'before' }); await tools.pay({ amount: 1 });"
        "await tools.note({ text: 'after' });"
    )
    agent = _agent(world, script, InMemorySaver())
    await agent.ainvoke({**ASK, "city": "Bern", "notes": []}, CONFIG)
    result = await agent.ainvoke(Command(resume="yes"), CONFIG)
    assert result["notes"] == ["before", "after"]


async def test_two_turns_with_the_same_call_id_do_not_share_a_run() -> None:
    world = World()
    agent = create_agent(
        scripted(code("return await tools.read({ name: 'x' });"), done(), code("return 2"), done()),
        tools=[CodeModeTool(world.tools())],
        checkpointer=InMemorySaver(),
    )
    await agent.ainvoke(ASK, CONFIG)
    result = await agent.ainvoke(ASK, CONFIG)
    assert [m.content for m in tool_messages(result)] == ["x", "2"]


async def test_an_agent_as_a_tool_pauses_and_goes_on() -> None:
    world = World()
    _, pay, _, _ = world.tools()

    inner = create_agent(scripted(calls(("pay", {"amount": 7})), done("inner done")), tools=[pay])

    @tool
    async def expert(question: str) -> str:
        """Ask the expert."""
        result = await inner.ainvoke({"messages": [("user", question)]})
        return result["messages"][-1].content

    agent = create_agent(
        scripted(code("return await Promise.all([tools.expert('a'), tools.expert('b')]);"), done()),
        tools=[CodeModeTool([expert])],
        checkpointer=InMemorySaver(),
    )
    paused = await agent.ainvoke(ASK, CONFIG)
    ids = [one.id for one in paused["__interrupt__"]]
    assert len(set(ids)) == 2
    result = await agent.ainvoke(Command(resume={ids[0]: "x", ids[1]: "y"}), CONFIG)
    assert tool_messages(result)[0].artifact["value"] == ["inner done", "inner done"]
    assert sorted(world.effects) == ["pay 7 x", "pay 7 y"]


class Yes(BaseModel):
    ok: bool


@pytest.mark.skipif(
    "response_schema" not in inspect.signature(interrupt).parameters,
    reason="this langgraph does not check answers",
)
async def test_a_wrong_answer_leaves_the_question_answerable() -> None:
    paid: list[bool] = []

    @tool
    def pay() -> bool:
        """Pay."""
        answer = interrupt("pay?", response_schema=Yes)
        paid.append(answer.ok)
        return answer.ok

    agent = create_agent(
        scripted(code("try { return await tools.pay({}); } catch { return 'caught'; }"), done()),
        tools=[CodeModeTool([pay])],
        checkpointer=InMemorySaver(),
    )
    (asked,) = (await agent.ainvoke(ASK, CONFIG))["__interrupt__"]
    with pytest.raises(ValueError, match="Yes"):
        await agent.ainvoke(Command(resume={asked.id: "what?"}), CONFIG)
    result = await agent.ainvoke(Command(resume={asked.id: {"ok": True}}), CONFIG)
    assert tool_messages(result)[0].artifact["value"] is True
    assert paid == [True]


# -- approvals: of toolscript's own tools, and by LangChain's middleware


def _decision(kind: str, **more: Any) -> dict[str, Any]:
    return {"decisions": [{"type": kind, **more}]}


APPROVALS: list[tuple[Any, Any]] = [
    (_decision("approve"), "sent 5"),
    (True, "sent 5"),
    (_decision("reject", message="too much"), "too much"),
    (_decision("edit", edited_action={"name": "send", "args": {"amount": 2}}), "sent 2"),
]


@pytest.mark.parametrize(("answer", "expected"), APPROVALS)
async def test_a_tool_that_requires_approval_pauses_the_graph(answer: Any, expected: str) -> None:
    sent: list[int] = []

    def send(args: dict[str, Any], context: Any) -> str:
        sent.append(args["amount"])
        return f"sent {args['amount']}"

    schema = {"type": "object", "properties": {"amount": {"type": "integer"}}}
    guarded = Tool("send", "d", schema, None, send, ToolOptions(requires_approval=True))
    script = "try { return await tools.send({ amount: 5 }); } catch (e) { return e.message; }"
    agent = create_agent(
        scripted(code(script), done()),
        tools=[CodeModeTool([guarded])],
        checkpointer=InMemorySaver(),
    )
    (asked,) = (await agent.ainvoke(ASK, CONFIG))["__interrupt__"]
    (request,) = asked.value["action_requests"]
    assert (request["name"], request["args"]) == ("send", {"amount": 5})
    assert sent == []
    (again,) = (await agent.ainvoke(Command(resume="perhaps"), CONFIG))["__interrupt__"]
    assert again.id == asked.id
    assert "perhaps" in again.value["problem"]
    result = await agent.ainvoke(Command(resume=answer), CONFIG)
    assert expected in tool_messages(result)[0].content
    assert len(sent) == (0 if expected == "too much" else 1)


def _with_approval(**options: Any) -> Any:
    guarded = Tool(
        "send",
        "d",
        {"type": "object"},
        None,
        lambda args, context: "sent",
        ToolOptions(requires_approval=True),
    )
    script = "try { return await tools.send({}); } catch (e) { return e.message; }"
    return create_agent(
        scripted(code(script), done()),
        tools=[CodeModeTool([guarded], **options)],
        checkpointer=InMemorySaver(),
        context_schema=dict,
    )


NAMED: list[tuple[Any, str]] = [
    ({"type": "approve", "who": "carol"}, "carol"),
    ({"type": "reject", "message": "no", "who": "carol"}, "carol"),
    ({"type": "edit", "edited_action": {"name": "send", "args": {}}, "who": "carol"}, "carol"),
    ({"decisions": [{"type": "approve"}], "who": "carol"}, "carol"),
    ({"decisions": [{"type": "approve", "who": "dan"}], "who": "carol"}, "dan"),
    ({"type": "approve"}, "ada"),
    (True, "ada"),
]


@pytest.mark.parametrize(("answer", "who"), NAMED)
async def test_receipts_name_whoever_answered(answer: Any, who: str) -> None:
    agent = _with_approval(approver=lambda runtime: runtime.context["user"])
    await agent.ainvoke(ASK, CONFIG, context={"user": "bo"})
    result = await agent.ainvoke(Command(resume=answer), CONFIG, context={"user": "ada"})
    [decision] = tool_messages(result)[0].artifact["calls"][0]["decisions"]
    assert (decision["by"], decision["who"]) == ("person", who)


async def test_arguments_of_a_person_that_do_not_fit_are_asked_for_again() -> None:
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    guarded = tool_from(pay, options=ToolOptions(requires_approval=True))
    agent = create_agent(
        scripted(code("return await tools.pay({ amount: 3 });"), done()),
        tools=[CodeModeTool([guarded])],
        checkpointer=InMemorySaver(),
    )
    (first,) = (await agent.ainvoke(ASK, CONFIG))["__interrupt__"]
    for wrong in ("lots", None):
        edit = _decision("edit", edited_action={"name": "pay", "args": {"amount": wrong}})
        (again,) = (await agent.ainvoke(Command(resume=edit), CONFIG))["__interrupt__"]
        assert again.id == first.id
        assert "amount must be an integer" in again.value["problem"]
    edit = _decision("edit", edited_action={"name": "pay", "args": {"amount": 4}})
    result = await agent.ainvoke(Command(resume=edit), CONFIG)
    assert tool_messages(result)[0].content == "paid 4"


async def test_a_server_that_knows_its_user_need_not_be_told() -> None:
    agent = _with_approval()
    await agent.ainvoke(ASK, CONFIG)
    config = {"configurable": {**CONFIG["configurable"], "langgraph_auth_user_id": "ada"}}
    result = await agent.ainvoke(Command(resume=True), config)
    [decision] = tool_messages(result)[0].artifact["calls"][0]["decisions"]
    assert decision["who"] == "ada"


def _with_hitl(world: World) -> list[Callable[..., Any]]:
    read, *_ = world.tools()

    @tool
    def refund(order: str, amount: int) -> str:
        """Refund an order."""
        world.effects.append(f"refund {order} {amount}")
        return f"refunded {amount}"

    return [read, refund]


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("own", [True, False])
async def test_human_in_the_loop_for_each_nested_call(order: int, own: bool) -> None:
    world = World()
    tools = _with_hitl(world)
    hitl = HumanInTheLoopMiddleware({"refund": True})
    script = (
        "const r = await tools.read({ name: 'x' });"
        "const both = await Promise.allSettled([tools.refund({ order: 'a', amount: 1 }),"
        " tools.refund({ order: 'b', amount: 2 })]);"
        "return both.map((one) => one.value ?? one.reason.message);"
    )
    if own:
        given: dict[str, Any] = {"tools": [CodeModeTool(tools, middleware=[hitl])]}
    else:
        middleware: list[Any] = [CodeModeMiddleware()]
        middleware.insert(order, hitl)
        given = {"tools": tools, "middleware": middleware}
    agent = create_agent(scripted(code(script), done()), checkpointer=InMemorySaver(), **given)
    paused = await agent.ainvoke(ASK, CONFIG)
    asked = {
        one.value["action_requests"][0]["args"]["order"]: one.id for one in paused["__interrupt__"]
    }
    assert set(asked) == {"a", "b"}
    assert world.effects == ["read x"]
    wrong = await agent.ainvoke(Command(resume={asked["a"]: "what?"}), CONFIG)
    assert {one.id for one in wrong["__interrupt__"]} == set(asked.values())
    edit = _decision("edit", edited_action={"name": "refund", "args": {"order": "a", "amount": 9}})
    answers = {asked["a"]: edit, asked["b"]: _decision("reject", message="no money")}
    result = await agent.ainvoke(Command(resume=answers), CONFIG)
    first, second = tool_messages(result)[0].artifact["value"]
    assert first == "refunded 9"
    assert "no money" in second
    assert world.effects == ["read x", "refund a 9"]


async def test_what_a_person_rejects_in_the_loop_is_denied() -> None:
    script = "await tools.refund({ order: 'a', amount: 1 }).catch((e) => { throw e.code });"
    world = World()
    agent = create_agent(
        scripted(code(script), done()),
        tools=_with_hitl(world),
        middleware=[CodeModeMiddleware(), HumanInTheLoopMiddleware({"refund": True})],
        checkpointer=InMemorySaver(),
    )
    await agent.ainvoke(ASK, CONFIG)
    result = await agent.ainvoke(Command(resume=_decision("reject", message="no")), CONFIG)
    (message,) = tool_messages(result)
    assert message.artifact["calls"][0]["status"] == "denied"
    assert "denied" in message.content
    # A call that was not made has changed nothing.
    assert "took effect" not in message.content
    assert not world.effects


async def test_human_in_the_loop_in_the_mode_that_asks_per_call() -> None:
    try:
        hitl = HumanInTheLoopMiddleware({"refund": True}, interrupt_mode="per_call")
    except TypeError:
        pytest.skip("this langchain asks for all calls of a message at once")
    world = World()
    agent = create_agent(
        scripted(code("return await tools.refund({ order: 'a', amount: 1 });"), done()),
        tools=_with_hitl(world),
        middleware=[CodeModeMiddleware(), hitl],
        checkpointer=InMemorySaver(),
    )
    (asked,) = (await agent.ainvoke(ASK, CONFIG))["__interrupt__"]
    assert asked.value["args"] == {"order": "a", "amount": 1}
    result = await agent.ainvoke(Command(resume={asked.id: {"type": "approve"}}), CONFIG)
    assert tool_messages(result)[0].content == "refunded 1"
    assert world.effects == ["refund a 1"]


def test_the_run_goes_with_its_thread(tmp_path: Any) -> None:
    path = str(tmp_path / "graph.db")
    with SqliteSaver.from_conn_string(path) as saver:
        _agent(World(), PAY_ONE, saver).invoke(ASK, CONFIG)
        saver.delete_thread("t")
    with sqlite3.connect(path) as database:
        assert database.execute("select count(*) from writes").fetchone() == (0,)


async def test_a_graph_that_writes_only_at_its_end_can_be_gone_on_with() -> None:
    world = World()
    agent = _agent(world, PAY_ONE, InMemorySaver())
    paused = await agent.ainvoke(ASK, CONFIG, durability="exit")
    assert paused["__interrupt__"]
    result = await agent.ainvoke(Command(resume="yes"), CONFIG, durability="exit")
    assert tool_messages(result)[0].artifact["value"] == PAID
    assert world.effects == ["read a", "pay 5 yes", "read b", "read finally"]


async def test_an_engine_of_ones_own_cannot_pause_a_graph_and_says_so() -> None:
    from langchain_core.runnables import RunnableLambda
    from langgraph.graph import END, START, MessagesState, StateGraph

    from toolscript import CodeMode

    engine = CodeMode(World().tools())

    async def node(state: Any) -> dict[str, Any]:
        result = await engine.run("await tools.pay({ amount: 1 });")
        return {"messages": [("ai", result.text())]}

    graph = StateGraph(MessagesState)
    graph.add_node("node", RunnableLambda(node))
    graph.add_edge(START, "node")
    graph.add_edge("node", END)
    result = await graph.compile(checkpointer=InMemorySaver()).ainvoke(ASK, CONFIG)
    assert "CodeModeTool" in result["messages"][-1].content


async def test_the_history_of_the_thread_shows_the_graph_alone() -> None:
    world = World()
    with_code, plain = InMemorySaver(), InMemorySaver()
    agent = _agent(world, PAY_ONE, with_code)
    paused = await agent.ainvoke(ASK, CONFIG)
    state = await agent.aget_state(CONFIG, subgraphs=True)
    assert [one.id for one in state.interrupts] == [one.id for one in paused["__interrupt__"]]
    await agent.ainvoke(Command(resume="yes"), CONFIG)
    other = create_agent(
        scripted(code("return 1"), done()), tools=[CodeModeTool(world.tools())], checkpointer=plain
    )
    await other.ainvoke(ASK, CONFIG)
    steps = [one.next async for one in agent.aget_state_history(CONFIG)]
    assert steps == [one.next async for one in other.aget_state_history(CONFIG)]


async def test_plain_functions_may_interrupt_too() -> None:
    paid: list[str] = []

    def pay(amount: int) -> str:
        """Pay."""
        paid.append(interrupt(amount))
        return "paid"

    agent = create_agent(
        scripted(
            code("try { return await tools.pay({ amount: 3 }); } catch { return 'no'; }"), done()
        ),
        tools=[CodeModeTool([pay])],
        checkpointer=InMemorySaver(),
    )
    (asked,) = (await agent.ainvoke(ASK, CONFIG))["__interrupt__"]
    assert asked.value == 3
    result = await agent.ainvoke(Command(resume="ok"), CONFIG)
    assert (tool_messages(result)[0].content, paid) == ("paid", ["ok"])


async def test_calls_of_a_script_that_a_tool_runs_have_places_of_their_own() -> None:
    from toolscript import ToolContext

    world = World()

    async def both(context: ToolContext) -> Any:
        """Pay twice from a script of its own."""
        script = "return await Promise.all([1, 2].map((amount) => tools.pay({ amount })));"
        return (await context.run(script)).unwrap()

    agent = create_agent(
        scripted(code("return [await tools.both({}), await tools.pay({ amount: 3 })];"), done()),
        tools=[CodeModeTool([both, *world.tools()])],
        checkpointer=InMemorySaver(),
    )
    paused = await agent.ainvoke(ASK, CONFIG)
    asked = {one.value["pay"]: one.id for one in paused["__interrupt__"]}
    assert set(asked) == {1, 2}
    paused = await agent.ainvoke(Command(resume={asked[1]: "a", asked[2]: "b"}), CONFIG)
    assert paused["__interrupt__"][0].value == {"pay": 3}
    result = await agent.ainvoke(Command(resume="c"), CONFIG)
    assert tool_messages(result)[0].artifact["value"] == [
        ["paid 1: a", "paid 2: b"],
        "paid 3: c",
    ]
    assert sorted(world.effects) == ["pay 1 a", "pay 2 b", "pay 3 c"]


def test_human_in_the_loop_in_a_sync_graph() -> None:
    world = World()
    agent = create_agent(
        scripted(code("return await tools.refund({ order: 'a', amount: 1 });"), done()),
        tools=_with_hitl(world),
        middleware=[CodeModeMiddleware(), HumanInTheLoopMiddleware({"refund": True})],
        checkpointer=InMemorySaver(),
    )
    assert len(agent.invoke(ASK, CONFIG)["__interrupt__"]) == 1
    result = agent.invoke(Command(resume=_decision("approve")), CONFIG)
    assert tool_messages(result)[0].content == "refunded 1"
    assert world.effects == ["refund a 1"]


@pytest.mark.parametrize("one_task", [True, False])
async def test_two_scripts_of_one_message_pause_at_once(one_task: bool) -> None:
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    world = World()
    pay = "return await tools.pay({ amount: %d });"
    both = calls(("run_code", {"code": pay % 1}), ("run_code", {"code": pay % 2}))
    given: Any
    if one_task:
        graph = StateGraph(MessagesState)
        graph.add_node("tools", ToolNode([CodeModeTool(world.tools())]))
        graph.add_edge(START, "tools")
        graph.add_edge("tools", END)
        agent: Any = graph.compile(checkpointer=InMemorySaver())
        given = {"messages": [both]}
    else:
        agent = create_agent(
            scripted(both, done()),
            tools=[CodeModeTool(world.tools())],
            checkpointer=InMemorySaver(),
        )
        given = ASK
    state = await agent.ainvoke(given, CONFIG)
    asked: set[str] = set()
    while "__interrupt__" in state:
        asked |= {one.id for one in state["__interrupt__"]}
        answers = {one.id: f"ok {one.value['pay']}" for one in state["__interrupt__"]}
        state = await agent.ainvoke(Command(resume=answers), CONFIG)
    assert len(asked) == 2
    assert [m.content for m in tool_messages(state)] == ["paid 1: ok 1", "paid 2: ok 2"]
    assert sorted(world.effects) == ["pay 1 ok 1", "pay 2 ok 2"]


async def test_scripts_of_inner_agents_pause_and_go_on_inside_of_scripts() -> None:
    world = World()
    inner = create_agent(
        scripted(
            code(
                "const r = await tools.read({ name: 'in' }); return await tools.pay({ amount: 7 });"
            ),
            done("inner done"),
        ),
        tools=[CodeModeTool(world.tools())],
    )

    @tool
    async def expert(question: str) -> str:
        """Ask the expert."""
        result = await inner.ainvoke({"messages": [("user", question)]})
        return str(result["messages"][-2].content)

    agent = create_agent(
        scripted(
            code(
                "const before = await tools.read({ name: 'out' });"
                "return [before, await tools.expert('a')];"
            ),
            done(),
        ),
        tools=[CodeModeTool([expert, *world.tools()])],
        checkpointer=InMemorySaver(),
    )
    (asked,) = (await agent.ainvoke(ASK, CONFIG))["__interrupt__"]
    assert asked.value == {"pay": 7}
    result = await agent.ainvoke(Command(resume={asked.id: "yes"}), CONFIG)
    assert tool_messages(result)[0].artifact["value"] == ["out", "paid 7: yes"]
    assert world.effects == ["read out", "read in", "pay 7 yes"]
