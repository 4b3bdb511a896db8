"""Threads for tools that block.

The event loop's own executor is narrow, and waits for its threads when the interpreter exits. A
blocking tool must neither hold up its siblings nor the end of the process, so these threads are
as many as there are calls, are kept for a while when idle, and are daemons.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import os
import queue
import threading
from collections.abc import Callable
from typing import Any

_IDLE_S = 10.0


class _Job:
    __slots__ = ("call", "context", "future", "loop")

    def __init__(self, call: Callable[[], Any], loop: asyncio.AbstractEventLoop) -> None:
        self.call = call
        self.context = contextvars.copy_context()
        self.loop = loop
        self.future: asyncio.Future[Any] = loop.create_future()

    def run(self) -> None:
        try:
            value = self.context.run(self.call)
        except BaseException as error:
            self._tell(_fail, error)
        else:
            self._tell(_succeed, value)

    def _tell(self, settle: Callable[[asyncio.Future[Any], Any], None], outcome: Any) -> None:
        try:
            self.loop.call_soon_threadsafe(settle, self.future, outcome)
        except RuntimeError:
            # The loop was closed: the run that waited for this call is over.
            _unused(outcome)


def _succeed(future: asyncio.Future[Any], value: Any) -> None:
    if future.done():
        _unused(value)
    else:
        future.set_result(value)


def _unused(value: Any) -> None:
    """Nobody waits for what a function returned: what it only promised is not begun."""
    if inspect.iscoroutine(value):
        value.close()


def _fail(future: asyncio.Future[Any], error: BaseException) -> None:
    if future.done():
        return
    if isinstance(error, StopIteration):
        # A future refuses StopIteration, as it would end the generator that awaits it.
        error = RuntimeError(f"the tool raised StopIteration({error})")
    future.set_exception(error)


class _Threads:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[queue.SimpleQueue[_Job]] = []

    def submit(self, job: _Job) -> None:
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = queue.SimpleQueue[_Job]()
            inbox.put(job)
            threading.Thread(
                target=self._work, args=(inbox,), name="toolscript-tool", daemon=True
            ).start()
        else:
            inbox.put(job)

    def forget(self) -> None:
        """Start anew in a forked child, which has none of these threads."""
        self._lock = threading.Lock()
        self._idle.clear()

    def _work(self, inbox: queue.SimpleQueue[_Job]) -> None:
        while True:
            try:
                job = inbox.get(timeout=_IDLE_S)
            except queue.Empty:
                with self._lock:
                    if inbox in self._idle:
                        self._idle.remove(inbox)
                        return
                # Somebody took this inbox just now: its job is on the way.
                job = inbox.get()
            job.run()
            del job
            with self._lock:
                self._idle.append(inbox)


_threads = _Threads()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.forget)


async def in_thread(call: Callable[[], Any]) -> Any:
    """Run `call` in a thread with this task's context variables, and wait for what it returns.

    Cancelling the wait does not stop the thread: what a blocking function has begun, it does.
    """
    job = _Job(call, asyncio.get_running_loop())
    _threads.submit(job)
    try:
        return await job.future
    except asyncio.CancelledError:
        if not job.future.cancelled() and job.future.exception() is None:
            _unused(job.future.result())
        raise
