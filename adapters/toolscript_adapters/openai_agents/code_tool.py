"""The code tool, as a function tool and as a custom tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Unpack

from agents import CustomTool, FunctionTool, RunHooks
from agents.tool_context import ToolContext as AgentsContext

from toolscript.contract.tool import Tool
from toolscript.errors import ToolError
from toolscript.script.options import SOURCE_GRAMMAR
from toolscript_adapters.kit import (
    CODE_SCHEMA,
    CodeRunner,
    CodeToolOptions,
    Session,
    check_code_tool,
    code_of,
    convert_tools,
    refuse_approvals,
)
from toolscript_adapters.openai_agents.convert import tool_from_openai_agents
from toolscript_adapters.openai_agents.nested import image_in
from toolscript_adapters.openai_agents.pausing import output_of, pausing_tool

_GRAMMAR: Final[Mapping[str, str]] = {
    "type": "grammar",
    "syntax": "lark",
    "definition": SOURCE_GRAMMAR,
}


def code_tool(
    tools: Any, *, hooks: RunHooks[Any] | None = None, **options: Unpack[CodeToolOptions]
) -> FunctionTool:
    """One function tool that runs scripts, in place of many tools.

    A tool's `needs_approval` pauses the Runner: the waiting call is in `result.interruptions`, and
    `Runner.run(agent, state)` goes on with the script behind it, repeating nothing. For a state
    that is kept as JSON longer than this process lives, give a `journal` that lives as long.

    Args:
        tools: function tools, plain functions, `Tool`s, `Namespace`s; or name → tools.
        hooks: the `RunHooks` of the run, for nested calls; the SDK does not tell a tool of them.
            The hooks of the agent hear of nested calls by themselves.
        options: see `CodeToolOptions` and `CodeMode`. Functions for `authority` and `approver`
            get the SDK's context of the call, in which `context` is the application's own.

    Raises:
        ContractError, ConfigurationError: as `CodeMode` does.
    """
    runner = _runner(code_tool, tools, hooks, options)
    if runner.may_pause:
        return pausing_tool(runner)

    async def invoke(context: AgentsContext[Any], arguments: str) -> Any:
        try:
            code = code_of(json.loads(arguments))
        except (ValueError, ToolError) as error:
            return f"Error: {error}"
        return output_of(runner, await runner.begin(code, Session(context, context.tool_call_id)))

    return FunctionTool(
        name=runner.name,
        description=runner.description,
        params_json_schema=dict(CODE_SCHEMA),
        on_invoke_tool=invoke,
    )


def custom_code_tool(
    tools: Any, *, hooks: RunHooks[Any] | None = None, **options: Unpack[CodeToolOptions]
) -> CustomTool:
    """The same as a custom tool: its input is the bare script, held to the source grammar.

    Models that know custom tools (those of the Responses API) need not write a script as a JSON
    string. Takes what `code_tool` takes.

    Raises:
        ContractError: as `CodeMode` does.
        ConfigurationError: also for tools that need an approval: the SDK pauses only for
            function tools.
    """
    runner = _runner(custom_code_tool, tools, hooks, options)
    refuse_approvals(
        runner, "a custom tool of the OpenAI Agents SDK", "it pauses only for function tools"
    )

    async def invoke(context: AgentsContext[Any], source: str) -> str:
        return runner.text(await runner.begin(source, Session(context, context.tool_call_id)))

    return CustomTool(
        name=runner.name,
        description=runner.description,
        on_invoke_tool=invoke,
        format=dict(_GRAMMAR),
    )


def _runner(
    owner: Callable[..., Any], tools: Any, hooks: RunHooks[Any] | None, options: CodeToolOptions
) -> CodeRunner:
    check_code_tool(owner, options)

    def one(tool: Any) -> Tool:
        return tool_from_openai_agents(tool, hooks=hooks)

    return CodeRunner(convert_tools(tools, one), options, image=image_in)
