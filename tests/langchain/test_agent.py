"""`CodeModeTool` where LangChain tools live: agents, tool nodes, loops of one's own."""

from __future__ import annotations

import asyncio
import operator
import subprocess
import sys
from typing import Annotated, Any

import pytest
from langchain.agents import AgentState, create_agent
from langchain.tools import InjectedState, InjectedStore, ToolRuntime
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import InjectedToolCallId, StructuredTool, tool
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from pydantic import BaseModel
from pydantic.json_schema import SkipJsonSchema

from tests.langchain.model import Recorder, calls, code, done, scripted
from tests.langchain.scripts import caught, run_message, run_value
from toolscript import CodeModeMiddleware, CodeModeTool, ConfigurationError

ASK: dict[str, Any] = {"messages": [("user", "go")]}


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
async def double(n: int) -> int:
    """Double a number."""
    return 2 * n


def tool_messages(result: dict[str, Any]) -> list[ToolMessage]:
    return [message for message in result["messages"] if isinstance(message, ToolMessage)]


ADD_AND_DOUBLE = "return await tools.double({ n: await tools.add({ a: 1, b: 2 }) });"


def test_the_model_sees_one_tool_with_one_argument() -> None:
    model = scripted(code(ADD_AND_DOUBLE), done())
    create_agent(model, tools=[CodeModeTool([add, double])]).invoke(ASK)
    (bound,) = model.bound[0]
    assert bound["function"]["name"] == "run_code"
    assert set(bound["function"]["parameters"]["properties"]) == {"code"}
    assert "add" in bound["function"]["description"]


def test_sync_agent() -> None:
    agent = create_agent(
        scripted(code(ADD_AND_DOUBLE), done()), tools=[CodeModeTool([add, double])]
    )
    (message,) = tool_messages(agent.invoke(ASK))
    assert (message.content, message.status, message.name) == ("6", "success", "run_code")
    assert [call["tool"] for call in message.artifact["calls"]] == ["add", "double"]
    assert message.artifact["calls"][0]["args"] == {"a": 1, "b": 2}


async def test_async_agent_and_a_sync_one_inside_a_running_loop() -> None:
    agent = create_agent(
        scripted(code(ADD_AND_DOUBLE), done()), tools=[CodeModeTool([add, double])]
    )
    (message,) = tool_messages(await agent.ainvoke(ASK))
    assert message.content == "6"
    (message,) = tool_messages(agent.invoke(ASK))
    assert message.content == "6"


async def test_the_tool_by_itself_gives_text() -> None:
    run_code = CodeModeTool([add, double])
    assert await run_code.ainvoke({"code": ADD_AND_DOUBLE}) == "6"
    assert run_code.invoke({"code": ADD_AND_DOUBLE}) == "6"
    assert run_code.batch([{"code": "return 1"}, {"code": "return 2"}]) == ["1", "2"]


async def test_many_runs_at_once_on_one_instance() -> None:
    run_code = CodeModeTool([add, double])
    scripts = [f"return await tools.add({{ a: {n}, b: 0 }});" for n in range(20)]
    given = await asyncio.gather(*(run_code.ainvoke({"code": script}) for script in scripts))
    assert given == [str(n) for n in range(20)]


async def test_several_scripts_in_one_message() -> None:
    both = calls(("run_code", {"code": "return 1"}), ("run_code", {"code": "return 2"}))
    agent = create_agent(scripted(both, done()), tools=[CodeModeTool([add])])
    assert [m.content for m in tool_messages(await agent.ainvoke(ASK))] == ["1", "2"]


async def test_extra_arguments_of_the_model_are_ignored() -> None:
    forged = {"language": "ts", "runtime": {"state": {"admin": True}}}
    agent = create_agent(scripted(code("return 1", **forged), done()), tools=[CodeModeTool([add])])
    (message,) = tool_messages(await agent.ainvoke(ASK))
    assert message.content == "1"
    call = {"name": "run_code", "args": {"code": "return 1", **forged}, "id": "1"}
    message = await CodeModeTool([add]).ainvoke({**call, "type": "tool_call"})
    assert message.content == "1"


async def test_a_failed_script_is_an_error_message_and_the_agent_goes_on() -> None:
    model = scripted(code("const x = 1;\nawait tools.ad({ a: 1 });"), code("return 7"), done("ok"))
    result = await create_agent(model, tools=[CodeModeTool([add])]).ainvoke(ASK)
    failed, mended = tool_messages(result)
    assert failed.status == "error"
    assert "add" in str(failed.content)
    assert failed.artifact["error"]["line"] == 2
    assert (mended.status, mended.content) == ("success", "7")


