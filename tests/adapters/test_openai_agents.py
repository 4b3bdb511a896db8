"""The OpenAI Agents SDK: the Runner's real loop, with the SDK's own scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from agents import (
    Agent,
    AgentHooks,
    FunctionTool,
    RunConfig,
    RunContextWrapper,
    RunHooks,
    Runner,
    RunState,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrailTripwireTriggered,
    WebSearchTool,
    function_tool,
    tool_input_guardrail,
    tool_output_guardrail,
)
from agents.testing import ScriptedModel, assistant_message, function_call
from openai.types.responses import ResponseCustomToolCall

from toolscript import ConfigurationError, ContractError, SQLiteJournal
from toolscript.testing.adapters import (
    USER,
    AdapterConformance,
    Answer,
    Conversation,
    Decide,
    allow,
)
from toolscript.testing.shop import Shop
from toolscript_adapters.openai_agents import code_tool, custom_code_tool

QUIET = RunConfig(tracing_disabled=True)
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


def function_tools(shop: Shop, *, approvals: bool = False) -> list[FunctionTool]:
    @function_tool
    def whoami(context: RunContextWrapper[dict[str, str]]) -> str:
        """Tell who the user is."""
        return context.context["user"]

    return [
        whoami,
        *(
            function_tool(one, needs_approval=approvals and one.__name__ == "refund")
            for one in shop.functions()
        ),
    ]


def calls(*scripts: str, name: str = "run_code") -> ScriptedModel:
    steps = [
        [function_call(name, {"code": script}, call_id=f"call_{place}")]
        for place, script in enumerate(scripts)
    ]
    return ScriptedModel([*steps, [assistant_message("done")]])


class Spy(AgentHooks[Any]):
    """Hooks of the agent; note the tools of nested calls."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        if tool.name != "run_code":
            self.ended.append(tool.name)


def outputs(result: Any) -> list[Any]:
    return [item.output for item in result.new_items if item.type == "tool_call_output_item"]


class TestFunctionTool(AdapterConformance):
    framework = "OpenAI Agents SDK"
    package = "toolscript_adapters.openai_agents"
    lacks = frozenset({"error flag"})

    async def converse(
        self,
        shop: Shop,
        scripts: Sequence[str],
        *,
        approvals: bool = False,
        decide: Decide = allow,
        **options: Any,
    ) -> Conversation:
        tool = code_tool(function_tools(shop, approvals=approvals), **options)
        spy = Spy()
        model = calls(*scripts, name=tool.name)
        agent = Agent(name="shop", model=model, tools=[tool], hooks=spy)
        talk = Conversation()
        result = await Runner.run(agent, "hi", context={"user": USER}, run_config=QUIET)
        while result.interruptions:
            state = result.to_state()
            for item in result.interruptions:
                asked = (item.name or "", json.loads(item.arguments or "null"))
                talk.asked.append(asked)
                (state.approve if decide(*asked) else state.reject)(item)
            result = await Runner.run(agent, state, run_config=QUIET)
        first = model.first_call
        assert first is not None
        talk.shown = [one.name for one in first.tools]
        talk.declared = tool.description
        talk.answers = [Answer(str(text)) for text in outputs(result)]
        talk.final = result.final_output
        talk.hooked = spy.ended
        return talk


class TestCustomTool(TestFunctionTool):
    lacks = frozenset({"error flag", "pause"})

    async def converse(
        self,
        shop: Shop,
        scripts: Sequence[str],
        *,
        approvals: bool = False,
        decide: Decide = allow,
        **options: Any,
    ) -> Conversation:
        tool = custom_code_tool(function_tools(shop, approvals=approvals), **options)
        spy = Spy()
        steps = [
            [
                ResponseCustomToolCall(
                    type="custom_tool_call", call_id=f"call_{place}", name=tool.name, input=script
                )
            ]
            for place, script in enumerate(scripts)
        ]
        model = ScriptedModel([*steps, [assistant_message("done")]])
        agent = Agent(name="shop", model=model, tools=[tool], hooks=spy)
        result = await Runner.run(agent, "hi", context={"user": USER}, run_config=QUIET)
        first = model.first_call
        assert first is not None
        return Conversation(
            shown=[one.name for one in first.tools],
            declared=tool.description,
            answers=[Answer(str(text)) for text in outputs(result)],
            final=result.final_output,
            hooked=spy.ended,
        )


