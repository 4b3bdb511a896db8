"""Spans of runs and calls, seen through OpenTelemetry's own in-memory exporter."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode, Tracer

from toolscript import CodeMode, Tool, ToolOptions
from toolscript.trace import Spans


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracer(exporter: InMemorySpanExporter) -> Tracer:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider.get_tracer("test")


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


async def test_a_call_stands_below_its_run_and_its_own_work_below_the_call(
    exporter: InMemorySpanExporter, tracer: Tracer
) -> None:
    async def look_up(key: str) -> str:
        """Look a key up."""
        with tracer.start_as_current_span("query"):
            return key.upper()

    def sync_look_up(key: str) -> str:
        """Look a key up in a thread."""
        with tracer.start_as_current_span("sync query"):
            return key.upper()

    with tracer.start_as_current_span("agent"):
        result = await CodeMode([look_up, sync_look_up]).run(
            "return (await tools.look_up({ key: 'a' })) + await tools.sync_look_up({ key: 'b' })",
            on_event=Spans(tracer),
        )
    assert result.value == "AB"
    spans = by_name(exporter)
    run = spans["execute_tool run_code"]
    assert run.parent is not None
    assert run.parent.span_id == spans["agent"].context.span_id
    for call, inner in (("look_up", "query"), ("sync_look_up", "sync query")):
        span = spans[f"execute_tool {call}"]
        assert span.parent is not None
        assert span.parent.span_id == run.context.span_id
        below = spans[inner].parent
        assert below is not None
        assert below.span_id == span.context.span_id
        assert span.attributes is not None
        assert span.attributes["gen_ai.tool.name"] == call
        assert span.attributes["gen_ai.operation.name"] == "execute_tool"
        assert span.attributes["toolscript.call.status"] == "ok"


async def test_failures_and_denials_are_errors_and_hold_no_values(
    exporter: InMemorySpanExporter, tracer: Tracer
) -> None:
    def broken(secret: str) -> str:
        """Fail."""
        raise KeyError(f"no {secret}")

    tools = [
        broken,
        Tool("locked", "", True, None, print, options=ToolOptions(capabilities=frozenset({"x"}))),
    ]
    result = await CodeMode(tools).run(
        "try { await tools.broken({ secret: 'hunter2' }) } catch {}\nawait tools.locked({})",
        on_event=Spans(tracer),
    )
    assert not result.ok
    spans = by_name(exporter)
    assert spans["execute_tool run_code"].status.status_code is StatusCode.ERROR
    failed, denied = spans["execute_tool broken"], spans["execute_tool locked"]
    assert failed.attributes is not None
    assert failed.attributes["error.type"] == "KeyError"
    assert denied.attributes is not None
    assert denied.attributes["toolscript.call.status"] == "denied"
    assert "hunter2" not in "".join(span.to_json() for span in exporter.get_finished_spans())
