"""Waiting for a coroutine from code that is not async."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
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
    over = threading.Event()
    loop = asyncio.new_event_loop()
    task: asyncio.Task[T] = loop.create_task(work(), context=contextvars.copy_context())

    def target() -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                done.append(runner.run(_result(task)))
        except BaseException as error:
            failed.append(error)
        finally:
            over.set()

    thread = threading.Thread(target=target, name="toolscript-run-sync")
    thread.start()
    try:
        # Not `join`: one that was interrupted takes the thread for ended (CPython 3.11).
        over.wait()
    except BaseException:
        # Interrupted, as in a notebook: what nobody waits for any more must not go on by itself.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(task.cancel)
        over.wait()
        raise
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


async def _result(task: asyncio.Task[T]) -> T:
    return await task
