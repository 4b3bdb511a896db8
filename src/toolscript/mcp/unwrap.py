"""What a script sees of an MCP result.

The one place where results of MCP tools become values; connectors and adapters all call it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from toolscript.contract.tool import JsonSchema
from toolscript.errors import ToolError

WRAPPED: Final = "x-fastmcp-wrap-result"
"""How FastMCP marks an output schema whose `result` property is the tool's real result."""

_FIELDS: Final = {
    "content": ("content",),
    "structuredContent": ("structured_content", "structuredContent"),
    "isError": ("is_error", "isError"),
    "toolResult": ("toolResult",),
    "_meta": ("meta", "_meta"),
}
"""The protocol's names, and how objects spell them; SDKs that know both warn of the second."""


def unwrap(result: Any, output_schema: JsonSchema | None = None) -> Any:
    """The value of a `CallToolResult`, given as an SDK's object or as a dict.

    Structured content wins. Text is joined with newlines and read as JSON if it is an object or
    an array, or anything else where the tool declares an output schema that is none of text. Content of other or
    mixed kinds stays whole: the script gets the result itself, as a dict. What is no result of a
    tool call passes unchanged.

    Raises:
        ToolError: for a result that says it is an error; `details` are its structured content.
    """
    fields = plain_result(result)
    if fields is None:
        return result
    raise_if_error(fields)
    structured = fields.get("structuredContent")
    if structured is not None:
        if is_wrapped(output_schema) and isinstance(structured, Mapping):
            whole = cast("Mapping[str, Any]", structured)
            return whole["result"] if set(whole) == {"result"} else whole
        return structured
    if "toolResult" in fields:
        return fields["toolResult"]
    text = _text_of(fields)
    return fields if text is None else _value_of(text, output_schema)


def is_wrapped(output_schema: JsonSchema | None) -> bool:
    """Whether a schema describes the box that FastMCP puts around what is no object."""
    return isinstance(output_schema, Mapping) and output_schema.get(WRAPPED) is True


def unwrapped_schema(output_schema: JsonSchema | None) -> JsonSchema | None:
    """The schema of what `unwrap` returns, for a tool that declares `output_schema`."""
    if not is_wrapped(output_schema):
        return output_schema
    whole = cast("Mapping[str, Any]", output_schema)
    properties = cast("Mapping[str, Any]", whole.get("properties", {}))
    inner = properties.get("result", True)
    if not isinstance(inner, Mapping):
        return True
    shared = {word: whole[word] for word in ("$defs", "definitions", "$schema") if word in whole}
    return {**shared, **cast("Mapping[str, Any]", inner)}


def plain_result(result: Any) -> dict[str, Any] | None:
    """A result of a tool call as a dict with the protocol's own names, or None for other values."""
    if isinstance(result, Mapping):
        found = {str(name): value for name, value in cast("Mapping[Any, Any]", result).items()}
        known = isinstance(found.get("content"), list) or "toolResult" in found
        return found if known or found.get("structuredContent") is not None else None
    if not any(hasattr(result, name) for name in _FIELDS["structuredContent"]):
        return None
    read: dict[str, Any] = {}
    for name, spellings in _FIELDS.items():
        value = next((getattr(result, one) for one in spellings if hasattr(result, one)), None)
        if value is not None:
            read[name] = _plain(value)
    return read


def raise_if_error(fields: Mapping[str, Any]) -> None:
    """Raises:
    ToolError: if the result says that the call failed.
    """
    if fields.get("isError") is not True:
        return
    details = fields.get("structuredContent")
    message = _text_of(fields) or ""
    if not message and details is not None:
        message = json.dumps(details, ensure_ascii=False, default=str)
    raise ToolError(message or "the tool failed and said nothing more", details=details)


def _text_of(fields: Mapping[str, Any]) -> str | None:
    """All text of the content, or None where there is none or something else beside it."""
    content = fields.get("content")
    if not isinstance(content, list) or not content:
        return None
    texts: list[str] = []
    for block in cast("list[Any]", content):
        if not isinstance(block, Mapping):
            return None
        part = cast("Mapping[str, Any]", block)
        text = part.get("text")
        if part.get("type") != "text" or not isinstance(text, str):
            return None
        texts.append(text)
    return "\n".join(texts)


def _value_of(text: str, output_schema: JsonSchema | None) -> Any:
    written = text.removeprefix("\ufeff")
    if output_schema is None and written.lstrip()[:1] not in ("{", "["):
        return text
    try:
        value = json.loads(written, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text
    wanted = output_schema.get("type") if isinstance(output_schema, Mapping) else None
    return text if wanted == "string" and not isinstance(value, str) else value


def _no_number(word: str) -> Any:
    """Python's decoder takes NaN and infinities, which are no JSON."""
    raise ValueError(word)


def _plain(value: Any) -> Any:
    """JSON values of the models and lists that an SDK's result is made of."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[Any]", value)]
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json", by_alias=True, exclude_none=True)
    return value
