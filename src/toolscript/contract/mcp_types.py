"""Results of MCP tools as types: `CallToolResult<T>`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from toolscript.contract.interpret import read_schema
from toolscript.contract.reading import Reading
from toolscript.contract.shape import (
    BOOLEAN,
    ArrayOf,
    ObjectOf,
    Shape,
    Union,
)
from toolscript.contract.tool import JsonSchema

MCP_TYPESCRIPT_PREAMBLE: Final = """\
type ContentBlock =
  | { type: "text"; text: string; _meta?: { [key: string]: unknown } }
  | { type: "image" | "audio"; data: string; mimeType: string; _meta?: { [key: string]: unknown } }
  | { type: "resource_link"; uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number }
  | { type: "resource"; resource: { uri: string; mimeType?: string; text?: string; blob?: string } };
type CallToolResult<T = unknown> = {
  content: ContentBlock[];
  structuredContent?: T;
  isError?: boolean;
  _meta?: { [key: string]: unknown };
};"""
"""Types of the Model Context Protocol (revision 2025-06-18) that `CallToolResult<T>` refers to."""


def mcp_structured_content_schema(schema: JsonSchema | None) -> JsonSchema | None:
    """The `structuredContent` schema inside the output schema of an MCP tool (seed 004).

    An output schema is that of a `CallToolResult` if it has a `content` array of objects, a
    boolean `isError` and an object `_meta`. True where it declares no structured content; None
    where it is another schema. Definitions of the whole schema come along.
    """
    if not isinstance(schema, Mapping) or not _is_call_tool_result(schema):
        return None
    properties = cast("Mapping[str, Any]", schema.get("properties", {}))
    structured = properties.get("structuredContent", True)
    if not isinstance(structured, Mapping):
        return structured if isinstance(structured, bool) else True
    kept = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    return {**kept, **cast("Mapping[str, Any]", structured)}


def _is_call_tool_result(schema: Mapping[str, Any]) -> bool:
    declared = schema.get("properties")
    if not isinstance(declared, Mapping) or not {"content", "isError", "_meta"} <= declared.keys():
        return False
    reading = read_schema(schema)
    shape = reading.behind(reading.root)
    if not isinstance(shape, ObjectOf):
        return False
    content, is_error, meta = (
        reading.behind(shape.properties[name].shape) for name in ("content", "isError", "_meta")
    )
    return (
        isinstance(content, ArrayOf)
        and _is_object(content.item, reading)
        and is_error == BOOLEAN
        and isinstance(meta, ObjectOf)
    )


def _is_object(shape: Shape, reading: Reading) -> bool:
    seen = reading.behind(shape)
    members = seen.members if isinstance(seen, Union) else (seen,)
    return all(isinstance(reading.behind(member), ObjectOf) for member in members)