def shown(agent: Agent[Any], text: str = "hi", **more: Any) -> Any:
    return Runner.run_sync(agent, text, context={"user": USER}, run_config=QUIET, **more)


def agent_with(
    tools: Sequence[Any], *scripts: str, spy: AgentHooks[Any] | None = None, **options: Any
) -> Agent[Any]:
    return Agent(name="shop", model=calls(*scripts), tools=[code_tool(tools, **options)], hooks=spy)


def test_a_guardrail_rejects_a_nested_call_and_the_script_reads_why() -> None:
    @tool_input_guardrail
    def only_small(data: Any) -> ToolGuardrailFunctionOutput:
        if json.loads(data.context.tool_arguments)["amount"] > 10:
            return ToolGuardrailFunctionOutput.reject_content("too much")
        return ToolGuardrailFunctionOutput.allow()

    paid: list[int] = []

    @function_tool(tool_input_guardrails=[only_small])
    def pay(amount: int) -> int:
        """Pay."""
        paid.append(amount)
        return amount

    script = """
        const small = await tools.pay({ amount: 5 });
        const large = await tools.pay({ amount: 50 }).catch((e) => `${e.code}: ${e.message}`);
        return [small, large];
    """
    assert outputs(shown(agent_with([pay], script))) == ['[5,"denied: too much"]']
    assert paid == [5]


def test_a_guardrail_keeps_an_output_from_the_script() -> None:
    @tool_output_guardrail
    def no_secrets(data: Any) -> ToolGuardrailFunctionOutput:
        if "secret" in str(data.output):
            return ToolGuardrailFunctionOutput.reject_content("kept back")
        return ToolGuardrailFunctionOutput.allow()

    @function_tool(tool_output_guardrails=[no_secrets])
    def read(name: str) -> str:
        """Read a file."""
        return f"the {name}"

    script = 'return await tools.read({ name: "secret" }).catch((error) => error.message);'
    assert outputs(shown(agent_with([read], script))) == ["kept back"]


def test_a_tripwire_ends_the_agent_and_no_script_can_catch_it() -> None:
    @tool_input_guardrail
    def never(data: Any) -> ToolGuardrailFunctionOutput:
        return ToolGuardrailFunctionOutput.raise_exception()

    done: list[str] = []

    @function_tool(tool_input_guardrails=[never])
    def forbidden() -> str:
        """Not this one."""
        return "done"

    @function_tool
    def note(text: str) -> str:
        """Write a note."""
        done.append(text)
        return text

    script = """
        try { await tools.forbidden({}); } catch { await tools.note({ text: "caught" }); }
        finally { await tools.note({ text: "finally" }); }
    """
    with pytest.raises(ToolInputGuardrailTripwireTriggered):
        shown(agent_with([forbidden, note], script))
    assert not done


def test_hooks_of_the_run_hear_of_nested_calls_when_the_tool_gets_them() -> None:
    class Listener(RunHooks[Any]):
        def __init__(self) -> None:
            self.started: list[tuple[str, str]] = []

        async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
            self.started.append((tool.name, context.tool_call_id))

    listener = Listener()
    script = 'return await tools.note({ text: "x" });'
    agent = agent_with(function_tools(Shop()), script, hooks=listener)
    shown(agent, hooks=listener)
    assert listener.started == [("run_code", "call_0"), ("note", "call_0:1")]


def test_words_of_the_application_for_an_error_are_the_message() -> None:
    def words(context: RunContextWrapper[Any], error: Exception) -> str:
        return f"sorry: {error}"

    @function_tool(failure_error_function=words)
    def fail() -> str:
        """Fail."""
        raise ValueError("broken")

    script = "return await tools.fail({}).catch((error) => error.message);"
    assert outputs(shown(agent_with([fail], script))) == ["sorry: broken"]


