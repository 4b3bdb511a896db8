"""The one place where private things of Strands are touched.

Its public way to call a tool, `agent.tool.<name>()`, can neither be awaited nor pause, and a result
is text by the time that anybody sees it. So a nested call enters the executor of the agent's own
calls, and for the time of such a call a decorated function notes what it returned.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, cast

from strands import Agent
from strands.interrupt import Interrupt
from strands.middleware.stages import ExecuteToolContext
from strands.telemetry.tracer import get_tracer
from strands.tools.decorator import DecoratedFunctionTool
from strands.tools.executors import ConcurrentToolExecutor
from strands.types._events import ToolCancelEvent, ToolInterruptEvent, ToolStreamEvent
from strands.types.events import TypedEvent
from strands.types.tools import AgentTool, ToolResult, ToolUse


@dataclass(slots=True)
class Execution:
    """What came of one call: a result, or the interrupts for which it waits.

    `returned` are values that decorated functions returned, each with the content made of it.
    """

    result: ToolResult | None = None
    interrupts: list[Interrupt] = field(default_factory=list[Interrupt])
    cancelled: bool = False
    returned: list[tuple[Any, Any]] = field(default_factory=list[tuple[Any, Any]])


_noted: ContextVar[Execution | None] = ContextVar("toolscript_strands_execution", default=None)


async def execute(
    agent: Agent,
    tool_use: ToolUse,
    invocation_state: dict[str, Any],
    stream: Callable[[Any], None],
) -> Execution:
    """Make a call as the agent would: with its hooks, its middleware and its traces.

    `stream` is told of what the tool yields before its result.
    """
    execution = Execution()
    results: list[ToolResult] = []
    token = _noted.set(execution)
    try:
        async for event in _Executor.made(agent, tool_use, results, invocation_state):
            if isinstance(event, ToolInterruptEvent):
                execution.interrupts += event.interrupts
            elif isinstance(event, ToolCancelEvent):
                execution.cancelled = True
            elif isinstance(event, ToolStreamEvent):
                stream(event)
    finally:
        _noted.reset(token)
    if results:
        execution.result = results[-1]
    return execution


def note_what_is_returned(context: ExecuteToolContext) -> ExecuteToolContext:
    """Middleware: has a decorated function that a script calls note its value."""
    execution = _noted.get()
    tool: AgentTool | None = context.tool
    if execution is None or type(tool) is not DecoratedFunctionTool:
        return context
    return context.replace(tool=_Noting(cast("DecoratedFunctionTool[..., Any]", tool), execution))


class _Executor(ConcurrentToolExecutor):
    @classmethod
    def made(
        cls,
        agent: Agent,
        tool_use: ToolUse,
        results: list[ToolResult],
        invocation_state: dict[str, Any],
    ) -> AsyncGenerator[TypedEvent, None]:
        return cls._stream(agent, tool_use, results, invocation_state, tracer=get_tracer())


class _Noting(DecoratedFunctionTool[..., Any]):
    def __init__(self, tool: DecoratedFunctionTool[..., Any], execution: Execution):
        super().__init__(tool.tool_name, tool.tool_spec, tool._tool_func, tool._metadata)
        self._execution = execution

    def _wrap_tool_result(
        self, tool_use_d: str, result: Any, exception: Exception | None = None
    ) -> Any:
        event = super()._wrap_tool_result(tool_use_d, result, exception)
        if exception is None:
            self._execution.returned.append((list(event.tool_result["content"]), result))
        return event
