"""The one place that touches what is private in ADK.

A tool's declaration is a hook for those who write tools, and nobody else can read it; nor can one
read whether a tool may ask for a confirmation, without a call at hand. And only the first confirmation of a call is asked by ADK itself: where a script that goes on asks once more,
the request has to be put among the run's events here.
"""

from __future__ import annotations

from typing import Any, cast

from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event
from google.adk.tools import BaseTool
from google.genai.types import FunctionDeclaration


def declaration_of(tool: BaseTool) -> FunctionDeclaration | None:
    """What the model would read of a tool; None for those that run inside of a model."""
    return cast("Any", tool)._get_declaration()


def asks_of(tool: BaseTool) -> bool | None:
    """Whether calls of a tool need a confirmation; None where that is for each call to say."""
    always: Any = getattr(tool, "_require_confirmation", None)
    if isinstance(always, bool):
        return always
    asks = type(tool).check_require_confirmation is not BaseTool.check_require_confirmation
    return None if asks else False


async def emit(invocation: InvocationContext, event: Event) -> None:
    """Put an event among those of the agent's run, and wait until the session has it."""
    await cast("Any", invocation)._enqueue_event(event)