def test_a_tool_has_its_own_time_limit() -> None:

    @function_tool(timeout=0.05)
    async def slow() -> str:
        """Take long."""
        await asyncio.sleep(30)
        return "late"

    script = "return await tools.slow({}).catch((error) => error.code);"
    assert outputs(shown(agent_with([slow], script))) == ["timeout"]


def test_arguments_with_a_default_may_be_left_out() -> None:
    @function_tool
    def page(of: str, size: int = 20) -> str:
        """Read a page."""
        return f"{of} {size}"

    script = 'return [await tools.page({ of: "a" }), await tools.page({ of: "b", size: 1 })];'
    assert outputs(shown(agent_with([page], script))) == ['["a 20","b 1"]']


def test_a_tool_is_asked_each_time_whether_it_is_enabled() -> None:
    def for_ada(context: RunContextWrapper[Any], agent: Any) -> bool:
        return context.context["user"] != USER

    @function_tool(is_enabled=for_ada)
    def hidden() -> str:
        """Hidden."""
        return "seen"

    script = "return await tools.hidden({}).catch((error) => error.code);"
    assert outputs(shown(agent_with([hidden], script))) == ["denied"]


def test_a_function_decides_about_approvals_by_arguments_and_context() -> None:
    async def large(context: RunContextWrapper[Any], args: dict[str, Any], call_id: str) -> bool:
        return args["amount"] > 10 and context.context["user"] == USER

    @function_tool(needs_approval=large)
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    script = "return [await tools.pay({ amount: 1 }), await tools.pay({ amount: 99 })];"
    agent = agent_with([pay], script)
    result = shown(agent)
    assert [item.arguments for item in result.interruptions] == ['{"amount": 99}']
    state = result.to_state()
    state.approve(result.interruptions[0])
    assert outputs(Runner.run_sync(agent, state, run_config=QUIET)) == ['["paid 1","paid 99"]']


def test_calls_that_wait_together_are_asked_together() -> None:
    shop = Shop()
    script = """
        const both = [1, 2].map((order_id) => tools.refund({ order_id }).catch((e) => e.code));
        return await Promise.all(both);
    """
    agent = agent_with(function_tools(shop, approvals=True), script)
    result = shown(agent)
    first, second = result.interruptions
    state = result.to_state()
    state.approve(first)
    halfway = Runner.run_sync(agent, state, run_config=QUIET)
    assert [item.arguments for item in halfway.interruptions] == [second.arguments]
    assert not shop.effects
    state = halfway.to_state()
    state.reject(halfway.interruptions[0])
    ended = Runner.run_sync(agent, state, run_config=QUIET)
    assert outputs(ended) == ['["refunded 1","denied"]']
    assert shop.effects == ["refund 1"]


def test_what_is_always_approved_is_asked_once() -> None:
    shop = Shop()
    script = """
        for (const order_id of [1, 2, 3]) await tools.refund({ order_id });
        return "all";
    """
    agent = agent_with(function_tools(shop, approvals=True), script)
    result = shown(agent)
    state = result.to_state()
    state.approve(result.interruptions[0], always_approve=True)
    ended = Runner.run_sync(agent, state, run_config=QUIET)
    assert not ended.interruptions
    assert outputs(ended) == ["all"]
    assert shop.effects == ["refund 1", "refund 2", "refund 3"]


async def test_a_state_kept_as_json_goes_on_in_another_process(tmp_path: Path) -> None:
    """Other objects all over, as after a restart: only the JSON and the journal's file stay."""
    script = """
        await tools.note({ text: "before" });
        return await tools.refund({ order_id: 1 });
    """
    shop = Shop()

    def agent(*scripts: str) -> Agent[Any]:
        journal = SQLiteJournal(tmp_path / "runs.db")
        return agent_with(function_tools(shop, approvals=True), *scripts, journal=journal)

    paused = await Runner.run(agent(script), "hi", context={"user": USER}, run_config=QUIET)
    kept = paused.to_state().to_string()

    later = agent()
    state = await RunState.from_string(later, kept)
    (item,) = state.get_interruptions()
    assert (item.name, item.arguments) == ("refund", '{"order_id": 1}')
    state.approve(item)
    ended = await Runner.run(later, state, run_config=QUIET)
    assert outputs(ended) == ["refunded 1"]
    assert ended.final_output == "done"
    assert shop.effects == ["note before", "refund 1"]


