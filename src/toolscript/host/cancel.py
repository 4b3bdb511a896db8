"""Stopping a run from outside, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable


class CancelToken:
    """Ends the runs that it was given to, as `aborted`. Safe to use from any thread.

    A token that was cancelled stays cancelled: a run that gets it later ends before it begins.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[int, Callable[[], None]] = {}
        self._next = 0
        self._cancelled = False
        self._reason = ""

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled

    @property
    def reason(self) -> str:
        """What `cancel` was told, for the run's error message; empty before."""
        return self._reason

    def cancel(self, reason: str = "") -> None:
        """End every run that holds this token. Doing it twice changes nothing."""
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
            self._reason = reason
            listeners = list(self._listeners.values())
            self._listeners.clear()
        for listener in listeners:
            listener()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have `listener` called on `cancel`, in the thread that cancels, at once if it was.

        Returns a function that ends the listening.
        """
        with self._lock:
            if not self._cancelled:
                key = self._next = self._next + 1
                self._listeners[key] = listener
                return lambda: self._forget(key)
        listener()
        return lambda: None

    def _forget(self, key: int) -> None:
        with self._lock:
            self._listeners.pop(key, None)
