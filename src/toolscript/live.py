"""The runs that an engine has at work: to list them, to stop one, to wait for all."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass, field

from toolscript.errors import ClosedError
from toolscript.host.cancel import CancelToken
from toolscript.result import Pending


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run, as `CodeMode.list_runs()` shows it.

    `status` is "running", "interrupted" (its owner let go or died), "paused", "undecided" (an
    outcome is unknown), "completed" or "failed". `age_s` is seconds since it began. `pending`
    are the calls that wait for somebody's answer.
    """

    run_id: str
    status: str
    age_s: float
    pending: tuple[Pending, ...] = ()


@dataclass(slots=True)
class _Live:
    run_id: str
    started: float = field(default_factory=time.monotonic)


class LiveRuns:
    """Runs at work, across threads and event loops."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        # By its own token: nothing keeps two runs from having one id.
        self._runs: dict[CancelToken, _Live] = {}
        self._closed = False

    def begin(self, run_id: str, cancel: CancelToken) -> None:
        """Count a run as live until `end`; `cancel` is its own, and no other run's.

        Raises:
            ClosedError: once `close` was called.
        """
        self.check_open()
        with self._changed:
            self._runs[cancel] = _Live(run_id)

    def end(self, cancel: CancelToken) -> None:
        with self._changed:
            del self._runs[cancel]
            self._changed.notify_all()

    def check_open(self) -> None:
        """Raises `ClosedError` once `close` was called."""
        if self._closed:
            raise ClosedError("this CodeMode is closed; make a new one to run scripts")

    def listed(self) -> list[RunInfo]:
        now = time.monotonic()
        with self._changed:
            return [
                RunInfo(live.run_id, "running", now - live.started) for live in self._runs.values()
            ]

    def abort(self, run_id: str) -> bool:
        """End the live runs of an id as `aborted`; False if there is none."""
        with self._changed:
            found = [cancel for cancel, live in self._runs.items() if live.run_id == run_id]
        for cancel in found:
            cancel.cancel()
        return bool(found)

    async def close(self, *, drain: bool) -> None:
        """Accept no more runs, and wait until those at work have ended; abort them or drain."""
        self._closed = True
        if not drain:
            with self._changed:
                found = list(self._runs)
            for cancel in found:
                cancel.cancel("its CodeMode was closed")
        if self._runs:
            await asyncio.to_thread(self._wait_until_idle)

    def _wait_until_idle(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._runs)
