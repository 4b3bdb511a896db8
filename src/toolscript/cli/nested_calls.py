"""LangChain's own callbacks for nested tools, as the events that `LiveRun` prints."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from toolscript.events import CallCompleted, CallFailed, CallStarted, Event
from toolscript.result import Call, CallError


class NestedCalls(BaseCallbackHandler):
    """Hears of every tool that runs inside of the code tool: traces see nested calls too."""

    def __init__(self, outer: str, on_event: Callable[[Event], None]):
        self._outer = outer
        self._on_event = on_event
        self._calls: dict[UUID, Call] = {}

    def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        inputs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        name = serialized.get("name", "")
        if name == self._outer:
            return
        call = Call(
            len(self._calls) + 1, name, "pending", args=inputs or {}, started_at=time.time()
        )
        self._calls[run_id] = call
        self._on_event(CallStarted("", call))

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        if run_id in self._calls:
            self._on_event(CallCompleted("", replace(self._ended(run_id), status="ok")))

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        if run_id in self._calls:
            failure = CallError("failed", str(error))
            call = replace(self._ended(run_id), status="error", error=failure)
            self._on_event(CallFailed("", call))

    def _ended(self, run_id: UUID) -> Call:
        call = self._calls[run_id]
        began = call.started_at or time.time()
        return replace(call, duration_ms=(time.time() - began) * 1000)
