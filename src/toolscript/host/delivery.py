"""The way of an outcome back into the script."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from toolscript.host.entries import Image
from toolscript.host.values import JsonText
from toolscript.sandbox.runtime import Clock, Execution


class Delivery:
    """Settles the calls of one guest, and counts it.

    While `holding`, nothing is given to the script: a person has to answer, or an exception has
    to pass, before it may go on. `owed` counts outcomes that are with the journal and not yet
    with the script. Images that a tool showed come into the output just before its result, so
    that they stand at the same place whenever the script is run again. A script's clock that advances moves to the time of each result.
    """

    def __init__(
        self,
        execution: Execution,
        clock: Clock | None = None,
        *,
        show: Callable[[Image], None],
    ) -> None:
        self._execution = execution
        self._show = show
        self._now_ms = clock.now_ms if clock is not None and clock.advancing else None
        self.sent = 0
        self.owed = 0
        self.holding = False

    def resolve(
        self,
        seq: int,
        value: JsonText,
        now_ms: int | None = None,
        images: Sequence[Image] = (),
    ) -> None:
        if not self._goes(images):
            return
        self._execution.resolve(
            seq,
            value.text,
            bigints=value.bigints,
            text=value.face,
            now_ms=self._moved(now_ms),
        )

    def reject(
        self,
        seq: int,
        error: dict[str, Any],
        now_ms: int | None = None,
        images: Sequence[Image] = (),
    ) -> None:
        if not self._goes(images):
            return
        self._execution.reject(seq, error, now_ms=self._moved(now_ms))

    def _goes(self, images: Sequence[Image]) -> bool:
        """Whether a settlement goes to the script, behind the images that its call showed."""
        if self.holding:
            return False
        for image in images:
            self._show(image)
        self.sent += 1
        return True

    def _moved(self, recorded: int | None) -> int | None:
        """What the clock shows from now on: the time on record, or else that of this machine."""
        if recorded is None and self._now_ms is not None:
            self._now_ms = max(self._now_ms, time.time_ns() // 1_000_000)
            return self._now_ms
        return recorded
