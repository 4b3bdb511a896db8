"""What a script keeps between runs with `store(key, value)`. The caller persists it."""

from __future__ import annotations

from typing import Any

from toolscript import jsontext
from toolscript.host.limits import Limits
from toolscript.host.output import OverLimit
from toolscript.result import StoreWrites
from toolscript.sandbox.frames import StoreFrame


class Writes:
    """The writes of one run. The last write of a key counts."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._set: dict[str, Any] = {}
        self._sizes: dict[str, int] = {}
        self._deleted: dict[str, None] = {}
        self._chars = 0
        self._key_chars = 0

    def take(self, frame: StoreFrame) -> None:
        """Keep one write.

        Raises:
            ValueError: for what is no JSON.
            OverLimit: for a value, or a sum of values, that is too large. The guest refuses
                these where the script can catch it; what gets here ends the run.
        """
        key = frame.key
        all_ = self._limits.store_total_chars
        if key not in self._set and key not in self._deleted:
            # Keys have an account of their own, so that values may take all of theirs.
            self._key_chars += len(key)
            if all_ is not None and self._key_chars > all_:
                raise OverLimit("store_total_chars", all_, self._key_chars)
        self._set.pop(key, None)
        self._chars -= self._sizes.pop(key, 0)
        self._deleted.pop(key, None)
        if frame.value is None:
            self._deleted[key] = None
            return
        text = frame.value.decode()
        one = self._limits.store_value_chars
        if one is not None and len(text) > one:
            raise OverLimit("store_value_chars", one, len(text))
        if all_ is not None and self._chars + len(text) > all_:
            raise OverLimit("store_total_chars", all_, self._chars + len(text))
        self._set[key] = jsontext.loads(text)
        self._sizes[key] = len(text)
        self._chars += len(text)

    def result(self) -> StoreWrites:
        return StoreWrites(dict(self._set), tuple(self._deleted))
