"""LlamaIndex: the workflow of its `FunctionAgent`, driven by its own mock of a model."""

# The framework finds the parameter for its context by comparing annotations with the type, so
# `from __future__ import annotations` has no place here.

import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.agent.workflow import (
    AgentWorkflow,
    FunctionAgent,
    ReActAgent,
    ToolCall,
    ToolCallResult,
)
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.schema import Document
from llama_index.core.tools import FunctionTool, QueryEngineTool
from llama_index.core.tools.tool_spec.base import BaseToolSpec
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent

from toolscript import SQLiteJournal
from toolscript.testing.adapters import (
    USER,
    AdapterConformance,
    Answer,
    Conversation,
    Decide,
    allow,
)
from toolscript.testing.shop import Shop
from toolscript_adapters.llama_index import ApprovalRequest, ApprovalResponse, CodeModeTool


def scripted(
    *scripts: str, code_tool: str = "run_code", shown: list[Any] | None = None
) -> MockFunctionCallingLLM:
    """Plays the model: one script after the other, then "done". `shown` gets its tools."""
    seen = [] if shown is None else shown

    def reply(messages: Sequence[ChatMessage], **kwargs: Any) -> AsyncIterator[ChatMessage]:
        seen.append(list(kwargs.get("tools") or ()))
        turn = sum(message.role == MessageRole.TOOL for message in messages)
        if turn >= len(scripts):
            message = ChatMessage(role="assistant", content="done")
        else:
            call = ToolCallBlock(
                tool_call_id=f"call{turn}",
                tool_name=code_tool,
                tool_kwargs={"code": scripts[turn]},
            )
            message = ChatMessage(role="assistant", blocks=[call])

        async def one() -> AsyncIterator[ChatMessage]:
            yield message

        return one()

    return MockFunctionCallingLLM(response_generator=reply)


async def whoami(ctx: Context) -> str:
    """Who asks."""
    return await ctx.store.get("user")


class TestConformance(AdapterConformance):
    framework = "LlamaIndex"
    package = "toolscript_adapters.llama_index"

    async def converse(
        self,
        shop: Shop,
        scripts: Sequence[str],
        *,
        approvals: bool = False,
        decide: Decide = allow,
        **options: Any,
    ) -> Conversation:
        talk = Conversation()
        name = options.get("name", "run_code")
        code = CodeModeTool(
            [*shop.functions(), whoami],
            requires_approval=["refund"] if approvals else [],
            **options,
        )
        shown: list[Any] = []
        agent = FunctionAgent(tools=[code], llm=scripted(*scripts, code_tool=name, shown=shown))
        context = Context(agent)
        await context.store.set("user", USER)
        handler = agent.run("go", ctx=context)
        try:
            async for event in handler.stream_events():
                if isinstance(event, ApprovalRequest):
                    talk.asked.append((event.tool, event.args))
                    approved = decide(event.tool, event.args)
                    handler.ctx.send_event(ApprovalResponse(id=event.id, approved=approved))
                elif isinstance(event, ToolCallResult) and event.tool_name == name:
                    output = event.tool_output
                    talk.answers.append(Answer(output.content, output.is_error))
                elif isinstance(event, ToolCall) and event.tool_name != name:
                    talk.hooked.append(event.tool_name)
            talk.final = str(await handler)
        finally:
            await handler.cancel_run()
        definitions = [tool.metadata.to_openai_tool()["function"] for tool in shown[0]]
        talk.shown = [definition["name"] for definition in definitions]
        talk.declared = definitions[0]["description"]
        return talk


async def outcome(
    tools: Sequence[Any],
    *scripts: str,
    respond: Callable[[Any, Any], None] | None = None,
    **options: Any,
) -> list[Answer]:
    """What the model reads of each script; `respond` is told of the workflow's questions."""
    agent = FunctionAgent(tools=[CodeModeTool(tools, **options)], llm=scripted(*scripts))
    handler = agent.run("go")
    answers: list[Answer] = []
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent) and respond is not None:
            respond(event, handler.ctx)
        elif isinstance(event, ToolCallResult) and event.tool_name == "run_code":
            answers.append(Answer(event.tool_output.content, event.tool_output.is_error))
    assert str(await handler) == "done"
    return answers


