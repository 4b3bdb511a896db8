"""Runs and calls as OpenTelemetry spans, after the semantic conventions for generative AI.

Needs `toolscript[otel]`. A run is one span, each of its calls a child; what a tool does inside
its call stands below the call. Arguments and results are not recorded: they may hold anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

try:
    from opentelemetry import context as otel_context
    from opentelemetry import trace
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        'spans need OpenTelemetry: pip install "toolscript[otel]" (in a clone: pip install '
        '".[otel]"), and an SDK of it that sends them somewhere',
        name=missing.name,
    ) from missing

from toolscript.events import (
    CallCompleted,
    CallDenied,
    CallFailed,
    CallStarted,
    Event,
    RunEnded,
    RunStarted,
)
from toolscript.given import tells_names
from toolscript.result import Call, RunResult

if TYPE_CHECKING:
    from opentelemetry.context.context import Context
    from opentelemetry.trace import Span, Tracer

_OPERATION: Final = "gen_ai.operation.name"
_TOOL: Final = "gen_ai.tool.name"
_TOOL_TYPE: Final = "gen_ai.tool.type"
_CALL_ID: Final = "gen_ai.tool.call.id"


@tells_names
class Spans:
    """An observer that makes spans: pass it as `on_event`, to an engine or to one run.

    One is enough for any number of engines and runs, also at once. `tracer` defaults to that of the global provider.
    """

    def __init__(self, tracer: Tracer | None = None):
        self._tracer = tracer or trace.get_tracer("toolscript")
        self._runs: dict[str, Span] = {}
        self._calls: dict[tuple[str, int], tuple[Span, Context]] = {}

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._runs[event.run_id] = self._tracer.start_span(
                    "execute_tool run_code",
                    attributes={
                        _OPERATION: "execute_tool",
                        _TOOL: "run_code",
                        _TOOL_TYPE: "extension",
                        "toolscript.run.id": event.run_id,
                        "toolscript.run.resumed": event.resumed,
                    },
                )
            case CallStarted():
                self._start_call(event.run_id, event.call)
            case CallCompleted() | CallFailed() | CallDenied():
                self._end_call(event.run_id, event.call)
            case RunEnded():
                self._end_run(event.run_id, event.result)
            case _:
                pass

    def _start_call(self, run_id: str, call: Call) -> None:
        run = self._runs.get(run_id)
        parent = trace.set_span_in_context(run) if run else None
        span = self._tracer.start_span(
            f"execute_tool {call.tool}", context=parent, attributes=_attributes(run_id, call)
        )
        # The event comes from the task that calls the tool: what the tool does stands below.
        before = otel_context.get_current()
        otel_context.attach(trace.set_span_in_context(span))
        self._calls[run_id, call.seq] = (span, before)

    def _end_call(self, run_id: str, call: Call) -> None:
        started = self._calls.pop((run_id, call.seq), None)
        if started is None:
            # Denied or refused before it began, or replayed: a span of no length.
            run = self._runs.get(run_id)
            span = self._tracer.start_span(
                f"execute_tool {call.tool}",
                context=trace.set_span_in_context(run) if run else None,
                attributes=_attributes(run_id, call),
            )
        else:
            span, before = started
            if trace.get_current_span() is span:
                # Put back, and not detached: the call may end in a copy of the context in which
                # it began, where a token does not count.
                otel_context.attach(before)
        span.set_attribute("toolscript.call.status", call.status)
        span.set_attribute("toolscript.call.attempts", call.attempts)
        span.set_attribute("toolscript.call.replayed", call.replayed)
        if call.decisions:
            said = [f"{made.by} {made.kind} {made.id or made.who}" for made in call.decisions]
            span.set_attribute("toolscript.call.decisions", [text.strip() for text in said])
        if call.error is not None:
            span.set_attribute("error.type", call.error.type or call.error.code)
            span.set_status(trace.StatusCode.ERROR, call.error.code)
        span.end()

    def _end_run(self, run_id: str, result: RunResult) -> None:
        span = self._runs.pop(run_id, None)
        if span is None:
            return
        for key in [key for key in self._calls if key[0] == run_id]:
            self._calls.pop(key)[0].end()
        span.set_attribute("toolscript.run.status", result.status)
        if result.principal:
            span.set_attribute("toolscript.run.principal", result.principal)
        span.set_attribute("toolscript.run.calls", len(result.calls))
        span.set_attribute("toolscript.run.queue_s", result.usage.queue_s)
        if result.usage.cpu_s is not None:
            span.set_attribute("toolscript.run.cpu_s", result.usage.cpu_s)
        if result.error is not None:
            span.set_attribute("error.type", str(result.error.kind))
            span.set_status(trace.StatusCode.ERROR, str(result.error.kind))
        span.end()


def _attributes(run_id: str, call: Call) -> dict[str, str | int]:
    attributes: dict[str, str | int] = {
        _OPERATION: "execute_tool",
        _TOOL: call.tool,
        _TOOL_TYPE: "function",
        _CALL_ID: f"{run_id}:{call.seq}",
    }
    if call.namespace is not None:
        attributes["toolscript.namespace"] = call.namespace
    if call.line is not None:
        attributes["code.line.number"] = call.line
    return attributes
