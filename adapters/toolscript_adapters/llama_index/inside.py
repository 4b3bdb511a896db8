"""The one place where private things of LlamaIndex are touched.

A workflow pauses by an exception, and runs the step again from its start. To go on with the same
script one has to tell both from other exceptions and from other calls.
"""

from __future__ import annotations

from typing import Any, Final

from llama_index.core.agent.workflow import ToolCall
from llama_index.core.tools import FunctionTool
from workflows.runtime.types.results import StepWorkerStateContextVar, WaitingForEvent

Waiting: Final[type[Exception]] = WaitingForEvent
"""What a workflow raises to pause; it must reach the workflow."""


def id_of_call() -> str:
    """The id that the model gave to the call that the current step answers; empty elsewhere."""
    step = StepWorkerStateContextVar.get(None)
    event: Any = None if step is None else step.event
    return event.tool_id if isinstance(event, ToolCall) else ""


def has_callback(tool: FunctionTool) -> bool:
    """Whether a callback of the tool may replace what its function returned."""
    inner = vars(tool)
    return inner["_callback"] is not None or inner["_async_callback"] is not None
