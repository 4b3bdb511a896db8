"""Tools that `langchain-mcp-adapters` made of an MCP server's: the result before it was taken apart.

The adapter gives a message's blocks as content, keeps structured content as artifact and drops
the output schema. A script gets the value that it would get of the server itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from langchain_core.tools import BaseTool

from toolscript.contract.tool import JsonSchema
from toolscript.langchain.signature import function_of
from toolscript.mcp.unwrap import unwrap, unwrapped_schema

_MODULE: Final = "langchain_mcp_adapters.tools"


def is_mcp(tool: BaseTool) -> bool:
    """Whether the adapter made this tool."""
    return getattr(function_of(tool), "__module__", "") == _MODULE


def mcp_output_schema(schema: JsonSchema | None) -> JsonSchema | None:
    """Schema of what a script gets, of the schema that the server declared."""
    return unwrapped_schema(schema)


def mcp_value(content: Any, artifact: Any, declared: JsonSchema | None) -> Any:
    """What a script gets of the adapter's content and artifact.

    `declared` is the server's output schema, where the application read it from the session.
    """
    result: dict[str, Any] = {"content": content}
    if isinstance(artifact, Mapping):
        structured: Any = cast("Mapping[str, Any]", artifact).get("structured_content")
        if structured is not None:
            result["structuredContent"] = structured
            if declared is None and _is_boxed(structured, content):
                return structured["result"]
    value = unwrap(result, declared)
    return content if value is result else value


def _is_boxed(structured: Any, content: Any) -> bool:
    """Whether `{"result": …}` is FastMCP's box around what is no object.

    The mark of it is in the schema, which the adapter dropped. The text tells: it shows what is
    in a box, and the whole of an object that happens to have this one property.
    """
    if not isinstance(structured, Mapping) or set(cast("Mapping[str, Any]", structured)) != {
        "result"
    }:
        return False
    text: Any = unwrap({"content": content})
    try:
        shown = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return True
    return shown != structured
