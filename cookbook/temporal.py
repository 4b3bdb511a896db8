"""A script as a Temporal workflow: its calls are activities, its sleeps durable timers.

    pip install toolscript temporalio

    python cookbook/temporal.py                             # offline: the same steps by hand
    TEMPORAL_ADDRESS=localhost:7233 python cookbook/temporal.py

Temporal keeps what happened and runs the workflow again from its history, so the script needs no
journal: `CodeMode.start` gives the calls that it waits for, Temporal makes them durable, and
`Step.deliver` takes the answers back. A call that needs an approval waits for a signal, for as
long as that takes.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from datetime import timedelta
from typing import Any

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.exceptions import ActivityError
from temporalio.worker import Worker

from toolscript import (
    Approve,
    CodeMode,
    Determinism,
    InlineRuntime,
    PendingCall,
    Reject,
    Step,
    ToolError,
    ToolOptions,
    tool_from,
)


async def find_orders(status: str) -> list[dict[str, Any]]:
    """Orders of one status."""
    return [{"id": 1, "total": 20}, {"id": 2, "total": 35}]


async def refund(order_id: int, amount: int) -> str:
    """Pay an order back."""
    return f"refunded {amount} for order {order_id}"


TOOLS: dict[str, Any] = {"find_orders": find_orders, "refund": refund}


# A workflow's event loop allows neither threads nor processes, so scripts run on it. They are
# confined by the engine alone: have scripts of strangers run by an activity, in a worker process.
codemode = CodeMode(
    [
        tool_from(find_orders),
        tool_from(refund, options=ToolOptions(requires_approval=lambda args: args["amount"] > 30)),
    ],
    runtime=InlineRuntime(),
)


@activity.defn
async def call_tool(name: str, args: dict[str, Any]) -> Any:
    return await TOOLS[name](**args)


# Temporal's sandbox would import the engine anew for each workflow. What it guards against, a
# clock or chance that is not the workflow's own, has no way into a script.
@workflow.defn(sandboxed=False)
class ScriptWorkflow:
    """Runs one script; `waiting` tells what needs an approval, `decide` gives it."""

    def __init__(self) -> None:
        self._asked: dict[int, PendingCall] = {}
        self._decisions: dict[int, bool] = {}

    @workflow.signal
    def decide(self, seq: int, approved: bool) -> None:
        self._decisions[seq] = approved

    @workflow.query
    def waiting(self) -> list[tuple[int, str, Any]]:
        return [(call.seq, call.tool, call.args) for call in self._asked.values()]

    @workflow.run
    async def run(self, source: str) -> Any:
        pinned = Determinism(_now_ms(), workflow.random().getrandbits(32), clock="advancing")
        step = await codemode.start(source, determinism=pinned)
        tasks: dict[tuple[int, str], asyncio.Task[Any]] = {}
        while step.result is None:
            step = await self._next(step, tasks)
        for task in tasks.values():
            task.cancel()
        return step.result.unwrap()

    async def _next(self, step: Step, tasks: dict[tuple[int, str], asyncio.Task[Any]]) -> Step:
        """Begin what the script newly waits for, and deliver what is done."""
        for call in step.pending:
            if (call.seq, call.kind) not in tasks:
                tasks[call.seq, call.kind] = asyncio.create_task(self._answer(call))
        wanted = [tasks[call.seq, call.kind] for call in step.pending]
        # Not asyncio.wait: it keeps tasks in sets, whose order is not that of the history.
        await workflow.wait(wanted, return_when=asyncio.FIRST_COMPLETED)
        answers: dict[int, Any] = {}
        for call in step.pending:
            task = tasks[call.seq, call.kind]
            if task.done():
                answers[call.seq] = task.result()
        return await step.deliver(answers, now_ms=_now_ms())

    async def _answer(self, call: PendingCall) -> Any:
        if call.kind == "timer":
            return await asyncio.sleep(call.args["ms"] / 1000)
        if call.kind == "approval":
            self._asked[call.seq] = call
            await workflow.wait_condition(lambda: call.seq in self._decisions)
            del self._asked[call.seq]
            return Approve() if self._decisions[call.seq] else Reject("the manager said no")
        try:
            return await workflow.execute_activity(
                call_tool,
                args=[call.tool, call.args],
                start_to_close_timeout=timedelta(minutes=1),
            )
        except ActivityError as error:
            return ToolError(str(error.cause))


def _now_ms() -> int:
    return int(workflow.now().timestamp() * 1000)


SCRIPT = """
const orders = await tools.find_orders({ status: "late" });
await sleep(2000);
return await Promise.all(
  orders.map((order) => tools.refund({ order_id: order.id, amount: order.total })),
);
"""


async def on_a_server(address: str) -> None:
    client = await Client.connect(address)
    async with Worker(
        client, task_queue="scripts", workflows=[ScriptWorkflow], activities=[call_tool]
    ):
        handle = await client.start_workflow(
            ScriptWorkflow.run, SCRIPT, id=f"script-{uuid.uuid4()}", task_queue="scripts"
        )
        await asyncio.sleep(5)
        for seq, tool, args in await handle.query(ScriptWorkflow.waiting):
            print(f"approving call {seq}: {tool}({args})")
            await handle.signal(ScriptWorkflow.decide, args=[seq, True])
        print(await handle.result())


async def by_hand() -> None:
    """What the workflow does, without anything durable under it."""
    pinned = Determinism(now_ms=1_700_000_000_000, seed=1)
    step = await codemode.start(SCRIPT, determinism=pinned)
    while step.result is None:
        answers: dict[int, Any] = {}
        for call in step.pending:
            print(f"{call.kind} {call.seq}: {call.tool}({call.args})")
            if call.kind == "approval":
                answers[call.seq] = Approve()
            elif call.kind == "call":
                answers[call.seq] = await call_tool(call.tool, call.args)
            else:
                answers[call.seq] = None
        step = await step.deliver(answers)
    print(step.result.unwrap())


if __name__ == "__main__":
    server = os.environ.get("TEMPORAL_ADDRESS")
    asyncio.run(on_a_server(server) if server else by_hand())