def test_what_is_set_for_all_models_of_a_run_leaves_the_script_alone() -> None:
    shop = Shop()
    tools = function_tools(shop, approvals=True)
    model = calls("return await tools.refund({ order_id: 1 });")
    agent = Agent(name="shop", tools=[code_tool(tools)])
    config = RunConfig(tracing_disabled=True, model=model)
    result = Runner.run_sync(agent, "hi", run_config=config)
    state = result.to_state()
    state.approve(result.interruptions[0])
    ended = Runner.run_sync(agent, state, run_config=config)
    assert outputs(ended) == ["refunded 1"]
    assert ended.final_output == "done"


async def test_a_streamed_run_pauses_too() -> None:
    shop = Shop()
    agent = agent_with(
        function_tools(shop, approvals=True), "return await tools.refund({ order_id: 1 });"
    )
    streamed = Runner.run_streamed(agent, "hi", run_config=QUIET)
    async for _ in streamed.stream_events():
        pass
    state = streamed.to_state()
    state.approve(streamed.interruptions[0])
    again = Runner.run_streamed(agent, state, run_config=QUIET)
    async for _ in again.stream_events():
        pass
    assert outputs(again) == ["refunded 1"]
    assert shop.effects == ["refund 1"]


def test_an_agent_that_is_a_tool_answers_a_script() -> None:
    helper = Agent(name="helper", model=ScriptedModel([[assistant_message("42")]]))
    tool = helper.as_tool("ask_helper", "Ask the helper.")
    script = 'return await tools.ask_helper({ input: "what?" });'
    assert outputs(shown(agent_with([tool], script))) == ["42"]


def test_an_agent_that_waits_for_an_approval_is_refused_by_name() -> None:
    @function_tool(needs_approval=True)
    def delete() -> str:
        """Delete all."""
        return "deleted"

    model = ScriptedModel([[function_call("delete", {}, call_id="inner")]])
    helper = Agent(name="helper", model=model, tools=[delete])
    script = 'return await tools.ask({ input: "x" }).catch((error) => error.message);'
    (text,) = outputs(shown(agent_with([helper.as_tool("ask", "Ask.")], script)))
    assert "ask is an agent that waits for an approval (delete)" in text


def test_images_that_a_script_shows_reach_the_model() -> None:
    script = f'image("{PNG}", "image/png"); return "see";'
    (output,) = outputs(shown(agent_with(function_tools(Shop()), script)))
    text, image = output
    assert text.text.startswith("see")
    assert image.image_url == f"data:image/png;base64,{PNG}"


def test_tools_come_in_namespaces() -> None:
    shop = Shop()
    tools = {"shop": function_tools(shop, approvals=True)}
    agent = agent_with(tools, "return await shop.refund({ order_id: 1 });")
    result = shown(agent)
    assert [item.name for item in result.interruptions] == ["shop.refund"]
    state = result.to_state()
    state.approve(result.interruptions[0])
    assert outputs(Runner.run_sync(agent, state, run_config=QUIET)) == ["refunded 1"]


def test_a_tool_that_openai_runs_is_refused_by_name() -> None:
    with pytest.raises(ContractError, match="WebSearchTool is not run by a function here"):
        code_tool([WebSearchTool()])


def test_a_custom_tool_says_why_it_cannot_pause() -> None:
    with pytest.raises(ConfigurationError, match=r"refund.*custom tool.*pass approve="):
        custom_code_tool(function_tools(Shop(), approvals=True))


def test_a_custom_tool_carries_the_source_grammar() -> None:
    tool = custom_code_tool(function_tools(Shop()))
    config: Any = tool.tool_config
    assert config["format"]["syntax"] == "lark"
    assert "start:" in config["format"]["definition"]


def test_a_model_that_sends_no_script_is_told() -> None:
    agent = agent_with(function_tools(Shop()))
    agent.model = ScriptedModel(
        [[function_call("run_code", {"text": "x"}, call_id="c")], [assistant_message("done")]]
    )
    (text,) = outputs(shown(agent))
    assert "pass the script as one string" in text
