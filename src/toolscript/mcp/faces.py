"""What printing a whole MCP result shows: its text, and a few words for everything else.

Images and files travel as base64, which a script may need and a model must not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from toolscript.contract.tool import ToolValue


def with_face(value: Any) -> Any:
    """The value; where it is a whole result with content that is no text, one with two faces."""
    content: Any = cast("Mapping[str, Any]", value).get("content") if _is_object(value) else None
    if not isinstance(content, list):
        return value
    blocks = [
        cast("Mapping[str, Any]", block)
        for block in cast("list[Any]", content)
        if _is_object(block)
    ]
    if all(block.get("type") == "text" for block in blocks):
        return value
    return ToolValue(value, "\n".join(_shown(block) for block in blocks))


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _shown(block: Mapping[str, Any]) -> str:
    kind = str(block.get("type", "content"))
    if kind == "text":
        return str(block.get("text", ""))
    inner = block.get("resource")
    part = cast("Mapping[str, Any]", inner) if isinstance(inner, Mapping) else block
    if isinstance(part.get("text"), str):
        return str(part["text"])
    data = part.get("data", part.get("blob"))
    told = [kind]
    told += [str(part[word])[:200] for word in ("uri", "name", "mimeType") if word in part]
    if isinstance(data, str):
        told.append(f"{len(data) * 3 // 4 - data[-2:].count('='):,} bytes")
    return f"[{', '.join(told)}]"
