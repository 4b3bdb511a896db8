"""Telling whoever watches a run, in order, without letting them change it."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable
from typing import Final

from toolscript.events import Event, OnEvent

_log = logging.getLogger("toolscript")

_PATIENCE_S: Final = 5.0


class Observer:
    """Sends the events of one run to one observer.

    A plain function is called at once. What an async one returns is awaited in order, beside
    the run. An observer that raises is logged and otherwise ignored.
    """

    def __init__(self, on_event: OnEvent | None) -> None:
        self._on_event = on_event
        self._queue: asyncio.Queue[Awaitable[None]] | None = None
        self._sender: asyncio.Task[None] | None = None

    @property
    def listens(self) -> bool:
        """Whether anybody hears: without, no event need be made."""
        return self._on_event is not None

    def send(self, event: Event) -> None:
        if self._on_event is None:
            return
        try:
            waits = self._on_event(event)
        except Exception:
            _log.warning("an observer failed on %s", type(event).__name__, exc_info=True)
            return
        if inspect.isawaitable(waits):
            if self._queue is None:
                self._queue = asyncio.Queue()
                self._sender = asyncio.get_running_loop().create_task(self._send(self._queue))
            self._queue.put_nowait(waits)

    async def close(self) -> None:
        """Wait until everything was heard, for a few seconds at most."""
        if self._queue is None or self._sender is None:
            return
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await self._queue.join()
        except TimeoutError:
            _log.warning("an observer did not take its events within %g s", _PATIENCE_S)
        finally:
            self.stop()

    def stop(self) -> None:
        """Tell no more, whatever is still to be heard."""
        if self._sender is not None:
            self._sender.cancel()

    async def _send(self, queue: asyncio.Queue[Awaitable[None]]) -> None:
        while True:
            waits = await queue.get()
            try:
                await waits
            except Exception:
                _log.warning("an observer failed", exc_info=True)
            finally:
                queue.task_done()
