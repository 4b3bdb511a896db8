"""What a script prints, emits and shows, and the one account of all that leaves a run."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from toolscript import jsontext
from toolscript.host.limits import Limits
from toolscript.result import OutputItem
from toolscript.sandbox.frames import OutputFrame

_EMPTY_ARRAY: Final = 2


class OverLimit(Exception):
    """A limit of the run was hit: which, what it allows, and what was seen."""

    def __init__(self, limit: str, allowed: float, seen: float):
        super().__init__(f"{limit} allows {allowed:,} and {seen:,} were seen")
        self.limit = limit
        self.allowed = allowed
        self.seen = seen


def json_bytes(text: str) -> int:
    """Length in UTF-8 bytes of a text as JSON, as JavaScript writes it."""
    written = json.dumps(text, ensure_ascii=False)
    if written.isascii():
        return len(written)
    return len(written.encode("utf-8", "backslashreplace"))


class Output:
    """The output of one run, in order.

    `output_bytes` counts texts as they are read and values as JSON. `total_bytes` counts the JSON array of all items
    together with the JSON of the value or of the failure's message (seed 002).

    Args:
        truncate: too much is cut with a mark instead of failing the run.
    """

    def __init__(self, limits: Limits, *, truncate: bool) -> None:
        self._limits = limits
        self._truncate = truncate
        self._cut = False
        self._bytes = 0
        self._shown = 0
        self.items: list[OutputItem] = []

    def take(self, frame: OutputFrame) -> OutputItem | None:
        """Keep one item; None if it was dropped because the output is already cut.

        Raises:
            OverLimit: for an item too many. What fits of a text stays.
        """
        if self._cut:
            return None
        item = _item(frame)
        over = self._over(item)
        if over is None:
            return self._keep(item)
        self._cut = True
        size = _size(item) if over.limit == "total_bytes" else shown_bytes(item)
        room = int(over.allowed - (over.seen - size)) - 2
        if item.type == "text" and over.limit != "output_items" and room > 0:
            self._keep(replace(item, text=_head(item.text, room)))
        if not self._truncate:
            raise over
        mark = f"[output cut: {over.limit} allows {over.allowed:,}; the script went on]"
        item = OutputItem("text", text=mark)
        self.items.append(item)
        return item

    def check_value(self, value: bytes) -> None:
        """Raises `OverLimit` for a returned value (JSON) that is too large."""
        allowed = self._limits.value_bytes
        if allowed is not None and len(value) > allowed:
            # A text counts as it is read: without its quotes and escapes.
            seen = text_bytes(jsontext.loads(value)) if value[:1] == b'"' else len(value)
            if seen > allowed:
                raise OverLimit("value_bytes", allowed, seen)
        self._check_total(len(value))

    def check_message(self, message: str) -> None:
        """Raises `OverLimit` for a failure's message that does not fit beside the output."""
        self._check_total(json_bytes(message))

    @property
    def bytes(self) -> int:
        """What all items take: texts as they are read, values as JSON."""
        return self._shown

    def fit(self, message: str) -> str:
        """Cut output and `message` until both are within `total_bytes`; gives the message.

        A message takes at most half of the account, so that a beginning of the output stays.
        """
        allowed = self._limits.total_bytes
        if allowed is None:
            return message
        if json_bytes(message) + self._array_bytes() > allowed:
            most = max(allowed // 2, allowed - self._array_bytes())
            message = _head(message, max(min(most, allowed - _EMPTY_ARRAY) - 2, 0))
            self._fit_items(allowed - json_bytes(message))
        return message

    def _fit_items(self, room: int) -> None:
        kept: list[OutputItem] = []
        left = room - _EMPTY_ARRAY
        for item in self.items:
            comma = 1 if kept else 0
            size = _size(item) + comma
            if size > left:
                if item.type == "text" and left - comma > 2:
                    kept.append(replace(item, text=_head(item.text, left - comma - 2)))
                break
            kept.append(item)
            left -= size
        self.items = kept

    def _keep(self, item: OutputItem) -> OutputItem:
        self.items.append(item)
        self._shown += shown_bytes(item)
        if self._limits.total_bytes is not None:
            self._bytes += _size(item)
        return item

    def _over(self, item: OutputItem) -> OverLimit | None:
        limits = self._limits
        if len(self.items) >= limits.output_items:
            return OverLimit("output_items", limits.output_items, len(self.items) + 1)
        if limits.output_bytes is not None:
            shown = self._shown + shown_bytes(item)
            if shown > limits.output_bytes:
                return OverLimit("output_bytes", limits.output_bytes, shown)
        if limits.total_bytes is not None:
            total = self._array_bytes() + _size(item) + (1 if self.items else 0)
            if total > limits.total_bytes:
                return OverLimit("total_bytes", limits.total_bytes, total)
        return None

    def _check_total(self, size: int) -> None:
        allowed = self._limits.total_bytes
        if allowed is not None and self._array_bytes() + size > allowed:
            raise OverLimit("total_bytes", allowed, self._array_bytes() + size)

    def _array_bytes(self) -> int:
        return _EMPTY_ARRAY + self._bytes + max(len(self.items) - 1, 0)


def text_bytes(text: str) -> int:
    """Length of a text in UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "backslashreplace"))


def shown_bytes(item: OutputItem) -> int:
    """What an item takes as it is read: a text as it is, an image in base64, a value as JSON."""
    if item.type == "text":
        return text_bytes(item.text)
    if item.type == "image":
        return len(item.data)
    return text_bytes(item.value) if isinstance(item.value, str) else _size(item)


def _item(frame: OutputFrame) -> OutputItem:
    return OutputItem(
        type=frame.type,
        text=frame.text,
        value=None if frame.value is None else jsontext.loads(frame.value),
        data=frame.data,
        mime_type=frame.mime_type,
        stream=frame.stream,
        console=frame.console,
    )


def _size(item: OutputItem) -> int:
    """What an item takes as JSON."""
    if item.type == "text":
        return json_bytes(item.text)
    if item.type == "image":
        return len(item.data) + 2
    return len(jsontext.dumps(item.value).encode())


def _head(text: str, room: int) -> str:
    """The longest beginning of a text whose JSON, without quotes, takes at most `room` bytes."""
    if room <= 0:
        return ""
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        if json_bytes(text[:middle]) - 2 <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low]
