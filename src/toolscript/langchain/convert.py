"""LangChain tools → the one tool shape that scripts know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from langchain_core.tools import BaseTool, BaseToolkit

from toolscript.contract.tool import GivenOptions, JsonSchema, Tool, ToolOptions, options_given
from toolscript.errors import ContractError
from toolscript.langchain.arguments import argument_parser
from toolscript.langchain.mcp_adapter import is_mcp
from toolscript.langchain.nested import NestedTool
from toolscript.langchain.signature import function_of, is_generator

SERVER: Final = "an MCP server"


def tool_from_langchain(
    tool: BaseTool,
    *,
    output_schema: JsonSchema | None = None,
    options: GivenOptions | None = None,
) -> Tool:
    """The tool as scripts call it: through its own `invoke`, so that nothing of it is lost.

    Args:
        tool: any `BaseTool`.
        output_schema: what the script receives, where the return annotation does not say it
            (LangChain's MCP adapter drops the server's `outputSchema`).
        options: how the host treats the tool; None takes them from the tool's metadata.

    Raises:
        ContractError: for a tool that cannot be called from a script; the message says why.
    """
    own = options_given(options, "tool_from_langchain(options=)")
    function = function_of(tool)
    if is_generator(function):
        raise ContractError(
            f"tool {tool.name!r} is a generator, and a script receives one value; "
            "let it return a list"
        )
    nested = NestedTool(tool, output_schema)
    return Tool(
        name=tool.name,
        description=tool.description,
        input_schema=nested.input_schema,
        output_schema=nested.output_schema,
        call=nested,
        options=_options_of(tool) if own is None else own,
        parse_input=argument_parser(tool, nested.input_schema),
        # The application's own tools are from nowhere else; a server's are a stranger's.
        source=SERVER if is_mcp(tool) else None,
    )


def flatten_tools(tools: Iterable[Any]) -> list[Any]:
    """The tools with toolkits opened.

    Raises:
        ContractError: for what no script can call, such as a provider's own tool.
    """
    found: list[Any] = []
    for tool in tools:
        if isinstance(tool, BaseToolkit):
            found += tool.get_tools()
        elif isinstance(tool, Mapping):
            raise ContractError(_why_not(cast("Mapping[str, Any]", tool)))
        else:
            found.append(tool)
    return found


def _why_not(definition: Mapping[str, Any]) -> str:
    function = cast("Mapping[str, Any]", definition.get("function") or definition)
    name = function.get("name") or definition.get("type") or "without a name"
    return (
        f"{name!r} is a definition without a function: the model's provider runs it, or nobody "
        "does, and a script cannot call it; leave it in the agent's own tools, or pass a tool "
        "that has a function"
    )


def _options_of(tool: BaseTool) -> ToolOptions:
    """What the tool says of itself; a provider's input examples among it.

    The adapter for MCP keeps a server's hints as metadata. They are a stranger's claims: one that
    warns is shown, those that promise something decide nothing.
    """
    metadata = tool.metadata or {}
    extras = tool.extras or {}
    examples = cast("Iterable[Mapping[str, Any]]", extras.get("input_examples") or ())
    return ToolOptions(
        destructive=metadata.get("destructiveHint") is True,
        examples=tuple(examples),
        tags=frozenset(tool.tags or ()),
    )
