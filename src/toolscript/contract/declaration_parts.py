"""Pieces of a declaration file: objects of tools, global functions, and the types they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolscript.contract.comments import TOOL_DESCRIPTION_CHARS, clean_lines, doc_comment
from toolscript.contract.mcp_types import MCP_TYPESCRIPT_PREAMBLE
from toolscript.contract.names import is_identifier
from toolscript.contract.signature import Manner, output_type, signature, spread_arguments
from toolscript.contract.tool import GlobalFunction, Tool
from toolscript.contract.type_names import TypeNames
from toolscript.errors import ContractError

Member = tuple[list[str], str]
"""The lines of a comment, and the member of an object type behind it."""


def declared_object(name: str, members: list[Member], comment: str = "") -> str:
    """`declare const <name>: { … };` with its members, each behind its comment."""
    lines = doc_comment(clean_lines(comment, TOOL_DESCRIPTION_CHARS))
    return "\n".join([*lines, f"declare const {name}: {object_type(members)};"])


def object_type(members: list[Member]) -> str:
    """An object type with a member a line."""
    if not members:
        return "{}"
    lines = ["{"]
    for comment, member in members:
        lines.extend(f"  {line}" for line in comment)
        lines.append(f"  {member};".replace("\n", "\n  "))
    return "\n".join([*lines, "}"])


def with_types(names: TypeNames, blocks: list[str], before: Sequence[str] = ()) -> str:
    """The blocks behind the types that they need, and those behind what stands `before`."""
    body = [*names.declarations, *blocks]
    if any("CallToolResult" in block for block in body):
        body.insert(0, MCP_TYPESCRIPT_PREAMBLE)
    return "\n\n".join(block for block in (*before, *body) if block)


def declared_globals(
    functions: Iterable[GlobalFunction], manner: Manner, names: TypeNames
) -> list[str]:
    plain: dict[str, str] = {}
    grouped: dict[str, list[Member]] = {}
    for function in sorted(functions, key=lambda function: function.name):
        group, _, member = function.name.rpartition(".")
        if not is_identifier(member) or (group and not is_identifier(group)):
            raise ContractError(
                f"{function.name!r} cannot be a global: it must be an identifier or "
                "`namespace.member`; rename it"
            )
        comment = doc_comment(clean_lines(function.description, TOOL_DESCRIPTION_CHARS))
        text = _function(function, member, manner, names)
        if group:
            grouped.setdefault(group, []).append((comment, text))
        else:
            plain[member] = "\n".join([*comment, f"declare function {text};"])
    spaces = [declared_object(name, members) for name, members in grouped.items()]
    return [*plain.values(), *spaces]


def _function(function: GlobalFunction, member: str, manner: Manner, names: TypeNames) -> str:
    if function.signature is not None:
        return f"{member}{function.signature}"
    if function.spread:
        result = output_type(function.output_schema, manner.style, names, "Result")
        return (
            f"{member}({spread_arguments(function.input_schema, manner.style)}): Promise<{result}>"
        )
    schema = True if function.input_schema is None else function.input_schema
    tool = Tool(member, function.description, schema, function.output_schema, function.call)
    return signature(tool, member, manner, names)
