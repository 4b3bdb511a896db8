"""The OpenAI Agents SDK: the Runner's real loop, with the SDK's own scripted model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agents import (
    Agent,
    AgentHooks,
    FunctionTool,
    RunConfig,
    RunContextWrapper,
    Runner,
    function_tool,
)
from agents.testing import ScriptedModel, assistant_message, function_call
from openai.types.responses import ResponseCustomToolCall
from toolscript_adapters.openai_agents import code_tool, custom_code_tool

from toolscript.testing.adapters import (
    USER,
    AdapterConformance,
    Answer,
    Conversation,
    Decide,
    allow,
)
from toolscript.testing.shop import Shop

QUIET = RunConfig(tracing_disabled=True)


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