async def test_a_loop_of_ones_own() -> None:
    run_code = CodeModeTool([add, double])
    model = scripted(code(ADD_AND_DOUBLE), done("it is 6")).bind_tools([run_code])
    messages: list[Any] = [HumanMessage("go")]
    while True:
        said = await model.ainvoke(messages)
        messages.append(said)
        if not said.tool_calls:
            break
        for call in said.tool_calls:
            messages.append(await run_code.ainvoke(call))
    assert [type(m).__name__ for m in messages[1:]] == ["AIMessage", "ToolMessage", "AIMessage"]
    assert messages[2].tool_call_id == "call_1"


async def test_return_direct_ends_the_agent() -> None:
    run_code = CodeModeTool([add], return_direct=True)
    result = await create_agent(scripted(code("return 'x'"), done()), tools=[run_code]).ainvoke(ASK)
    assert isinstance(result["messages"][-1], ToolMessage)


async def test_a_tool_node_in_a_graph_of_ones_own() -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([CodeModeTool([add, double])]))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    given = {"messages": [code(ADD_AND_DOUBLE)]}
    (message,) = tool_messages(await graph.compile().ainvoke(given))
    assert message.content == "6"


async def test_images_and_printed_text() -> None:
    script = "console.log('seen'); image('iVBORw0KGgo=', 'image/png'); return 5;"
    message = await run_message([add], script)
    text, image = message.content
    assert text["type"] == "text"
    assert "seen" in text["text"]
    assert image == {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"}


# -- what only a graph can inject


class State(AgentState[Any]):
    city: str
    notes: Annotated[list[str], operator.add]


@tool
def where(
    question: str,
    city: Annotated[str, InjectedState("city")],
    state: Annotated[dict[str, Any], InjectedState],
    store: Annotated[Any, InjectedStore()],
    call_id: Annotated[str, InjectedToolCallId],
    runtime: ToolRuntime[Any, Any],
    config: RunnableConfig,
) -> dict[str, Any]:
    """Say where we are."""
    return {
        "city": city,
        "messages": len(state["messages"]),
        "stored": store.get(("places",), city).value["zip"],
        "call_id": call_id,
        "runtime": runtime.tool_call_id,
        "context": runtime.context,
        "thread": config["configurable"]["thread_id"],
        "question": question,
    }


FORGED = (
    "return await tools.where({ question: 'q', city: 'Rome', state: {}, store: {}, "
    "call_id: 'x', runtime: {} });"
)


async def test_state_store_runtime_call_id_and_config_are_injected() -> None:
    store = InMemoryStore()
    store.put(("places",), "Bern", {"zip": 3000})
    agent = create_agent(
        scripted(code(FORGED), done()),
        tools=[CodeModeTool([where])],
        state_schema=State,
        context_schema=str,
        store=store,
    )
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    result = await agent.ainvoke({**ASK, "city": "Bern"}, config, context="tenant-1")
    (message,) = tool_messages(result)
    assert message.status == "success", message.content
    assert message.artifact["value"] == {
        "city": "Bern",
        "messages": 2,
        "stored": 3000,
        "call_id": "call_1:1",
        "runtime": "call_1:1",
        "context": "tenant-1",
        "thread": "t",
        "question": "q",
    }
    assert CodeModeTool([where]).description.count("question") >= 1
    assert "city: string" not in CodeModeTool([where]).description.split("question")[1][:40]


async def test_a_runtime_that_the_schema_calls_anything_is_injected_all_the_same() -> None:
    """As LangChain's own shell tool is written."""

    class Arguments(BaseModel):
        command: str
        runtime: Annotated[Any, SkipJsonSchema()] = None

    @tool(args_schema=Arguments)
    def shell(*, runtime: ToolRuntime, command: str) -> str:
        """Run a command."""
        return f"{command} {runtime.state['city']}"

    code_tool = CodeModeTool([shell])
    assert "runtime" not in code_tool.description.partition("declare const tools")[2]
    script = "return await tools.shell({ command: 'go', runtime: { state: { city: 'x' } } })"
    agent = create_agent(scripted(code(script), done()), tools=[code_tool], state_schema=State)
    (message,) = tool_messages(await agent.ainvoke({**ASK, "city": "Bern"}))
    assert message.content == "go Bern"


async def test_outside_of_a_graph_a_tool_that_needs_one_says_so() -> None:
    error = await run_value([where], caught("tools.where({ question: 'q' })"))
    assert "LangGraph" in error["message"]


async def test_plain_functions_get_the_runtime_as_their_context() -> None:
    from toolscript import Tool

    seen: list[Any] = []
    plain = Tool("plain", "d", {"type": "object"}, None, lambda args, ctx: seen.append(ctx.app))
    agent = create_agent(
        scripted(code("await tools.plain({});"), done()),
        tools=[CodeModeTool([plain])],
        state_schema=State,
    )
    await agent.ainvoke({**ASK, "city": "Bern"})
    assert seen[0].state["city"] == "Bern"


async def test_input_and_store_are_made_from_the_runtime() -> None:
    kept: dict[str, Any] = {"visits": 1}
    run_code = CodeModeTool(
        [add],
        input_schema={"type": "object", "properties": {"city": {"type": "string"}}},
        input=lambda runtime: {"city": runtime.state["city"]},
        store=lambda runtime: kept,
    )
    script = "store('visits', load('visits') + 1); return input.city;"
    agent = create_agent(
        scripted(code(script), code("store('visits', 99); throw new Error('no');"), done()),
        tools=[run_code],
        state_schema=State,
    )
    first, second = tool_messages(await agent.ainvoke({**ASK, "city": "Bern"}))
    assert first.content == "Bern"
    assert second.status == "error"
    assert kept == {"visits": 2}


async def test_there_is_a_store_only_where_somebody_keeps_it() -> None:
    kept: dict[str, Any] = {}
    assert "store(" not in CodeModeTool([add]).description
    assert "store(" in CodeModeTool([add], store=kept).description
    message = await run_message([add], "return typeof store;")
    assert message.content == "undefined"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tools": add}, ("tools=", "[add]")),
        ({"name": 3}, ("name=", "3")),
        ({"declarations": "prompt"}, ("declarations=", "'system'")),
        ({"prompt_tokens": "8k"}, ("prompt_tokens=", "'8k'")),
        ({"store": [1]}, ("store=", "mapping")),
        ({"authority": "ada"}, ("authority=", "Authority(principal='ada')")),
        ({"middleware": 3}, ("middleware=", "list")),
        ({"output_schemas": ["x"]}, ("output_schemas=", "mapping")),
        ({"profile": None}, ("profile=", "None")),
        ({"policy": lambda request: True}, ("policy=", "Policy(")),
    ],
)
def test_a_part_of_the_wrong_kind(options: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError) as refused:
        CodeModeTool(**{"tools": [add], **options})
    for word in words:
        assert word in str(refused.value)


