"""One LlamaIndex tool, as scripts call it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast, get_args

from llama_index.core.agent.workflow import ToolCall, ToolCallResult
from llama_index.core.base.llms.types import ImageBlock
from llama_index.core.tools import BaseTool, FunctionTool, ToolOutput, adapt_to_async_tool
from llama_index.core.workflow import Context

from toolscript.contract.annotations import resolved_hints
from toolscript.contract.tool import JsonSchema, Tool, ToolContext, ToolOptions
from toolscript.errors import ToolError
from toolscript_adapters.kit import current_session, returns_of, steer
from toolscript_adapters.llama_index.inside import Waiting, has_callback

SOURCE: Final = "llama_index"


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """What the workflow gave to the code tool; nested calls get the same `Context`."""

    context: Context


def tool_of(tool: BaseTool, requires_approval: Collection[str]) -> Tool:
    """The tool as scripts see it. It finds the workflow that calls it in the session."""
    name = tool.metadata.get_name()
    output_schema, dump_output = _returns(tool, name)

    async def call(args: Any, context: ToolContext) -> Any:
        session = current_session(ScriptRun)
        return await _call(tool, args, session.context.context, session.id_of(context), context)

    return Tool(
        name=name,
        description=_description(tool, name),
        input_schema=cast(Any, tool.metadata).get_parameters_dict(),
        output_schema=output_schema,
        call=call,
        dump_output=dump_output,
        options=ToolOptions(requires_approval=name in requires_approval),
        source=SOURCE,
    )


async def _call(
    tool: BaseTool, args: dict[str, Any], workflow: Context, id: str, call: ToolContext
) -> Any:
    """Call the tool as an agent's step does, and tell the event stream of it as that does."""
    name = tool.metadata.get_name()
    workflow.write_event_to_stream(ToolCall(tool_name=name, tool_kwargs=args, tool_id=id))
    given = dict(args)
    if isinstance(tool, FunctionTool) and tool.requires_context and tool.ctx_param_name:
        given[tool.ctx_param_name] = workflow
    failure: Exception | None = None
    try:
        output = await adapt_to_async_tool(tool).acall(**given)
    except Waiting as waiting:
        raise steer(waiting, call, again=True) from waiting
    except Exception as error:
        failure = error
        output = ToolOutput(
            tool_name=name, content=str(error), raw_input=args, is_error=True, exception=error
        )
    workflow.write_event_to_stream(
        ToolCallResult(
            tool_name=name,
            tool_kwargs=args,
            tool_id=id,
            tool_output=output,
            return_direct=tool.metadata.return_direct,
        )
    )
    if failure is not None:
        raise failure
    if output.is_error:
        raise ToolError(output.content)
    return _value(tool, output)


def _value(tool: BaseTool, output: ToolOutput) -> Any:
    """What the function returned, or the text of the output where that is what the tool is for.

    Query engines and retrievers answer in text; and a callback may have replaced the value.
    """
    returned: Any = output.raw_output
    if any(isinstance(block, ImageBlock) for block in output.blocks):
        blocks = [block.model_dump(mode="json", exclude_none=True) for block in output.blocks]
        return blocks[0] if len(blocks) == 1 else blocks
    replaced = output.content != str(returned)
    return returned if isinstance(tool, FunctionTool) and not replaced else output.content


def _returns(tool: BaseTool, name: str) -> tuple[JsonSchema | None, Callable[[Any], Any] | None]:
    if isinstance(tool, FunctionTool) and _may_show(tool):
        return None, None
    if not isinstance(tool, FunctionTool) or _is_rendered(tool):
        return {"type": "string"}, None
    if has_callback(tool):
        return None, None
    return returns_of(tool.real_fn, name)


def _may_show(tool: FunctionTool) -> bool:
    """Whether the function says that it returns images, alone or among other blocks."""
    return "ImageBlock" in str(resolved_hints(tool.real_fn).get("return"))


def image_in(block: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """An image as scripts get it of a tool's blocks."""
    if block.get("block_type") != "image":
        return None
    return block.get("image"), block.get("image_mimetype")


def _is_rendered(tool: FunctionTool) -> bool:
    """Whether the function returns nodes, responses or content blocks, which become text."""
    hint: Any = resolved_hints(tool.real_fn).get("return")
    return any(
        getattr(part, "__module__", "").startswith("llama_index.")
        for part in (hint, *get_args(hint))
    )


def _description(tool: BaseTool, name: str) -> str:
    """Without the Python signature that LlamaIndex puts first: scripts have declarations."""
    first, _, rest = tool.metadata.description.partition("\n")
    return rest if first.startswith(f"{name}(") else tool.metadata.description
