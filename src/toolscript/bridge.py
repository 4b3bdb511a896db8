"""Waiting for a coroutine from code that is not async."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_blocking(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs a coroutine to its end and returns its result, whether or not a loop runs here.

    Inside a running loop it runs on a loop of its own in a thread of its own, with the caller's
    context variables; the caller's loop stands still meanwhile, so nothing in the coroutine may
    wait for it.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    done: list[T] = []
    failed: list[BaseException] = []

    def target() -> None:
        try:
            done.append(asyncio.run(work()))
        except BaseException as error:
            failed.append(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(target,), name="toolscript-run-sync")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]
