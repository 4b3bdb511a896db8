"""PydanticAI: the agent's own loop, driven by `FunctionModel`."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic_ai import Agent, RunContext, Tool, UsageLimits
from pydantic_ai.capabilities import AbstractCapability, HandleDeferredToolCalls
from pydantic_ai.exceptions import (
    ApprovalRequired,
    ModelRetry,
    UsageLimitExceeded,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import (
    DeferredToolRequests,
    DeferredToolResults,
    ToolApproved,
    ToolDefinition,
    ToolDenied,
)
from pydantic_ai.toolsets import FunctionToolset

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
from toolscript_adapters.pydantic_ai import (
    CodeModeCapability,
    CodeModeToolset,
    nested_calls,
    nested_results,
)


@dataclass
class Scripted:
    """Plays the model: one script after the other, then "done"."""

    scripts: Sequence[str]
    requests: list[AgentInfo]

    def reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.requests.append(info)
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn >= len(self.scripts):
            return ModelResponse([TextPart("done")])
        name = info.function_tools[0].name
        return ModelResponse([ToolCallPart(name, {"code": self.scripts[turn]})])


def scripted(*scripts: str) -> FunctionModel:
    return FunctionModel(Scripted(scripts, []).reply)


class Watching(AbstractCapability[Any]):
    """Notes the tools whose execution passes the hooks of capabilities."""

    def __init__(self, code_tool: str) -> None:
        self.code_tool = code_tool
        self.seen: list[str] = []

    async def before_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
    ) -> dict[str, Any]:
        if call.tool_name != self.code_tool:
            self.seen.append(call.tool_name)
        return args


def answers_of(messages: Sequence[ModelMessage]) -> list[Answer]:
    return [
        Answer(str(part.content), part.outcome == "failed")
        for message in messages
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]


def tools_of(shop: Shop, *, approvals: bool = False) -> list[Tool[str]]:
    def whoami(ctx: RunContext[str]) -> str:
        """Who asks."""
        return ctx.deps

    return [
        *(
            Tool(function, requires_approval=approvals and function.__name__ == "refund")
            for function in shop.functions()
        ),
        Tool(whoami),
    ]


class TestConformance(AdapterConformance):
    framework = "PydanticAI"
    package = "toolscript_adapters.pydantic_ai"

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
        model = Scripted(scripts, [])
        watching = Watching(options.get("name", "run_code"))
        agent = Agent(
            FunctionModel(model.reply),
            deps_type=str,
            tools=tools_of(shop, approvals=approvals),
            output_type=[str, DeferredToolRequests],
            capabilities=[CodeModeCapability(**options), watching],
        )
        result = await agent.run("go", deps=USER)
        while isinstance(result.output, DeferredToolRequests):
            waiting = nested_calls(result.output)
            talk.asked += [(call.tool_name, call.args) for call in waiting]
            decisions = {call.id: decide(call.tool_name, call.args) for call in waiting}
            result = await agent.run(
                deps=USER,
                message_history=result.all_messages(),
                deferred_tool_results=nested_results(result.output, decisions),
            )
        first = model.requests[0].function_tools
        talk.shown = [tool.name for tool in first]
        talk.declared = first[0].description or ""
        talk.answers = answers_of(result.all_messages())
        talk.final = result.output
        talk.hooked = watching.seen
        return talk


def agent_of(
    tools: Sequence[Tool[Any]], *scripts: str, capabilities: Sequence[Any] = (), **options: Any
) -> Agent[None, str | DeferredToolRequests]:
    return Agent(
        scripted(*scripts),
        tools=tools,
        output_type=[str, DeferredToolRequests],
        capabilities=[CodeModeCapability(**options), *capabilities],
    )


async def go_on(
    agent: Agent[None, str | DeferredToolRequests], result: Any, answers: DeferredToolResults
) -> Any:
    return await agent.run(message_history=result.all_messages(), deferred_tool_results=answers)


class Sales:
    """A tool that asks by itself, for large amounts only."""

    def __init__(self) -> None:
        self.sold: list[int] = []
        self.asked = 0

    def sell(self, ctx: RunContext[Any], amount: int) -> str:
        """Sell something."""
        if amount > 100 and not ctx.tool_call_approved:
            self.asked += 1
            raise ApprovalRequired(metadata={"reason": "a large amount"})
        self.sold.append(amount)
        return f"sold {amount}"


async def test_a_tool_that_asks_by_itself_pauses_the_script() -> None:
    sales = Sales()
    script = """
        await tools.sell({ amount: 1 });
        const said = await Promise.all([
            tools.sell({ amount: 200 }), tools.sell({ amount: 300 }),
        ]);
        return [...said, await tools.sell({ amount: 2 })];
    """
    agent = agent_of([Tool(sales.sell)], script)
    result = await agent.run("go")
    rounds = 0
    while isinstance(result.output, DeferredToolRequests):
        waiting = nested_calls(result.output)
        assert {call.reason for call in waiting} == {"a large amount"}
        answers = nested_results(result.output, {call.id: True for call in waiting})
        result = await go_on(agent, result, answers)
        rounds += 1
    assert rounds <= 2
    assert sorted(sales.sold) == [1, 2, 200, 300], "nothing was sold twice"
    assert answers_of(result.all_messages())[-1].text == '["sold 200","sold 300","sold 2"]'


@pytest.mark.parametrize(
    ("decision", "said", "sold"),
    [
        (ToolApproved(override_args={"amount": 150}), "sold 150", [150]),
        (ToolDenied("too much"), "too much", []),
        (False, "the call was denied", []),
    ],
)
async def test_a_person_edits_or_denies_a_call(decision: Any, said: str, sold: list[int]) -> None:
    sales = Sales()
    script = "return await tools.sell({ amount: 900 }).catch((error) => error.message)"
    agent = agent_of([Tool(sales.sell)], script)
    result = await agent.run("go")
    assert isinstance(result.output, DeferredToolRequests)
    (waiting,) = nested_calls(result.output)
    result = await go_on(agent, result, nested_results(result.output, {waiting.id: decision}))
    assert answers_of(result.all_messages())[-1].text == said
    assert sales.sold == sold


def refunding(shop: Shop) -> list[Tool[Any]]:
    return [tool for tool in tools_of(shop, approvals=True) if tool.name != "whoami"]


REFUND = 'await tools.note({ text: "once" }); return await tools.refund({ order_id: 1 });'


async def test_the_application_finds_receipts_and_metadata_in_the_message() -> None:
    def chart(of: str) -> ToolReturn:
        """Draw."""
        return ToolReturn("drawn", metadata={"of": of})

    script = "return [await tools.chart({ of: 'a' }), await tools.refund({ order_id: 1 })]"
    agent = agent_of([Tool(chart), *refunding(Shop())], script)
    result = await agent.run("go")
    assert isinstance(result.output, DeferredToolRequests)
    (waiting,) = nested_calls(result.output)
    answers = nested_results(result.output, {waiting.id: True}, who="carol")
    result = await go_on(agent, result, answers)
    (part,) = [
        part
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]
    drawn, refunded = part.metadata["calls"]
    assert (drawn["tool"], drawn["args"], drawn["result"]) == ("chart", {"of": "a"}, "drawn")
    assert [one["who"] for one in refunded["decisions"]] == ["carol"]


async def test_metadata_of_a_nested_tool_is_kept_with_its_receipt() -> None:
    def chart() -> ToolReturn:
        """Draw."""
        return ToolReturn("drawn", metadata={"points": 3})

    result = await agent_of([Tool(chart)], "return await tools.chart({})").run("go")
    (part,) = [
        part
        for message in result.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]
    assert part.metadata["calls"][0]["metadata"] == {"points": 3}
    assert part.content == "drawn"


async def test_approving_the_request_approves_its_calls() -> None:
    shop = Shop()
    agent = agent_of(refunding(shop), REFUND)
    result = await agent.run("go")
    assert isinstance(result.output, DeferredToolRequests)
    request = result.output.approvals[0]
    answers = DeferredToolResults(approvals={request.tool_call_id: True})
    result = await go_on(agent, result, answers)
    assert answers_of(result.all_messages())[-1].text == "refunded 1"
    assert shop.effects == ["note once", "refund 1"]


async def test_denying_the_request_ends_the_script() -> None:
    shop = Shop()
    agent = agent_of(refunding(shop), REFUND)
    result = await agent.run("go")
    assert isinstance(result.output, DeferredToolRequests)
    answers = DeferredToolResults(
        approvals={result.output.approvals[0].tool_call_id: ToolDenied("not today")}
    )
    result = await go_on(agent, result, answers)
    assert answers_of(result.all_messages())[-1].text == "not today"
    assert shop.effects == ["note once"]


async def test_a_handler_of_the_agent_decides_without_a_pause() -> None:
    shop = Shop()

    async def handle(ctx: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(
            approvals={
                call.tool_call_id: call.args_as_dict()["order_id"] == 1
                for call in requests.approvals
            }
        )

    script = """
        const first = await tools.refund({ order_id: 1 });
        return [first, await tools.refund({ order_id: 2 }).catch((error) => error.code)];
    """
    agent = agent_of(refunding(shop), script, capabilities=[HandleDeferredToolCalls(handle)])
    result = await agent.run("go")
    assert result.output == "done"
    assert answers_of(result.all_messages())[-1].text == '["refunded 1","denied"]'
    assert shop.effects == ["refund 1"]


async def test_another_process_goes_on_from_a_journal(tmp_path: Any) -> None:
    shop = Shop()
    first = agent_of(refunding(shop), REFUND, journal=SQLiteJournal(tmp_path / "runs.db"))
    result = await first.run("go")
    assert isinstance(result.output, DeferredToolRequests)
    (waiting,) = nested_calls(result.output)
    second = agent_of(refunding(shop), REFUND, journal=SQLiteJournal(tmp_path / "runs.db"))
    result = await go_on(second, result, nested_results(result.output, {waiting.id: True}))
    assert answers_of(result.all_messages())[-1].text == "refunded 1"
    assert shop.effects == ["note once", "refund 1"]


async def test_another_process_goes_on_with_a_tool_that_asked_by_itself(tmp_path: Any) -> None:
    sales = Sales()
    script = """
        const first = await tools.sell({ amount: 1 });
        return [first, ...await Promise.all([
            tools.sell({ amount: 200 }), tools.sell({ amount: 300 }),
        ])];
    """

    def agent() -> Agent[None, str | DeferredToolRequests]:
        return agent_of([Tool(sales.sell)], script, journal=SQLiteJournal(tmp_path / "runs.db"))

    result = await agent().run("go")
    while isinstance(result.output, DeferredToolRequests):
        waiting = nested_calls(result.output)
        answers = nested_results(result.output, {call.id: True for call in waiting})
        result = await go_on(agent(), result, answers)
    assert answers_of(result.all_messages())[-1].text == '["sold 1","sold 200","sold 300"]'
    assert sorted(sales.sold) == [1, 200, 300]


async def test_what_waits_is_not_approved_by_running_the_history_again() -> None:
    shop = Shop()
    agent = agent_of(refunding(shop), REFUND)
    result = await agent.run("go")
    again = await agent.run(message_history=result.all_messages())
    assert isinstance(again.output, DeferredToolRequests)
    assert [call.tool_name for call in nested_calls(again.output)] == ["refund"]
    assert shop.effects == ["note once"]


async def test_a_script_that_nobody_keeps_any_more_is_not_run_again() -> None:
    shop = Shop()
    result = await agent_of(refunding(shop), REFUND).run("go")
    assert isinstance(result.output, DeferredToolRequests)
    (waiting,) = nested_calls(result.output)
    answers = nested_results(result.output, {waiting.id: True})
    result = await go_on(agent_of(refunding(shop), REFUND), result, answers)
    assert answers_of(result.all_messages())[-1].failed
    assert shop.effects == ["note once"]


async def test_a_person_approves_a_whole_script_first() -> None:
    shop = Shop()
    code = CodeModeToolset(FunctionToolset(refunding(shop)))
    agent = Agent(
        scripted(REFUND),
        toolsets=[code.approval_required()],
        output_type=[str, DeferredToolRequests],
    )
    result = await agent.run("go")
    assert isinstance(result.output, DeferredToolRequests)
    assert not nested_calls(result.output)
    assert not shop.effects
    yes = DeferredToolResults(approvals={result.output.approvals[0].tool_call_id: True})
    result = await agent.run(message_history=result.all_messages(), deferred_tool_results=yes)
    assert isinstance(result.output, DeferredToolRequests)
    (waiting,) = nested_calls(result.output)
    assert shop.effects == ["note once"]
    answers = nested_results(result.output, {waiting.id: True})
    result = await agent.run(message_history=result.all_messages(), deferred_tool_results=answers)
    assert shop.effects == ["note once", "refund 1"]


async def test_nested_calls_count_and_have_the_limit_of_the_agent() -> None:
    shop = Shop()
    script = 'for (const text of ["a", "b", "c"]) await tools.note({ text }).catch(() => 0);'
    agent = agent_of(refunding(shop), script)
    result = await agent.run("go")
    assert result.usage.tool_calls == 4
    with pytest.raises(UsageLimitExceeded):
        await agent.run("go", usage_limits=UsageLimits(tool_calls_limit=3))
    assert shop.effects == ["note a", "note b", "note c", "note a", "note b"]


async def test_a_retry_that_a_tool_asks_for_is_an_error_of_the_script() -> None:
    def pick(number: int) -> str:
        if number > 3:
            raise ModelRetry("pick a smaller one")
        return f"picked {number}"

    script = """
        return tools.pick({ number: 9 }).catch((error) => [error.message, error.tool]);
    """
    result = await agent_of([Tool(pick)], script).run("go")
    assert answers_of(result.all_messages())[-1].text == '["pick a smaller one","pick"]'


async def test_the_model_keeps_tools_that_are_not_for_scripts() -> None:
    shop = Shop()
    model = Scripted([], [])
    agent = Agent(
        FunctionModel(model.reply),
        toolsets=[FunctionToolset(shop.functions())],
        capabilities=[CodeModeCapability(tools=["get_order", "get_email"])],
    )
    await agent.run("go")
    offered = {tool.name: tool for tool in model.requests[0].function_tools}
    assert set(offered) == {"run_code", "list_orders", "note", "refund", "meet", "wait"}
    assert "get_email(" in (offered["run_code"].description or "")
    assert "refund(" not in (offered["run_code"].description or "")


async def test_a_toolset_of_its_own_next_to_other_tools() -> None:
    shop = Shop()
    model = Scripted(['return await tools.get_email({ customer: "x" })'], [])
    code = CodeModeToolset(FunctionToolset(shop.functions()))

    def other() -> str:
        return "other"

    agent = Agent(FunctionModel(model.reply), toolsets=[code], tools=[other])
    result = await agent.run("go")
    assert {tool.name for tool in model.requests[0].function_tools} == {"run_code", "other"}
    assert result.output == "done" or "other" in result.output


async def test_images_of_a_script_reach_the_model() -> None:
    picture = "iVBORw0KGgo" + "A" * 21
    script = f'image("{picture}", "image/png"); return "see"'
    result = await agent_of([Tool(Sales().sell)], script).run("go")
    shown = [
        item
        for message in result.all_messages()
        for part in message.parts
        if part.part_kind == "user-prompt" and not isinstance(part.content, str)
        for item in part.content
    ]
    assert [getattr(item, "data", None) for item in shown] == [b64decode(picture)]
