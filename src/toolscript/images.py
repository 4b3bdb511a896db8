"""Images that scripts return as their tools gave them: models get them as images, not as base64.

Tools of each framework give images in its own form. Scripts receive them as data and may pass on
the ones that matter, alone, in a list, or in the whole result of an MCP tool.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from toolscript.result import OutputItem, RunResult

Read = Callable[[Mapping[str, Any]], tuple[Any, Any] | None]
"""Base64 and MIME type of an image in a framework's form, or None for any other object."""


def mcp_image(block: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """An image among the content of an MCP result."""
    if block.get("type") != "image":
        return None
    return block.get("data"), block.get("mimeType")


def images_of(result: RunResult, read: Read) -> tuple[OutputItem, ...]:
    """The images that a script showed, and after them those that it returned."""
    shown = [item for item in result.output if item.type == "image"]
    if result.ok:
        _told(result.value, read, shown)
    return tuple(shown)


def without_images(result: RunResult, read: Read) -> RunResult:
    """The result with a few words in the place of each image that the script returned."""
    found: list[OutputItem] = []
    if not result.ok or result.value_text is not None:
        return result
    value = _told(result.value, read, found)
    return replace(result, value=value) if found else result


def _told(value: Any, read: Read, found: list[OutputItem]) -> Any:
    """The value with words for its images, which are added to `found`."""
    if isinstance(value, list):
        return [_told(item, read, found) for item in cast("list[Any]", value)]
    if not isinstance(value, Mapping):
        return value
    fields = cast("Mapping[str, Any]", value)
    image = _image(read(fields))
    if image is not None:
        found.append(image)
        size = len(image.data) * 3 // 4 - image.data[-2:].count("=")
        return f"[image, {image.mime_type}, {size:,} bytes]"
    if isinstance(fields.get("content"), list):
        return {**fields, "content": _told(fields["content"], read, found)}
    return fields


def _image(said: tuple[Any, Any] | None) -> OutputItem | None:
    """The image, unless the script made up something that is none."""
    if said is None:
        return None
    data, mime_type = said
    if not isinstance(data, str) or not isinstance(mime_type, str):
        return None
    # Pydantic writes bytes in the alphabet for URLs, models' providers want the other one.
    data = data.replace("-", "+").replace("_", "/")
    try:
        base64.b64decode(data, validate=True)
    except binascii.Error:
        return None
    if not data or not mime_type.startswith("image/"):
        return None
    return OutputItem("image", data=data, mime_type=mime_type)
