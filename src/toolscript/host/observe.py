"""Telling whoever watches a run, in order, without letting them change it."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import deque
from collections.abc import Awaitable, Sequence
from typing import Final

from toolscript.events import Event, OnEvent
from toolscript.host.shielded import shielded

_log = logging.getLogger("toolscript")

_PATIENCE_S: Final = 5.0


class Observer:
    """Sends the events of one run to all who watch it, each of them as if it were alone.

    A plain function is called at once. What an async one returns is awaited in order, beside
    the run. An observer that raises is logged and otherwise ignored.
    """

    def __init__(self, on_event: Sequence[OnEvent]) -> None:
        self._on_event = on_event
        self._unheard: deque[Awaitable[None]] = deque()
        self._more: asyncio.Event | None = None
        self._sender: asyncio.Task[None] | None = None
        self._over = False

    @property
    def listens(self) -> bool:
        """Whether anybody hears: without, no event need be made."""
        return bool(self._on_event)

    def send(self, event: Event) -> None:
        for on_event in self._on_event:
            self._send_to(on_event, event)

    def _send_to(self, on_event: OnEvent, event: Event) -> None:
        try:
            waits = on_event(event)
        except KeyboardInterrupt:
            raise
        except BaseException:
            _log.warning("an observer failed on %s", type(event).__name__, exc_info=True)
            return
        if inspect.isawaitable(waits):
            self._unheard.append(waits)
            if self._more is None:
                self._more = asyncio.Event()
                self._sender = asyncio.get_running_loop().create_task(self._send(self._more))
            self._more.set()

    async def close(self) -> None:
        """Wait until everything was heard, for a few seconds at most; also when cancelled."""
        if self._more is None:
            return
        self._over = True
        self._more.set()
        cut = await shielded(self._heard)
        if cut is not None:
            raise cut

    async def _heard(self) -> None:
        assert self._sender is not None
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await asyncio.wait([self._sender])
                # Where the whole loop is being shut down, the sender was stopped too early.
                await self._tell()
        except TimeoutError:
            _log.warning("an observer did not take its events within %g s", _PATIENCE_S)
            self._sender.cancel()
            self._drop()

    def _drop(self) -> None:
        while self._unheard:
            waits = self._unheard.popleft()
            if inspect.iscoroutine(waits):
                waits.close()

    async def _send(self, more: asyncio.Event) -> None:
        while not self._over:
            await more.wait()
            more.clear()
            await self._tell()

    async def _tell(self) -> None:
        while self._unheard:
            try:
                await self._unheard.popleft()
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                _log.warning("an observer cancelled itself", exc_info=True)
            except KeyboardInterrupt:
                raise
            except BaseException:
                _log.warning("an observer failed", exc_info=True)
