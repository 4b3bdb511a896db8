"""Message content of LangChain: text, or a list of blocks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, cast

BLOCK_TYPES: Final = frozenset(
    {
        "text",
        "image_url",
        "image",
        "json",
        "search_result",
        "custom_tool_call_output",
        "document",
        "file",
    }
)
"""Kinds of block that LangChain takes as the content of a tool message."""

Content = str | list[str | dict[Any, Any]]


def content_text(content: Content) -> str:
    """The text of a message's content; blocks of other kinds as their JSON."""
    if isinstance(content, str):
        return content
    return "\n".join(_block_text(block) for block in content)


def is_content(value: Any) -> bool:
    """Whether a value is a list of blocks that a tool message can carry as it is."""
    if not isinstance(value, list) or not value:
        return False
    return all(
        isinstance(block, dict) and cast("dict[str, Any]", block).get("type") in BLOCK_TYPES
        for block in cast("Sequence[Any]", value)
    )


def shows(content: Any, original: Any) -> bool:
    """Whether some content is the original one, or that with a note before or after it."""
    if content == original:
        return True
    if not original or type(content) is not type(original):
        return False
    if isinstance(original, str):
        return content.startswith(original) or content.endswith(original)
    size = len(original)
    return content[:size] == original or content[-size:] == original


def _block_text(block: str | dict[Any, Any]) -> str:
    if isinstance(block, str):
        return block
    if block.get("type") == "text":
        return str(block.get("text", ""))
    return json.dumps(block, default=str)
