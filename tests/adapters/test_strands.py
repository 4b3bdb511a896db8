"""Strands Agents: the agent's own event loop, driven by a model that says given things."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from strands import Agent, ToolContext, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent
from strands.middleware import ExecuteToolStage
from strands.models import Model
from strands.session import FileSessionManager

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
from toolscript_adapters.strands import CodeModePlugin


class Scripted(Model):
    """Plays the model: one script after the other, then "done"."""

    def __init__(self, *scripts: str, code_tool: str = "run_code"):
        self.scripts = scripts
        self.code_tool = code_tool
        self.shown: list[Any] = []
        self.turn = 0

    def update_config(self, **config: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(
        self, messages: Any, tool_specs: Any = None, *args: Any, **kwargs: Any
    ) -> AsyncIterator[Any]:
        self.shown.append(tool_specs)
        yield {"messageStart": {"role": "assistant"}}
        if self.turn >= len(self.scripts):
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            reason = "end_turn"
        else:
            arguments = json.dumps({"code": self.scripts[self.turn]})
            self.turn += 1
            use = {"toolUseId": f"use{self.turn}", "name": self.code_tool}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": arguments}}}}
            reason = "tool_use"
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": reason}}


def tools_of(shop: Shop) -> list[Any]:
    @tool(context=True)
    def whoami(tool_context: ToolContext[Any]) -> str:
        """Who asks."""
        return tool_context.invocation_state["user"]

    return [*(tool(function) for function in shop.functions()), whoami]


def answers_of(agent: Agent) -> list[Answer]:
    return [
        Answer(
            "\n".join(item.get("text", "") for item in block["toolResult"]["content"]),
            block["toolResult"]["status"] == "error",
        )
        for message in agent.messages
        for block in message["content"]
        if "toolResult" in block
    ]


def responses(result: Any, decide: Any) -> list[Any]:
    return [
        {"interruptResponse": {"interruptId": asked.id, "response": decide(asked)}}
        for asked in result.interrupts
    ]


class TestConformance(AdapterConformance):
    framework = "Strands"
    package = "toolscript_adapters.strands"

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
        model = Scripted(*scripts, code_tool=name)
        plugin = CodeModePlugin(requires_approval=["refund"] if approvals else [], **options)
        agent = Agent(model=model, tools=tools_of(shop), plugins=[plugin], callback_handler=None)

        def watch(event: AfterToolCallEvent[Any]) -> None:
            if event.tool_use["name"] != name:
                talk.hooked.append(event.tool_use["name"])

        def respond(asked: Any) -> bool:
            call = asked.reason
            talk.asked.append((call["tool"], call["args"]))
            return decide(call["tool"], call["args"])

        agent.add_hook(watch, AfterToolCallEvent)
        result = await agent.invoke_async("go", invocation_state={"user": USER})
        while result.stop_reason == "interrupt":
            result = await agent.invoke_async(
                responses(result, respond), invocation_state={"user": USER}
            )
        talk.shown = [spec["name"] for spec in model.shown[0]]
        talk.declared = model.shown[0][0]["description"]
        talk.answers = answers_of(agent)
        talk.final = str(result).strip()
        return talk


def agent_of(tools: Sequence[Any], *scripts: str, **options: Any) -> Agent:
    hooks = options.pop("hooks", [])
    agent = Agent(
        model=Scripted(*scripts),
        tools=list(tools),
        plugins=[CodeModePlugin(**options)],
        callback_handler=None,
    )
    for hook in hooks:
        agent.add_hook(hook, BeforeToolCallEvent)
    return agent


async def test_a_hook_interrupts_nested_calls() -> None:
    shop = Shop()
    asked: list[str] = []

    def gate(event: BeforeToolCallEvent[Any]) -> None:
        if event.tool_use["name"] == "refund" and event.interrupt("approve", reason="x") != "y":
            event.cancel_tool = "not this one"

    script = """
        await tools.note({ text: "before" });
        const said = await Promise.all([
            tools.refund({ order_id: 1 }),
            tools.refund({ order_id: 2 }).catch((error) => [error.code, error.message]),
        ]);
        await tools.note({ text: "after" });
        return said;
    """
    agent = agent_of(tools_of(shop), script, hooks=[gate])
    result = await agent.invoke_async("go")
    while result.stop_reason == "interrupt":
        asked += [interrupt.id for interrupt in result.interrupts or ()]
        first = asked[0]
        result = await agent.invoke_async(
            responses(result, lambda interrupt, first=first: "y" if interrupt.id == first else "n")
        )
    assert len(asked) == len(set(asked)) == 2
    assert answers_of(agent)[-1].text == '["refunded 1",["denied","not this one"]]'
    assert shop.effects == ["note before", "refund 1", "note after"]


async def test_a_tool_interrupts_by_itself() -> None:
    sold: list[int] = []

    @tool(context=True)
    def sell(amount: int, tool_context: ToolContext[Any]) -> str:
        """Sell something."""
        if amount > 100:
            said = tool_context.interrupt("sure?", reason=amount)
            if said != "y":
                return "not sold"
        sold.append(amount)
        return f"sold {amount}"

    script = """
        const first = await tools.sell({ amount: 1 });
        return [first, await tools.sell({ amount: 200 }), await tools.sell({ amount: 300 })];
    """
    agent = agent_of([sell], script)
    result = await agent.invoke_async("go")
    while result.stop_reason == "interrupt":
        result = await agent.invoke_async(
            responses(result, lambda asked: "y" if asked.reason == 200 else "n")
        )
    assert answers_of(agent)[-1].text == '["sold 1","sold 200","not sold"]'
    assert sold == [1, 200]


@pytest.mark.parametrize(
    ("response", "said", "effects"),
    [
        ("yes", "refunded 1", ["refund 1"]),
        ({"approved": True, "args": {"order_id": 7}}, "refunded 7", ["refund 7"]),
        ({"approved": False, "reason": "too late"}, "too late", []),
        ("maybe", "a person rejected the call", []),
    ],
)
async def test_a_response_approves_edits_or_rejects(
    response: Any, said: str, effects: list[str]
) -> None:
    shop = Shop()
    script = "return await tools.refund({ order_id: 1 }).catch((error) => error.message)"
    agent = agent_of(tools_of(shop), script, requires_approval=["refund"])
    result = await agent.invoke_async("go")
    assert result.interrupts is not None
    await agent.invoke_async(responses(result, lambda asked: response))
    assert answers_of(agent)[-1].text == said
    assert shop.effects == effects


async def test_what_middleware_makes_of_a_result_is_what_a_script_gets() -> None:
    async def redact(context: Any, next_fn: Any) -> AsyncIterator[Any]:
        async for event in next_fn(context):
            result = event.get("tool_result") if hasattr(event, "get") else None
            if result and context.tool_use["name"] == "get_email":
                result["content"] = [{"text": "(hidden)"}]
            yield event

    agent = agent_of(tools_of(Shop()), 'return await tools.get_email({ customer: "ada" })')
    agent.add_middleware(ExecuteToolStage, redact)
    await agent.invoke_async("go")
    assert answers_of(agent)[-1].text == "(hidden)"


async def test_a_finished_result_is_read_by_its_content() -> None:
    @tool
    def measure() -> dict[str, Any]:
        """Measure."""
        return {"status": "success", "content": [{"json": {"height": 3}}]}

    @tool
    def plain() -> dict[str, Any]:
        """Return a dict that is no result."""
        return {"height": 4}

    script = "return (await tools.measure()).height + (await tools.plain()).height"
    agent = agent_of([measure, plain], script)
    await agent.invoke_async("go")
    assert answers_of(agent)[-1].text == "7"


async def test_what_a_tool_yields_is_in_the_stream_of_the_agent() -> None:
    @tool
    async def count(to: int) -> AsyncIterator[str]:
        """Count, and tell of it meanwhile."""
        for number in range(to):
            yield f"at {number}"
        yield "counted"

    script = "return await Promise.all([tools.count({ to: 2 }), tools.count({ to: 1 })])"
    agent = agent_of([count], script)
    heard: list[tuple[str, Any]] = []
    async for event in agent.stream_async("go"):
        told = event.get("tool_stream_event")
        if told is not None and told["tool_use"]["name"] == "count":
            heard.append((told["tool_use"]["toolUseId"], told["data"]))
    first, second = "use1:1", "use1:2"
    assert [data for id, data in heard if id == first] == ["at 0", "at 1", "counted"]
    assert [data for id, data in heard if id == second] == ["at 0", "counted"]
    assert answers_of(agent)[-1].text == '["counted","counted"]'


async def test_cancelling_the_agent_stops_its_script() -> None:
    begun, stopped = asyncio.Event(), asyncio.Event()

    @tool
    async def block() -> str:
        """Wait for ever."""
        begun.set()
        try:
            return str(await asyncio.Event().wait())
        finally:
            stopped.set()

    agent = agent_of([block], "return await tools.block()")
    async with asyncio.timeout(30):
        running = asyncio.create_task(agent.invoke_async("go"))
        await begun.wait()
        agent.cancel()
        result = await running
        await stopped.wait()
    assert result.stop_reason == "cancelled"


@pytest.mark.parametrize("by_hook", [False, True])
async def test_another_process_goes_on_with_the_session(tmp_path: Path, by_hook: bool) -> None:
    shop = Shop()
    script = 'await tools.note({ text: "once" }); return await tools.refund({ order_id: 1 });'

    def gate(event: BeforeToolCallEvent[Any]) -> None:
        if by_hook and event.tool_use["name"] == "refund":
            event.interrupt("approve", reason="x")

    def restored(*scripts: str) -> Agent:
        agent = Agent(
            model=Scripted(*scripts),
            agent_id="clerk",
            tools=tools_of(shop),
            plugins=[
                CodeModePlugin(
                    requires_approval=[] if by_hook else ["refund"],
                    journal=SQLiteJournal(tmp_path / "runs.db"),
                )
            ],
            session_manager=FileSessionManager("s1", storage_dir=str(tmp_path / "sessions")),
            callback_handler=None,
        )
        agent.add_hook(gate, BeforeToolCallEvent)
        return agent

    result = await restored(script).invoke_async("go")
    agent = restored()
    await agent.invoke_async(responses(result, lambda asked: True))
    assert answers_of(agent)[-1].text == "refunded 1"
    assert shop.effects == ["note once", "refund 1"]


async def test_what_scripts_store_is_there_for_the_next_one() -> None:
    agent = agent_of(tools_of(Shop()), 'store("n", 41); return 0', 'return load("n") + 1')
    await agent.invoke_async("go")
    assert [answer.text for answer in answers_of(agent)] == ["0", "42"]


async def test_the_model_keeps_some_tools_and_scripts_see_new_ones() -> None:
    shop = Shop()

    @tool
    def late() -> str:
        """Came later."""
        return "late"

    agent = agent_of(tools_of(shop), "return await tools.late()", keep=["note", "wait"])
    agent.tool_registry.process_tools([late])
    await agent.invoke_async("go")
    model = agent.model
    assert isinstance(model, Scripted)
    assert {spec["name"] for spec in model.shown[0]} == {"note", "wait", "run_code"}
    assert answers_of(agent)[-1].text == "late"


async def test_two_agents_may_share_a_plugin() -> None:
    plugin = CodeModePlugin()
    script = "return await tools.whoami()"

    async def said(user: str) -> str:
        agent = Agent(
            model=Scripted(script),
            agent_id=user,
            tools=tools_of(Shop()),
            plugins=[plugin],
            callback_handler=None,
        )
        await agent.invoke_async("go", invocation_state={"user": user})
        return answers_of(agent)[-1].text

    assert await asyncio.gather(said("ada"), said("bob")) == ["ada", "bob"]
