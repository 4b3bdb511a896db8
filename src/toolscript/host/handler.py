"""Calling a tool's own function: in a thread or on the loop, within its time, as often as asked."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from toolscript.errors import ToolError
from toolscript.host.context import CallContext
from toolscript.host.gates import ToolGate
from toolscript.host.receipts import Record
from toolscript.host.retry import retry_of, with_retry
from toolscript.host.threads import in_thread


async def handled(
    gate: ToolGate,
    args: Any,
    context: CallContext,
    record: Record,
    begun: Callable[[Record], None],
) -> Any:
    """What the tool returns.

    Args:
        begun: told when the tool is about to be touched for the first time.

    Raises:
        ToolError: `timeout` when an attempt takes longer than the tool's `timeout`.
        Exception: whatever the tool raises, after the last attempt.
    """
    options = gate.tool.options
    retry = retry_of(options)
    if retry is None and gate.turnstile is None and options.timeout is None:
        begun(record)
        return await _called(gate, args, context)

    deadline = context.deadline

    async def attempt() -> Any:
        if gate.turnstile is not None:
            await gate.turnstile.enter()
        try:
            if record.started_at is None:
                begun(record)
            return await _in_time(gate, args, context, deadline)
        finally:
            if gate.turnstile is not None:
                gate.turnstile.leave()

    if retry is None:
        return await attempt()
    return await with_retry(retry, attempt, record)


async def _in_time(gate: ToolGate, args: Any, context: CallContext, deadline: float | None) -> Any:
    seconds = gate.tool.options.timeout
    if seconds is None:
        return await _called(gate, args, context)
    own = time.monotonic() + seconds
    context.deadline = own if deadline is None else min(deadline, own)
    clock = asyncio.timeout(seconds)
    try:
        async with clock:
            return await _called(gate, args, context)
    except TimeoutError as error:
        if not clock.expired():
            raise
        raise ToolError(
            f"the tool took longer than its {seconds:g} s; what it began may have taken effect",
            code="timeout",
        ) from error


async def _called(gate: ToolGate, args: Any, context: CallContext) -> Any:
    call = gate.tool.call
    if gate.is_async:
        return await call(args, context)  # pyright: ignore
    value = await in_thread(partial(call, args, context))
    if inspect.isawaitable(value):
        return await value
    return value
