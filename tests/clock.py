"""The clock by which limits and deadlines are measured, for tests that move it on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_real = time.monotonic


class Clock:
    """The monotonic clock of this process, which a test moves on instead of waiting.

    A test gives a limit that no busy machine uses up before the moment that it is about, and lets
    the time pass in that very moment.
    """

    def __init__(self) -> None:
        self._ahead_s = 0.0
        self._stands_at: float | None = None

    def __call__(self) -> float:
        return (_real() if self._stands_at is None else self._stands_at) + self._ahead_s

    def stop(self) -> None:
        """Let no time pass from now on but what the test lets pass."""
        self._stands_at = _real()

    def passes(self, seconds: float) -> None:
        """Let time pass. Call it on the event loop, which then looks what has become due."""
        self._ahead_s += seconds


@contextmanager
def a_clock() -> Iterator[Clock]:
    """A clock in the place of the real one; event loops go by it too."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "monotonic", clock)
        yield clock