class Sales:
    """A tool that waits for an event by itself, for large amounts only."""

    def __init__(self) -> None:
        self.sold: list[int] = []

    async def sell(self, ctx: Context, amount: int) -> str:
        """Sell something."""
        if amount > 100:
            answer = await ctx.wait_for_event(
                HumanResponseEvent,
                waiter_id=f"sell {amount}",
                waiter_event=InputRequiredEvent(amount=amount),
                requirements={"amount": amount},
            )
            if answer.response != "yes":
                return "not sold"
        self.sold.append(amount)
        return f"sold {amount}"


async def test_a_tool_that_waits_by_itself_pauses_the_script() -> None:
    sales = Sales()
    asked: list[int] = []

    def respond(event: Any, context: Any) -> None:
        asked.append(event.amount)
        said = "no" if event.amount == 300 else "yes"
        context.send_event(HumanResponseEvent(amount=event.amount, response=said))

    script = """
        const first = await tools.sell({ amount: 1 });
        const both = await Promise.all([
            tools.sell({ amount: 200 }), tools.sell({ amount: 300 }),
        ]);
        return [first, ...both, await tools.sell({ amount: 400 })];
    """
    (answer,) = await outcome([sales.sell], script, respond=respond)
    assert answer.text == '["sold 1","sold 200","not sold","sold 400"]'
    assert sorted(sales.sold) == [1, 200, 400], "nothing was sold twice"
    assert sorted(asked) == [200, 300, 400]


@pytest.mark.parametrize(
    ("response", "said", "effects"),
    [
        ({"approved": True, "args": {"order_id": 7}}, "refunded 7", ["refund 7"]),
        ({"approved": False, "reason": "too late"}, "too late", []),
    ],
)
async def test_a_person_edits_or_rejects_a_call(
    response: dict[str, Any], said: str, effects: list[str]
) -> None:
    shop = Shop()

    def respond(event: Any, context: Any) -> None:
        context.send_event(ApprovalResponse(id=event.id, **response))

    script = "return await tools.refund({ order_id: 1 }).catch((error) => error.message)"
    (answer,) = await outcome(
        shop.functions(), script, respond=respond, requires_approval=["refund"]
    )
    assert answer.text == said
    assert shop.effects == effects


@pytest.mark.filterwarnings("ignore:Skipping serialization of known")
@pytest.mark.parametrize("by_tool", [False, True])
async def test_another_process_goes_on_from_the_saved_context(
    tmp_path: Path, by_tool: bool
) -> None:
    shop, sales = Shop(), Sales()
    call = "sell({ amount: 200 })" if by_tool else "refund({ order_id: 1 })"
    script = f'await tools.note({{ text: "once" }}); return await tools.{call};'

    def agent() -> FunctionAgent:
        code = CodeModeTool(
            [*shop.functions(), sales.sell],
            requires_approval=["refund"],
            journal=SQLiteJournal(tmp_path / "runs.db"),
        )
        return FunctionAgent(tools=[code], llm=scripted(script))

    first = agent()
    handler = first.run("go", ctx=Context(first))
    request: Any = None
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            request = event
            break
    # LlamaIndex saves all but the memory, which the application keeps.
    memory = await handler.ctx.store.get("memory")
    saved = json.dumps(handler.ctx.to_dict())
    await handler.cancel_run()

    second = agent()
    handler = second.run(ctx=Context.from_dict(second, json.loads(saved)))
    await handler.ctx.store.set("memory", memory)
    if isinstance(request, ApprovalRequest):
        handler.ctx.send_event(ApprovalResponse(id=request.id, approved=True))
    else:
        handler.ctx.send_event(HumanResponseEvent(amount=request.amount, response="yes"))
    said = [
        event.tool_output.content
        async for event in handler.stream_events()
        if isinstance(event, ToolCallResult) and event.tool_name == "run_code"
    ]
    await handler
    assert said == ["sold 200" if by_tool else "refunded 1"]
    assert shop.effects == (["note once"] if by_tool else ["note once", "refund 1"])
    assert sales.sold == ([200] if by_tool else [])


async def test_what_scripts_store_is_there_for_the_next_one() -> None:
    answers = await outcome(Shop().functions(), 'store("n", 41); return 0', 'return load("n") + 1')
    assert [answer.text for answer in answers] == ["0", "42"]


