"""The Temporal recipe, run by Temporal's own worker against histories, without a server."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("temporalio", reason="the recipe needs temporalio")

from temporalio.client import WorkflowHistory
from temporalio.converter import DataConverter
from temporalio.worker import (
    ExecuteWorkflowInput,
    Interceptor,
    Replayer,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cookbook"))

import temporal

returned: list[Any] = []


class Noting(WorkflowInboundInterceptor):
    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
        result = await super().execute_workflow(input)
        returned.append(result)
        return result


class Notes(Interceptor):
    def workflow_interceptor_class(self, input: WorkflowInterceptorClassInput) -> Any:
        return Noting


class History:
    """A history as the server would have written it, one event after the other."""

    def __init__(self, source: str) -> None:
        self.events: list[dict[str, Any]] = []
        self._calls = self._timers = self._task = 0
        self._add(
            "WORKFLOW_EXECUTION_STARTED",
            "workflowExecutionStarted",
            workflowType={"name": "ScriptWorkflow"},
            taskQueue={"name": "scripts"},
            input=_payloads(source),
            workflowTaskTimeout="10s",
            originalExecutionRunId="run-1",
            firstExecutionRunId="run-1",
            attempt=1,
        )
        self.work()

    def _add(self, kind: str, name: str, **attributes: Any) -> int:
        number = len(self.events) + 1
        self.events.append(
            {
                "eventId": str(number),
                "eventTime": f"2026-01-01T00:00:{number:02d}Z",
                "eventType": f"EVENT_TYPE_{kind}",
                f"{name}EventAttributes": attributes,
            }
        )
        return number

    def work(self) -> None:
        """The workflow runs as far as it can."""
        scheduled = self._add(
            "WORKFLOW_TASK_SCHEDULED",
            "workflowTaskScheduled",
            taskQueue={"name": "scripts"},
            startToCloseTimeout="10s",
            attempt=1,
        )
        started = self._add(
            "WORKFLOW_TASK_STARTED", "workflowTaskStarted", scheduledEventId=str(scheduled)
        )
        self._task = self._add(
            "WORKFLOW_TASK_COMPLETED",
            "workflowTaskCompleted",
            scheduledEventId=str(scheduled),
            startedEventId=str(started),
        )

    def calls(self, tool: str, args: Any) -> int:
        self._calls += 1
        return self._add(
            "ACTIVITY_TASK_SCHEDULED",
            "activityTaskScheduled",
            activityId=str(self._calls),
            activityType={"name": "call_tool"},
            taskQueue={"name": "scripts"},
            input=_payloads(tool, args),
            startToCloseTimeout="60s",
            workflowTaskCompletedEventId=str(self._task),
        )

    def returns(self, call: int, value: Any) -> None:
        started = self._add(
            "ACTIVITY_TASK_STARTED", "activityTaskStarted", scheduledEventId=str(call), attempt=1
        )
        self._add(
            "ACTIVITY_TASK_COMPLETED",
            "activityTaskCompleted",
            scheduledEventId=str(call),
            startedEventId=str(started),
            result=_payloads(value),
        )
        self.work()

    def sleeps(self, seconds: str) -> int:
        self._timers += 1
        return self._add(
            "TIMER_STARTED",
            "timerStarted",
            timerId=str(self._timers),
            startToFireTimeout=seconds,
            workflowTaskCompletedEventId=str(self._task),
        )

    def wakes(self, timer: int) -> None:
        self._add(
            "TIMER_FIRED",
            "timerFired",
            timerId=str(self._timers),
            startedEventId=str(timer),
        )
        self.work()

    def signals(self, *args: Any) -> None:
        self._add(
            "WORKFLOW_EXECUTION_SIGNALED",
            "workflowExecutionSignaled",
            signalName="decide",
            input=_payloads(*args),
        )
        self.work()

    def ends(self, value: Any) -> None:
        self._add(
            "WORKFLOW_EXECUTION_COMPLETED",
            "workflowExecutionCompleted",
            result=_payloads(value),
            workflowTaskCompletedEventId=str(self._task),
        )


def _payloads(*values: Any) -> dict[str, Any]:
    from google.protobuf.json_format import MessageToDict

    encoded = DataConverter.default.payload_converter.to_payloads(values)
    return {"payloads": [MessageToDict(payload) for payload in encoded]}


async def replay(history: History) -> Any:
    returned.clear()
    replayer = Replayer(workflows=[temporal.ScriptWorkflow], interceptors=[Notes()])
    text = json.dumps({"events": history.events})
    await replayer.replay_workflow(WorkflowHistory.from_json("script-1", text))
    return returned[-1]


ORDERS = [{"id": 1, "total": 20}, {"id": 2, "total": 35}]


def recorded(approved: bool) -> History:
    history = History(temporal.SCRIPT)
    found = history.calls("find_orders", {"status": "late"})
    history.returns(found, ORDERS)
    timer = history.sleeps("2s")
    history.wakes(timer)
    small = history.calls("refund", {"order_id": 1, "amount": 20})
    history.returns(small, "refunded 20")
    history.signals(3 + 1, approved)
    return history


async def test_calls_timers_and_approvals_are_those_of_the_history():
    history = recorded(approved=True)
    large = history.calls("refund", {"order_id": 2, "amount": 35})
    history.returns(large, "refunded 35")
    history.ends(["refunded 20", "refunded 35"])
    assert await replay(history) == ["refunded 20", "refunded 35"]


async def test_another_history_is_not_this_script():
    history = History(temporal.SCRIPT)
    timer = history.sleeps("2s")
    history.wakes(timer)
    with pytest.raises(Exception, match=r"(?i)nondeterminism|non-determin"):
        await replay(history)
