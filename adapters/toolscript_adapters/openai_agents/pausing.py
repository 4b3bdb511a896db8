"""A code tool that can pause the Runner while a script waits for approvals.

The SDK pauses for what an agent needs that is used as a tool. So the script becomes the model of
such an agent: it asks for the waiting calls and gets, as their outputs, what a person decided.
Interruptions, `RunState` and its JSON are the SDK's own, and nothing but its public parts is used.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from agents import (
    Agent,
    FunctionTool,
    Model,
    ModelResponse,
    RunConfig,
    ToolOutputImage,
    ToolOutputText,
    TResponseInputItem,
    Usage,
)
from agents.items import TResponseStreamEvent
from agents.tool_context import ToolContext as AgentsContext
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from pydantic import BaseModel, ConfigDict, Field

from toolscript.contract.entry import Entry
from toolscript.host.approval import Answer, Approve, Reject
from toolscript.result import Pending, RunResult
from toolscript_adapters.kit import CODE_DESCRIPTION, CodeRunner, Session

_APPROVED: Final = "toolscript: a person approved this call"
_MOST_PAUSES: Final = 10_000


class CodeArguments(BaseModel):
    """All that a model may pass."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(description=CODE_DESCRIPTION)


@dataclass(slots=True)
class _Invocation:
    """One invocation of the code tool; `result` is None while its run waits."""

    context: AgentsContext[Any]
    result: RunResult | None = None


_invocation: ContextVar[_Invocation] = ContextVar("toolscript_openai_agents_invocation")


def pausing_tool(runner: CodeRunner) -> FunctionTool:
    """The code tool for an engine whose runs may pause."""
    script = Agent[Any](
        name=runner.name,
        model=_ScriptModel(runner),
        tools=[_asking(entry) for entry in runner.engine.contract.entries],
    )
    tool = script.as_tool(
        tool_name=runner.name,
        tool_description=runner.description,
        parameters=CodeArguments,
        input_builder=lambda options: str(options.get("params", {}).get("code", "")),
        failure_error_function=None,
        max_turns=_MOST_PAUSES,
    )
    run = tool.on_invoke_tool

    async def invoke(context: AgentsContext[Any], arguments: str) -> Any:
        invocation = _Invocation(context)
        token = _invocation.set(invocation)
        try:
            said = await run(_for_the_script(context), arguments)
        finally:
            _invocation.reset(token)
        return said if invocation.result is None else output_of(runner, invocation.result)

    tool.on_invoke_tool = invoke
    return tool


def output_of(runner: CodeRunner, result: RunResult) -> Any:
    """What the SDK is given for the model: text, with images where the script showed some."""
    text = runner.text(result)
    images = runner.images(result)
    if not images:
        return text
    shown = [
        ToolOutputImage(image_url=f"data:{image.mime_type};base64,{image.data}") for image in images
    ]
    return [ToolOutputText(text=text), *shown]


class _ScriptModel(Model):
    """Answers with the calls that wait, and in the end with what the model shall read."""

    def __init__(self, runner: CodeRunner):
        self._runner = runner

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        *others: Any,
        **more: Any,
    ) -> ModelResponse:
        history = _read(input)
        invocation = _invocation.get()
        context = invocation.context
        if not history.asked:
            session = Session(context, context.tool_call_id)
            result = await self._runner.begin(history.code, session)
        else:
            run_id = history.asked[-1].partition("/")[0]
            session = Session(context, context.tool_call_id, run_id)
            result = await self._runner.go_on(session, history.decisions())
        if result.status == "paused":
            turn = f"{result.run_id}/{len(history.asked)}"
            calls = [_call_of(pending, turn) for pending in result.pending]
            return ModelResponse(output=list(calls), usage=Usage(), response_id=None)
        invocation.result = result
        said = _message(self._runner.text(result), result.run_id)
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *others: Any, **more: Any) -> AsyncIterator[TResponseStreamEvent]:
        raise NotImplementedError("a script is run as a whole; an agent that is a tool can be, too")


@dataclass(frozen=True, slots=True)
class _History:
    """What was said so far: the script, ids of the calls asked for, and outputs by these ids."""

    code: str
    asked: tuple[str, ...]
    outputs: Mapping[str, str]

    def decisions(self) -> dict[str, Answer]:
        """The answers to the last calls, by the ids under which the engine waits for them."""
        turn, _, _ = self.asked[-1].rpartition("/")
        return {
            call_id.rpartition("/")[2]: Approve() if said == _APPROVED else Reject(said)
            for call_id, said in self.outputs.items()
            if call_id.rpartition("/")[0] == turn
        }


def _read(given: str | list[TResponseInputItem]) -> _History:
    if isinstance(given, str):
        return _History(given, (), {})
    items = [cast("Mapping[str, Any]", item) for item in given]
    asked = [item["call_id"] for item in items if item.get("type") == "function_call"]
    outputs = {
        item["call_id"]: str(item["output"])
        for item in items
        if item.get("type") == "function_call_output"
    }
    code = next((str(item["content"]) for item in items if item.get("role") == "user"), "")
    return _History(code, tuple(asked), outputs)


def _call_of(pending: Pending, turn: str) -> ResponseFunctionToolCall:
    """A waiting call; its id leads back to the run, in this process or another."""
    return ResponseFunctionToolCall(
        type="function_call",
        call_id=f"{turn}/{pending.id}",
        name=_name(pending.namespace, pending.tool),
        arguments=json.dumps(pending.args, ensure_ascii=False),
    )


def _asking(entry: Entry) -> FunctionTool:
    """A stand-in for a tool, which a person is asked about. The engine calls the tool itself."""

    async def approved(context: AgentsContext[Any], arguments: str) -> str:
        return _APPROVED

    return FunctionTool(
        name=_name(entry.namespace, entry.tool.name),
        description=entry.tool.description,
        params_json_schema=dict(cast("Mapping[str, Any]", entry.tool.input_schema)),
        on_invoke_tool=approved,
        strict_json_schema=False,
        needs_approval=True,
    )


def _name(namespace: str | None, tool: str) -> str:
    return f"{namespace}.{tool}" if namespace else tool


def _message(text: str, run_id: str) -> ResponseOutputMessage:
    return ResponseOutputMessage(
        id=run_id,
        type="message",
        role="assistant",
        status="completed",
        content=[ResponseOutputText(type="output_text", text=text, annotations=[])],
    )


def _for_the_script(context: AgentsContext[Any]) -> AgentsContext[Any]:
    """The same context under a config that leaves the script alone.

    What the application sets for all agents of a run (its model, guardrails, filters) is meant
    for models, and must neither replace the script nor rewrite what it says.
    """
    config = context.run_config or RunConfig()
    return AgentsContext[Any].from_agent_context(
        context,
        context.tool_call_id,
        tool_call=context.tool_call,
        run_config=replace(
            config,
            model=None,
            model_settings=None,
            input_guardrails=None,
            output_guardrails=None,
            session_input_callback=None,
            call_model_input_filter=None,
        ),
    )