async def test_texts_of_nodes_and_of_query_engines_stay_texts() -> None:
    def find(query: str) -> list[Document]:
        """Find documents."""
        return [Document(text=f"about {query}"), Document(text="more")]

    class Engine:
        async def aquery(self, query: Any) -> str:
            return f"answer to {query}"

        query = aquery

    engine = QueryEngineTool.from_defaults(Engine(), name="ask", description="Ask.")
    script = 'return [await tools.find({ query: "a" }), await tools.ask({ input: "b" })]'
    (answer,) = await outcome([find, engine], script)
    assert json.loads(answer.text) == ["about a\nmore", "answer to b"]


async def test_a_callback_replaces_what_a_function_returned() -> None:
    def secret() -> str:
        """Tell."""
        return "secret"

    tool = FunctionTool.from_defaults(secret, callback=lambda value: f"{len(value)} letters")
    (answer,) = await outcome([tool], "return await tools.secret()")
    assert answer.text == "6 letters"


async def test_fixed_and_default_arguments_are_the_tools_own() -> None:
    def scale(number: int, factor: int, offset: int = 1) -> int:
        """Scale."""
        return number * factor + offset

    tool = FunctionTool.from_defaults(scale, partial_params={"factor": 10})
    (answer,) = await outcome([tool], "return await tools.scale({ number: 4 })")
    assert answer.text == "41"


async def test_tool_specs_and_namespaces() -> None:
    class Clock(BaseToolSpec):
        spec_functions = ("hour",)

        def hour(self) -> int:
            """The hour."""
            return 7

    agent = CodeModeTool({"time": [Clock()]})
    assert "time" in agent.metadata.description
    (answer,) = await outcome([Clock()], "return await tools.hour()")
    assert answer.text == "7"


async def test_an_agent_of_a_workflow_of_agents() -> None:
    shop = Shop()
    script = "return (await tools.get_order({ order_id: 2 })).customer"
    clerk = FunctionAgent(
        name="clerk",
        description="Knows orders.",
        tools=[CodeModeTool(shop.functions())],
        llm=scripted(script),
    )
    handler = AgentWorkflow(agents=[clerk], root_agent="clerk").run("go")
    result = await handler
    assert [call.tool_output.content for call in result.tool_calls] == ["bob"]


async def test_an_agent_that_calls_tools_in_words() -> None:
    code = json.dumps({"code": "return (await tools.get_order({ order_id: 2 })).customer"})
    words = iter(
        [
            f"Thought: I need a tool.\nAction: run_code\nAction Input: {code}",
            "Thought: I can answer without using any more tools.\nAnswer: done",
        ]
    )

    def reply(messages: Sequence[ChatMessage]) -> ChatMessage:
        return ChatMessage(role="assistant", content=next(words))

    agent = ReActAgent(
        tools=[CodeModeTool(Shop().functions())],
        llm=MockFunctionCallingLLM(response_generator=reply),
        streaming=False,
    )
    result = await agent.run("go")
    assert [call.tool_output.content for call in result.tool_calls] == ["bob"]
    assert str(result) == "done"


async def test_the_same_script_twice_in_one_turn_waits_twice() -> None:
    shop = Shop()
    script = "return await tools.refund({ order_id: 1 })"

    def reply(messages: Sequence[ChatMessage], **kwargs: Any) -> AsyncIterator[ChatMessage]:
        calls = [
            ToolCallBlock(tool_call_id=id, tool_name="run_code", tool_kwargs={"code": script})
            for id in ("one", "two")
        ]
        answered = messages[-1].role == MessageRole.TOOL
        message = ChatMessage(role="assistant", content="done")
        if not answered:
            message = ChatMessage(role="assistant", blocks=calls)

        async def one() -> AsyncIterator[ChatMessage]:
            yield message

        return one()

    code = CodeModeTool(shop.functions(), requires_approval=["refund"])
    agent = FunctionAgent(tools=[code], llm=MockFunctionCallingLLM(response_generator=reply))
    handler = agent.run("go")
    asked: set[str] = set()
    async for event in handler.stream_events():
        if isinstance(event, ApprovalRequest):
            asked.add(event.id)
            handler.ctx.send_event(ApprovalResponse(id=event.id, approved=len(asked) == 1))
    result = await handler
    assert len(asked) == 2
    assert shop.effects == ["refund 1"]
    assert sorted(call.tool_output.is_error for call in result.tool_calls) == [False, True]
