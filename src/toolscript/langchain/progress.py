"""What a script reports while it runs, on LangGraph's custom stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolscript.events import Event, OnEvent, Output, Progress

if TYPE_CHECKING:
    from langgraph.prebuilt import ToolRuntime


def writes_progress(runtime: ToolRuntime[Any, Any] | None) -> OnEvent | None:
    """An observer that sends `progress(…)` and printed output to `stream_mode="custom"`.

    Each chunk is `{"type": "progress" | "output", "tool_call_id": …, …}`. What a resumed run
    repeats is not sent again.
    """
    if runtime is None:
        return None
    write = runtime.stream_writer
    call_id = runtime.tool_call_id

    def forward(event: Event) -> None:
        if isinstance(event, Progress) and not event.replayed:
            write(
                {
                    "type": "progress",
                    "tool_call_id": call_id,
                    "message": event.message,
                    "fraction": event.fraction,
                }
            )
        elif isinstance(event, Output) and not event.replayed and event.item.type != "image":
            text = event.item.text if event.item.type == "text" else event.item.value
            write({"type": "output", "tool_call_id": call_id, "text": text})

    return forward
