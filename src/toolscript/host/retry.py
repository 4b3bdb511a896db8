"""Trying a failed call again, for tools whose options ask for it and that may be repeated."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from toolscript.contract.tool import Retry, ToolOptions
from toolscript.errors import ToolError
from toolscript.host.receipts import Record

_FINAL_CODES = frozenset({"invalid_args", "unknown_tool", "denied", "call_limit", "cancelled"})


def retry_of(options: ToolOptions) -> Retry | None:
    """How often a tool's calls are tried, or None: never what might act twice."""
    return options.retry if options.idempotent or options.read_only else None


async def with_retry(
    retry: Retry,
    attempt: Callable[[], Awaitable[Any]],
    record: Record,
) -> Any:
    """What `attempt` returns, tried again while it raises; the last exception passes."""
    from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_exponential

    def worth_another_try(error: BaseException) -> bool:
        if not isinstance(error, Exception):
            return False
        return not (isinstance(error, ToolError) and error.code in _FINAL_CODES)

    async for tried in AsyncRetrying(
        stop=stop_after_attempt(retry.attempts),
        wait=wait_exponential(multiplier=retry.wait_s, max=retry.max_wait_s),
        retry=retry_if_exception(worth_another_try),
        reraise=True,
    ):
        with tried:
            record.attempts = tried.retry_state.attempt_number
            return await attempt()
    raise AssertionError("tenacity ends in a result or an exception")
