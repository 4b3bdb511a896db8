"""Renderers for whoever shows tools to a model by other means than `CodeMode` (seed 004)."""

from __future__ import annotations

from collections.abc import Iterable

from toolscript.contract.comments import TOOL_DESCRIPTION_CHARS, clean_lines
from toolscript.contract.declaration_parts import declared_globals, declared_object, with_types
from toolscript.contract.declare import declare_contract as declare_contract
from toolscript.contract.fingerprint import contract_fingerprint as contract_fingerprint
from toolscript.contract.mcp_types import MCP_TYPESCRIPT_PREAMBLE as MCP_TYPESCRIPT_PREAMBLE
from toolscript.contract.mcp_types import (
    mcp_structured_content_schema as mcp_structured_content_schema,
)
from toolscript.contract.names import ToolGroup, name_tools, tool_identifier
from toolscript.contract.plain import plain_schema, plain_tool
from toolscript.contract.printer import Style
from toolscript.contract.signature import (
    DEFAULT_INPUT_SCHEMA_MAX_CHARS as DEFAULT_INPUT_SCHEMA_MAX_CHARS,
)
from toolscript.contract.signature import Manner, output_type, signature, tool_comment
from toolscript.contract.signature import string_argument_of as string_argument_of
from toolscript.contract.tool import GlobalFunction, JsonSchema, Tool
from toolscript.contract.type_names import TypeNames


def render_declarations(
    tools: Iterable[Tool] = (),
    *,
    globals: Iterable[GlobalFunction] = (),
    input_max_chars: int | None = DEFAULT_INPUT_SCHEMA_MAX_CHARS,
) -> str:
    """TypeScript declarations of tools and global functions, complete and strict.

    Tools become members of `declare const tools`; globals become functions, and those named
    `ns.member` members of `declare const ns`. Where two tools have one identifier the first one
    has it. The same tools in any order give the same text, but for that.

    Raises:
        ContractError: for two tools of one name, or a global whose name cannot be one.
    """
    manner = Manner(style=_style(comments=True), max_chars=input_max_chars)
    names = TypeNames()
    plain = [plain_tool(tool) for tool in tools]
    entries = name_tools([ToolGroup(None, plain)], clash="first").entries
    members = [
        (
            tool_comment(entry.tool, entry.expression, manner),
            signature(entry.tool, entry.identifier, manner, names),
        )
        for entry in sorted(entries, key=lambda entry: entry.identifier)
    ]
    blocks = [declared_object("tools", members), *declared_globals(globals, manner, names)]
    return with_types(names, blocks)


def render_tool_signature(
    tool: Tool,
    *,
    comments: bool = False,
    input_max_chars: int | None = DEFAULT_INPUT_SCHEMA_MAX_CHARS,
) -> str:
    """One tool as a member of `tools`: `name(args: T): Promise<R>;`.

    A tool that takes a bare string shows `args: string | T`; an argument that may be left out
    shows `args?`; an input type longer than `input_max_chars` is `unknown`. Results of MCP tools
    need `MCP_TYPESCRIPT_PREAMBLE`.
    """
    manner = Manner(style=_style(comments=comments), max_chars=input_max_chars)
    return f"{signature(plain_tool(tool), tool_identifier(tool.name), manner)};"


def render_tool_sample(
    tool: Tool, *, input_max_chars: int | None = DEFAULT_INPUT_SCHEMA_MAX_CHARS
) -> str:
    """A tool for a listing: its description, then its declaration."""
    lines = clean_lines(tool.description, TOOL_DESCRIPTION_CHARS)
    declaration = render_tool_signature(tool, comments=True, input_max_chars=input_max_chars)
    member = declaration.replace("\n", "\n  ")
    return "\n".join([*lines, "declare const tools: {", f"  {member}", "};"])


def render_tool_output_type(schema: JsonSchema | None, *, comments: bool = False) -> str:
    """What a call of a tool resolves to: `CallToolResult<T>`, the schema's type, or `unknown`.

    `CallToolResult` needs `MCP_TYPESCRIPT_PREAMBLE`.
    """
    return output_type(plain_schema(schema), _style(comments=comments), None, "")


def _style(*, comments: bool) -> Style:
    return Style(comments="doc" if comments else "none", sort=True, short_arrays=False)
