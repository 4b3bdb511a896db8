"""Spans of runs and calls, seen through OpenTelemetry's own in-memory exporter."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode, Tracer

from tests.agent import CallsOnce
from toolscript import (
    Authority,
    CodeMode,
    CodeModeMiddleware,
    CodeModeTool,
    Decision,
    Policy,
    Tool,
    ToolOptions,
)
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


async def test_one_observer_serves_an_engine_and_all_its_runs(
    exporter: InMemorySpanExporter, tracer: Tracer
) -> None:
    def one() -> int:
        """One."""
        return 1

    codemode = CodeMode([one], on_event=Spans(tracer))
    results = await asyncio.gather(*(codemode.run("return await tools.one()") for _ in range(3)))
    assert [result.value for result in results] == [1, 1, 1]
    names = [span.name for span in exporter.get_finished_spans()]
    assert sorted(names) == ["execute_tool one"] * 3 + ["execute_tool run_code"] * 3


def test_the_spans_of_a_script_stand_below_the_agent_that_ran_it(
    exporter: InMemorySpanExporter, tracer: Tracer
) -> None:
    def one() -> int:
        """One."""
        return 1

    code_tool = CodeModeTool([one], on_event=Spans(tracer))
    agent: Any = create_agent(CallsOnce(code="return await tools.one()"), tools=[code_tool])
    with tracer.start_as_current_span("agent"):
        agent.invoke({"messages": [("user", "go")]})
    spans = by_name(exporter)
    run, call = spans["execute_tool run_code"], spans["execute_tool one"]
    assert run.parent is not None
    assert run.parent.span_id == spans["agent"].context.span_id
    assert call.parent is not None
    assert call.parent.span_id == run.context.span_id


async def test_a_middleware_takes_an_observer_too(
    exporter: InMemorySpanExporter, tracer: Tracer
) -> None:
    @tool
    def one() -> int:
        """One."""
        return 1

    agent: Any = create_agent(
        CallsOnce(code="return await tools.one()"),
        tools=[one],
        middleware=[CodeModeMiddleware(on_event=Spans(tracer))],
    )
    await agent.ainvoke({"messages": [("user", "go")]})
    assert {"execute_tool run_code", "execute_tool one"} <= by_name(exporter).keys()


async def test_who_decided_is_on_the_spans(exporter: InMemorySpanExporter, tracer: Tracer) -> None:
    def one() -> int:
        """One."""
        return 1

    policy = Policy(lambda request: Decision("allow", id="D77"))
    codemode = CodeMode([one], policy=policy, on_event=Spans(tracer))
    await codemode.run("return await tools.one()", authority=Authority(principal="ada"))
    spans = by_name(exporter)
    call, run = spans["execute_tool one"].attributes, spans["execute_tool run_code"].attributes
    assert call is not None
    assert run is not None
    assert call["toolscript.call.decisions"] == ("policy allow D77",)
    assert run["toolscript.run.principal"] == "ada"


def test_without_the_extra_the_error_names_it() -> None:
    program = (
        "import sys\n"
        "sys.modules['opentelemetry'] = None\n"
        "try:\n"
        "    import toolscript.trace\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert 'pip install "toolscript[otel]"' in done.stdout


@pytest.mark.parametrize("asked", [True, False])
async def test_a_call_that_ends_in_another_context_than_it_began_is_no_error(
    tracer: Tracer, caplog: pytest.LogCaptureFixture, asked: bool
) -> None:
    async def add(n: int) -> int:
        """Add one."""
        return n + 1

    policy = Policy(lambda request: Decision("allow"), version="1") if asked else None
    async with CodeMode([add], on_event=Spans(tracer), policy=policy) as codemode:
        result = await codemode.run("await tools.add({ n: 1 }); return await tools.add({ n: 2 })")
    assert result.value == 3
    assert [record.message for record in caplog.records if "opentelemetry" in record.name] == []
