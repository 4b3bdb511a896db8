"""The way of an outcome back into the script."""

from __future__ import annotations

from typing import Any

from toolscript.host.values import JsonText
from toolscript.sandbox.runtime import Execution


class Delivery:
    """Settles the calls of one guest, and counts it.

    While `holding`, nothing is given to the script: a person has to answer, or an exception has
    to pass, before it may go on. `owed` counts outcomes that are with the journal and not yet
    with the script.
    """

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self.sent = 0
        self.owed = 0
        self.holding = False

    def resolve(self, seq: int, value: JsonText, now_ms: int | None = None) -> None:
        if self.holding:
            return
        self.sent += 1
        self._execution.resolve(
            seq, value.text, bigints=value.bigints, text=value.face, now_ms=now_ms
        )

    def reject(self, seq: int, error: dict[str, Any], now_ms: int | None = None) -> None:
        if self.holding:
            return
        self.sent += 1
        self._execution.reject(seq, error, now_ms=now_ms)
