"""From the result of a run to what the agent gets: content for the model, artifact for the host."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from langchain_core.messages import ToolMessage

from toolscript.images import images_of, mcp_image, without_images
from toolscript.langchain.content import Content, is_content
from toolscript.langchain.session import Kept
from toolscript.result import RunResult


def message_of(
    result: RunResult,
    kept: Sequence[Kept],
    *,
    name: str,
    call_id: str,
    max_tokens: int | None,
    with_artifact: bool,
) -> ToolMessage:
    """The message for the model; a failed run is an error that says how to mend the script."""
    status: Literal["success", "error"] = "success" if result.ok else "error"
    return ToolMessage(
        content_of(result, max_tokens),
        artifact=artifact_of(result, kept) if with_artifact else None,
        name=name,
        tool_call_id=call_id,
        status=status,
    )


def content_of(result: RunResult, max_tokens: int | None) -> Content:
    """Text; with images, or where the script returned content blocks, a list of blocks."""
    images = [
        {"type": "image", "base64": item.data, "mime_type": item.mime_type}
        for item in images_of(result, mcp_image)
    ]
    result = without_images(result, mcp_image)
    printed = tuple(item for item in result.output if item.type != "image")
    if result.ok and is_content(result.value):
        texts = [replace(result, output=printed, has_value=False, value=None)] if printed else []
        blocks = [_text_block(part.text(max_tokens)) for part in texts]
        return [*blocks, *result.value, *images]
    if not images:
        return result.text(max_tokens)
    if result.ok and not result.has_value and not printed:
        return list(images)
    return [_text_block(replace(result, output=printed).text(max_tokens)), *images]


def artifact_of(result: RunResult, kept: Sequence[Kept]) -> dict[str, Any]:
    """The run as plain data: receipts, output, usage, and what nested tools kept as artifacts.

    A nested tool's artifact is in the receipt of its call, as `calls[…]["artifact"]`. It is the
    tool's own object and only as serialisable as that.
    """
    run: dict[str, Any] = json.loads(result.to_json())
    artifacts = {one.place: one.artifact for one in kept if one.artifact is not None}
    for call in run["calls"]:
        if (call["seq"],) in artifacts:
            call["artifact"] = artifacts[(call["seq"],)]
    return run


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