# -- artifacts, commands, streams, traces


@pytest.mark.parametrize("kind", [CodeModeTool, CodeModeMiddleware])
def test_an_unknown_keyword_is_told_with_all_that_are_known(kind: Any) -> None:
    with pytest.raises(ConfigurationError, match="'nme' \\(did you mean 'name'") as told:
        kind([], nme="code")
    for name in (kind.__name__, "tools", "result_tokens", "output_schemas", "policy", "timers"):
        assert name in str(told.value)


async def test_artifacts_of_nested_tools_are_kept_and_scripts_get_the_content() -> None:
    def report(year: int) -> tuple[dict[str, int], list[int]]:
        return {"year": year}, [year] * 3

    reports = StructuredTool.from_function(
        report, name="report", description="d", response_format="content_and_artifact"
    )
    message = await run_message([reports], "return (await tools.report({ year: 5 })).year;")
    assert message.content == "5"
    assert message.artifact["calls"][0]["artifact"] == [5, 5, 5]


async def test_tool_messages_as_results() -> None:
    @tool
    def say(text: str, call_id: Annotated[str, InjectedToolCallId]) -> ToolMessage:
        """Say."""
        status = "error" if text == "bad" else "success"
        return ToolMessage(text, tool_call_id=call_id, artifact={"n": 1}, status=status)

    message = await run_message([say], "return await tools.say({ text: 'hi' });")
    assert message.content == "hi"
    assert message.artifact["calls"][0]["artifact"] == {"n": 1}
    error = await run_value([say], caught("tools.say({ text: 'bad' })"))
    assert error["message"].endswith("bad")


