"""Anthropic SDK: one runnable tool for the tool runner, in place of many.

    runner = client.beta.messages.tool_runner(
        model=..., max_tokens=..., messages=[...], tools=[code_tool([search_orders, refund])]
    )

`code_tool` is for `AsyncAnthropic`, `sync_code_tool` for `Anthropic`. Both take sync and async
tools.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Unpack, cast

from pydantic import ValidationError

from toolscript.bridge import run_blocking
from toolscript.contract.convert import tool_from
from toolscript.contract.tool import JsonSchema, Tool, ToolContext
from toolscript.errors import ContractError, ToolError
from toolscript.extras import needs
from toolscript.mcp.unwrap import unwrap
from toolscript.result import RunResult
from toolscript_adapters.kit import (
    CODE_SCHEMA,
    CodeRunner,
    CodeToolOptions,
    Session,
    check_code_tool,
    code_of,
    convert_tools,
    refuse_approvals,
    returns_of,
)

with needs("anthropic"):
    from anthropic.lib.tools import (
        BetaAsyncFunctionTool,
        BetaFunctionTool,
        beta_async_tool,
        beta_tool,
    )
    from anthropic.lib.tools import ToolError as AnthropicToolError

SOURCE: Final = "anthropic"


def code_tool(
    tools: Any, **options: Unpack[CodeToolOptions]
) -> BetaAsyncFunctionTool[Callable[..., Any]]:
    """The runnable tool for the tool runner of `AsyncAnthropic`.

    Args:
        tools: runnable tools of both kinds, plain functions, `Tool`s, `Namespace`s; or name →
            tools.
        options: see `CodeToolOptions` and `CodeMode`.

    Raises:
        ContractError: also for tools that run at Anthropic, which belong beside the code tool.
        ConfigurationError: also for tools that need an approval, without an `approve` function.
    """
    runner = _runner(code_tool, tools, options)

    async def run_code(**arguments: Any) -> Any:
        return _content(runner, await _run(runner, arguments))

    return beta_async_tool(
        run_code,
        name=runner.name,
        description=runner.description,
        input_schema=dict(CODE_SCHEMA),
    )


def sync_code_tool(
    tools: Any, **options: Unpack[CodeToolOptions]
) -> BetaFunctionTool[Callable[..., Any]]:
    """The runnable tool for the tool runner of `Anthropic`. Takes what `code_tool` takes."""
    runner = _runner(sync_code_tool, tools, options)

    def run_code(**arguments: Any) -> Any:
        return _content(runner, run_blocking(lambda: _run(runner, arguments)))

    return beta_tool(
        run_code,
        name=runner.name,
        description=runner.description,
        input_schema=dict(CODE_SCHEMA),
    )


def tool_from_anthropic(tool: Any) -> Tool:
    """A tool whose calls are those of a runnable tool.

    A runnable tool answers with text or content blocks; text that is a JSON object or array is
    read. A function that returns anything else keeps its types, decorated or not.

    Raises:
        ContractError: for a tool that has no schema here, such as the memory tool.
    """
    if isinstance(tool, BetaAsyncFunctionTool | BetaFunctionTool):
        return _from_runnable(cast("BetaFunctionTool[Callable[..., Any]]", tool))
    if type(tool).__module__.partition(".")[0] == "anthropic" or hasattr(tool, "to_dict"):
        raise ContractError(
            f"{type(tool).__name__} has no schema that a script could follow; give it to the "
            "tool runner beside the code tool"
        )
    return tool_from(tool)


def _runner(owner: Callable[..., Any], tools: Any, options: CodeToolOptions) -> CodeRunner:
    check_code_tool(owner, options)
    runner = CodeRunner(convert_tools(tools, tool_from_anthropic), options)
    refuse_approvals(
        runner, "the Anthropic SDK", "its tool runner waits for each tool and cannot stop in it"
    )
    return runner


async def _run(runner: CodeRunner, arguments: Mapping[str, Any]) -> RunResult:
    try:
        code = code_of(arguments)
    except ToolError as error:
        raise AnthropicToolError(str(error)) from error
    return await runner.begin(code, Session(None, f"call_{uuid.uuid4().hex}"))


def _content(runner: CodeRunner, result: RunResult) -> str | Iterable[Any]:
    text = runner.text(result)
    shown = [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": image.mime_type, "data": image.data},
        }
        for image in runner.images(result)
    ]
    content = [{"type": "text", "text": text}, *shown] if shown else text
    if not result.ok:
        raise AnthropicToolError(cast("Any", content))
    return content


def _from_runnable(tool: BetaFunctionTool[Callable[..., Any]]) -> Tool:
    output_schema, dump = returns_of(tool.func, tool.name)
    typed = _is_value(output_schema)

    def receive(returned: Any, context: ToolContext) -> Any:
        return returned if typed else _value_of(returned, context)

    if isinstance(cast("Any", tool), BetaAsyncFunctionTool):
        wait = cast("BetaAsyncFunctionTool[Callable[..., Any]]", tool)

        async def call_async(args: Any, context: ToolContext) -> Any:
            try:
                return receive(await wait.call(args), context)
            except (AnthropicToolError, ValueError) as error:
                raise _told(error) from error

        call: Callable[[Any, ToolContext], Any] = call_async
    else:

        def call_sync(args: Any, context: ToolContext) -> Any:
            try:
                return receive(tool.call(args), context)
            except (AnthropicToolError, ValueError) as error:
                raise _told(error) from error

        call = call_sync
    return Tool(
        name=tool.name,
        description=tool.description,
        input_schema=cast("JsonSchema", tool.input_schema),
        output_schema=output_schema if typed else None,
        call=call,
        dump_output=dump if typed else None,
        source=SOURCE,
    )


def _is_value(output_schema: JsonSchema | None) -> bool:
    """Whether a function returns values of its own, and no text or blocks for the API."""
    if not isinstance(output_schema, Mapping):
        return False
    blocks = any(name.endswith("BlockParam") for name in output_schema.get("$defs", ()))
    return output_schema.get("type") != "string" and not blocks


def _value_of(returned: Any, context: ToolContext) -> Any:
    """The value in text or content blocks; images are shown, and no value."""
    if isinstance(returned, str):
        return unwrap({"content": [{"type": "text", "text": returned}]})
    if isinstance(returned, Mapping) or not isinstance(returned, Iterable):
        return cast("Any", returned)
    blocks = [block for block in cast("Iterable[Any]", returned) if not _show(block, context)]
    if not blocks:
        return None
    return unwrap({"content": blocks}) if all(map(_is_text, blocks)) else blocks


def _is_text(block: Any) -> bool:
    return isinstance(block, Mapping) and cast("Any", block).get("type") == "text"


def _show(block: Any, context: ToolContext) -> bool:
    """Show an image that the block holds; False if it holds none."""
    match block:
        case {"type": "image", "source": {"type": "base64", "data": data, "media_type": kind}}:
            context.image(base64.b64decode(cast("str", data)), cast("str", kind))
            return True
        case _:
            return False


def _told(error: Exception) -> Exception:
    """What went wrong, as a script reads it: the SDK keeps details of wrong arguments to itself."""
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        problems = (
            f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
            for problem in cause.errors(include_url=False, include_input=False)
        )
        return ToolError("; ".join(problems), code="invalid_args")
    return ToolError(str(error)) if isinstance(error, AnthropicToolError) else error