@tool
def note(text: str, call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Note something."""
    said = ToolMessage(f"noted {text}", tool_call_id=call_id)
    return Command(update={"notes": [text], "messages": [said]})


@tool
def move(city: str) -> Command[Any]:
    """Move to another city."""
    return Command(update={"city": city})


@tool
def look(state: Annotated[dict[str, Any], InjectedState]) -> dict[str, Any]:
    """Look at the state."""
    return {"city": state["city"], "notes": state.get("notes", [])}


async def _state_after(script: str, **kw: Any) -> tuple[dict[str, Any], ToolMessage]:
    agent = create_agent(
        scripted(code(script), done()),
        tools=[CodeModeTool([note, move, look])],
        state_schema=State,
    )
    result = await agent.ainvoke({**ASK, "city": "Bern", "notes": ["start"]})
    (message,) = tool_messages(result)
    assert message.tool_call_id == "call_1"
    assert message.status == "success", message.content
    return result, message


async def test_a_command_is_folded_into_the_one_result() -> None:
    result, message = await _state_after("return await tools.note({ text: 'a' });")
    assert result["notes"] == ["start", "a"]
    assert message.content == "noted a"


async def test_later_calls_see_what_earlier_ones_wrote() -> None:
    script = (
        "await tools.note({ text: 'a' }); await tools.move({ city: 'Basel' });"
        "const seen = await tools.look({}); await tools.note({ text: 'b' });"
        "await tools.move({ city: 'Chur' }); return seen;"
    )
    result, message = await _state_after(script)
    assert message.artifact["value"] == {"city": "Basel", "notes": ["start", "a"]}
    assert result["notes"] == ["start", "a", "b"]
    assert result["city"] == "Chur"


async def test_parallel_commands_are_merged_by_the_reducers_in_the_order_of_the_script() -> None:
    script = (
        "await Promise.all(['a', 'b', 'c'].map((text) => tools.note({ text })));"
        "return (await tools.look({})).notes;"
    )
    result, message = await _state_after(script)
    assert result["notes"] == ["start", "a", "b", "c"]
    assert message.artifact["value"] == ["start", "a", "b", "c"]


async def test_a_command_of_a_script_that_failed_afterwards_has_taken_effect() -> None:
    agent = create_agent(
        scripted(code("await tools.move({ city: 'Basel' }); throw new Error('late');"), done()),
        tools=[CodeModeTool([move])],
        state_schema=State,
    )
    result = await agent.ainvoke({**ASK, "city": "Bern"})
    (message,) = tool_messages(result)
    assert message.status == "error"
    assert result["city"] == "Basel"


async def test_a_handoff_to_the_parent_graph() -> None:
    @tool
    def transfer(call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Hand over to the other agent."""
        said = ToolMessage("transferred", tool_call_id=call_id)
        return Command(goto="other", graph=Command.PARENT, update={"messages": [said]})

    agent = create_agent(
        scripted(code("await tools.transfer({});"), done()), tools=[CodeModeTool([transfer])]
    )
    parent = StateGraph(MessagesState)
    parent.add_node("agent", agent, destinations=("other",))
    parent.add_node("other", lambda state: {"messages": [AIMessage("taken over")]})
    parent.add_edge(START, "agent")
    result = await parent.compile().ainvoke(ASK)
    assert result["messages"][-1].content == "taken over"
    (message,) = tool_messages(result)
    assert (message.content, message.tool_call_id) == ("transferred", "call_1")


async def test_custom_stream_of_nested_tools_and_of_the_script() -> None:
    @tool
    def work() -> str:
        """Work."""
        get_stream_writer()({"step": "working"})
        return "done"

    @tool
    async def awork(runtime: ToolRuntime[Any, Any]) -> str:
        """Work."""
        runtime.stream_writer({"step": "async"})
        return "done"

    script = "progress('half', 0.5); await tools.work({}); await tools.awork({}); console.log('x');"
    agent = create_agent(scripted(code(script), done()), tools=[CodeModeTool([work, awork])])
    chunks = [chunk async for chunk in agent.astream(ASK, stream_mode="custom")]
    assert {"step": "working"} in chunks
    assert {"step": "async"} in chunks
    progress = next(chunk for chunk in chunks if chunk.get("type") == "progress")
    assert (progress["message"], progress["fraction"]) == ("half", 0.5)
    assert any(chunk.get("type") == "output" and "x" in chunk["text"] for chunk in chunks)


@pytest.mark.parametrize("sync", [True, False])
def test_nested_runs_are_children_of_the_code_run(sync: bool) -> None:
    @tool
    def inner_fail() -> str:
        """Fail."""
        raise ValueError("no")

    recorder = Recorder()
    tagged = add.model_copy(update={"tags": ["maths"], "metadata": {"team": "a"}})
    script = f"{caught('tools.inner_fail({})').replace('return', 'const e =', 1)}"
    script = (
        "await tools.add({ a: 1, b: 2 }); await tools.double({ n: 1 });"
        "try { await tools.inner_fail({}); } catch {} return 1;"
    )
    agent = create_agent(
        scripted(code(script), done()), tools=[CodeModeTool([tagged, double, inner_fail])]
    )
    config: RunnableConfig = {"callbacks": [recorder], "tags": ["mine"], "metadata": {"user": "u"}}
    if sync:
        agent.invoke(ASK, config)
    else:
        asyncio.run(agent.ainvoke(ASK, config))
    (outer,) = recorder.named("run_code")
    for name in ("add", "double", "inner_fail"):
        (run,) = recorder.named(name)
        assert recorder.parent(run) is outer
    (run,) = recorder.named("add")
    assert "maths" in run["tags"]
    assert run["metadata"]["team"] == "a"
    assert run["metadata"]["user"] == "u"
    assert run["inputs"] == {"a": 1, "b": 2}
    assert run["output"].content == "3"
    assert run["tool_call_id"] == "call_1:1"
    (run,) = recorder.named("inner_fail")
    assert isinstance(run["error"], ValueError)
    assert "runtime" not in outer["inputs"]


async def test_nested_runs_in_astream_events() -> None:
    agent = create_agent(
        scripted(code(ADD_AND_DOUBLE), done()), tools=[CodeModeTool([add, double])]
    )
    events = [event async for event in agent.astream_events(ASK, version="v2")]
    started = {e["name"]: e for e in events if e["event"] == "on_tool_start"}
    ended = {e["name"]: e for e in events if e["event"] == "on_tool_end"}
    assert set(started) == set(ended) == {"run_code", "add", "double"}
    assert started["run_code"]["run_id"] in started["add"]["parent_ids"]
    assert ended["double"]["data"]["output"].content == "6"


async def test_an_agent_as_a_tool() -> None:
    inner_agent = create_agent(
        scripted(calls(("add", {"a": 2, "b": 2})), done("four")), tools=[add]
    )

    @tool
    async def ask_expert(question: str) -> str:
        """Ask the expert."""
        result = await inner_agent.ainvoke({"messages": [("user", question)]})
        return result["messages"][-1].content

    recorder = Recorder()
    agent = create_agent(
        scripted(code("return await tools.ask_expert('2+2?');"), done()),
        tools=[CodeModeTool([ask_expert])],
    )
    result = await agent.ainvoke(ASK, {"callbacks": [recorder]})
    assert tool_messages(result)[0].content == "four"
    assert recorder.named("add")


def test_declarations_may_go_into_the_system_prompt_instead() -> None:
    run_code = CodeModeTool([add], declarations="system")
    assert "tools.add" not in run_code.description
    assert "add" in run_code.system_prompt
    assert "add" in CodeModeTool([add]).description


def test_what_a_provider_or_a_tracer_wants_of_the_tool_is_passed_on() -> None:
    run_code = CodeModeTool(
        [add],
        name="js",
        description="Mine.",
        tags=["a"],
        metadata={"b": 1},
        extras={"cache_control": {"type": "ephemeral"}},
    )
    assert (run_code.name, run_code.tags, run_code.metadata) == ("js", ["a"], {"b": 1})
    assert run_code.description.startswith("Mine.")
    assert run_code.extras == {"cache_control": {"type": "ephemeral"}}


async def test_content_alone_where_no_artifact_is_wanted() -> None:
    message = await run_message([add], "return 1", response_format="content")
    assert (message.content, message.artifact) == ("1", None)


async def test_the_text_for_the_model_can_be_bounded() -> None:
    message = await run_message([add], "return 'x'.repeat(100000)", result_tokens=100)
    assert len(str(message.content)) < 500
    assert len(message.artifact["value"]) == 100_000


async def test_an_engine_of_ones_own_runs_under_the_callers_trace() -> None:
    from langchain_core.runnables import RunnableLambda

    from toolscript import CodeMode

    engine = CodeMode([add])

    async def work(script: str) -> Any:
        return (await engine.run(script)).unwrap()

    recorder = Recorder()
    step = RunnableLambda(work, name="work")
    config: RunnableConfig = {"callbacks": [recorder]}
    assert await step.ainvoke("return await tools.add({ a: 1, b: 1 });", config) == 2
    (run,) = recorder.named("add")
    assert recorder.parent(run)["name"] == "work"


async def test_cancelling_the_agent_stops_script_and_tools() -> None:
    started, stopped = asyncio.Event(), asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait."""
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            stopped.set()
        return "never"

    agent = create_agent(
        scripted(code("await tools.wait({});"), done()), tools=[CodeModeTool([wait])]
    )
    task = asyncio.create_task(agent.ainvoke(ASK))
    await asyncio.wait_for(started.wait(), 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(stopped.wait(), 30)


# -- tools that are not LangChain's, beside those that are


def triple(n: int) -> int:
    """Triple a number.

    Args:
        n: what to triple.
    """
    return 3 * n


async def note_city(city: str, runtime: ToolRuntime[Any, Any]) -> Command[Any]:
    """Note a city in the state."""
    return Command(update={"city": f"{runtime.state['city']}-{city}"})


def wander(city: str) -> Command[Any]:
    """Go to a city."""
    return Command(update={"city": city})


async def test_plain_functions_are_traced_and_may_steer_the_graph() -> None:
    from toolscript import Tool, ToolContext

    def whose(args: dict[str, Any], context: ToolContext) -> list[Any]:
        return [args["self"], context.tool, context.seq]

    own = Tool("whose", "d", {"type": "object"}, None, whose)
    recorder = Recorder()
    script = (
        "await tools.wander({ city: 'Chur' }); await tools.note_city({ city: 'Bern' });"
        "return [await tools.triple({ n: 4 }), await tools.whose({ self: 1, config: 2 })];"
    )
    agent = create_agent(
        scripted(code(script), done()),
        tools=[CodeModeTool([triple, note_city, wander, own])],
        state_schema=State,
    )
    result = await agent.ainvoke({**ASK, "city": "Bern"}, {"callbacks": [recorder]})
    (message,) = tool_messages(result)
    assert message.artifact["value"] == [12, [1, "whose", 4]], message.content
    assert result["city"] == "Chur-Bern"
    (outer,) = recorder.named("run_code")
    for name in ("triple", "note_city", "wander", "whose"):
        assert recorder.parent(recorder.named(name)[0]) is outer
    assert recorder.named("triple")[0]["inputs"] == {"n": 4}
    assert "what to triple" in CodeModeTool([triple]).description


async def test_what_is_no_tool_is_refused() -> None:
    from toolscript import ContractError

    with pytest.raises(ContractError):
        CodeModeTool([5])


class ModelState(BaseModel):
    messages: Annotated[list[Any], add_messages]
    city: str = "Bern"


async def test_a_state_that_is_a_model_and_a_command_that_goes_somewhere() -> None:
    @tool
    def ask(city: Annotated[str, InjectedState("city")]) -> str:
        """Ask where we are."""
        return city

    @tool
    def leave() -> Command[Any]:
        """Go on elsewhere."""
        return Command(update={"city": "Chur"}, goto="other")

    graph = StateGraph(ModelState)
    graph.add_node("tools", ToolNode([CodeModeTool([ask, leave])]))
    graph.add_node("other", lambda state: {"messages": [AIMessage(f"in {state.city}")]})
    graph.add_edge(START, "tools")
    script = "const before = await tools.ask({}); await tools.leave({}); return [before, await tools.ask({})];"
    result = await graph.compile().ainvoke({"messages": [code(script)]})
    assert tool_messages(result)[0].artifact["value"] == ["Bern", "Chur"]
    assert result["messages"][-1].content == "in Chur"


def test_langchain_core_alone_is_enough_for_the_tool() -> None:
    script = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("langgraph", "langchain"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
from langchain_core.tools import tool
from toolscript import CodeModeTool

@tool
def add(a: int, b: int) -> int:
    "Add."
    return a + b

call = {"name": "run_code", "args": {"code": "return await tools.add({ a: 1, b: 2 })"},
        "id": "1", "type": "tool_call"}
print(CodeModeTool([add]).invoke(call).content)
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=240, check=False
    )
    assert ended.stdout.strip() == "3", ended.stderr
