"""The receipts of a run as a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from toolscript.result import Call, CallDecision

_OTHERS: Final = 41
"""Cells of the columns beside call and timeline, and of the lines between them."""

_WAITED: Final = 9
"""Cells of the column for the time that a person took."""

_WIDE: Final = 100
"""Cells from which on there is room for a timeline; below, the calls themselves need it."""

_STYLES: Final = {
    "ok": "green",
    "error": "red",
    "denied": "magenta",
    "cancelled": "yellow",
    "pending": "cyan",
}


def receipts_table(calls: Sequence[Call], width: int) -> Table:
    """One row a call, in the order in which the script made them; on a wide terminal with a timeline.

    The time that a person took stands in a column of its own, and the timeline leaves out the
    stretches in which no tool was at work. `width` is that of the terminal, in cells.
    """
    axis = _Axis(calls)
    cells = min(28, width // 5) if width >= _WIDE else 0
    title = f"{counted(len(calls), 'call')} in {axis.span_ms:.0f} ms"
    waited = any(call.waited_ms for call in calls)
    others = _OTHERS + (_WAITED if waited else 0)
    table = Table(title=title, title_justify="left")
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column("line", justify="right", style="dim", no_wrap=True)
    table.add_column(
        "call", overflow="ellipsis", no_wrap=True, max_width=max(width - cells - others, 16)
    )
    table.add_column("status", no_wrap=True)
    table.add_column("ms", justify="right", no_wrap=True)
    if waited:
        table.add_column("waited", justify="right", no_wrap=True)
    if cells:
        table.add_column("timeline", no_wrap=True)
    for call in calls:
        style = _STYLES[call.status]
        row: list[str | Text] = [
            str(call.seq),
            "" if call.line is None else str(call.line),
            escape(call_text(call)),
            Text(call.status, style=style),
            f"{call.duration_ms:.1f}",
        ]
        if waited:
            row.append(duration(call.waited_ms / 1000) if call.waited_ms else "")
        if cells:
            row.append(_bar(call, axis, cells))
        table.add_row(*row)
    return table


def counted(number: int, thing: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def call_text(call: Call) -> str:
    name = f"{call.namespace}.{call.tool}" if call.namespace else call.tool
    arguments = "" if call.args in (None, {}) else json.dumps(call.args, ensure_ascii=False)
    failure = call.error.message if call.error else ""
    told = (f"{name}({arguments})", decisions_text(call), failure)
    return "  ".join(part for part in told if part)


def decisions_text(call: Call) -> str:
    """Who decided what about a call: `policy: ask D7, person: approve, ada`."""
    return ", ".join(map(_decision_text, call.decisions))


def duration(seconds: float) -> str:
    """`0.3 s`, `14 s`, `3 min`, `2 h`, `5 d`."""
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def _decision_text(decision: CallDecision) -> str:
    """`policy: ask D7`, `person: approve, ada`."""
    named = f" {decision.id}" if decision.id else ""
    who = f", {decision.who}" if decision.who else ""
    return f"{decision.by}: {decision.kind}{named}{who}"


class _Axis:
    """The time in which tools were at work, one stretch after the other without the gaps."""

    def __init__(self, calls: Sequence[Call]):
        self._stretches: list[tuple[float, float]] = []
        spans = [(call.started_at, _end(call)) for call in calls if call.started_at is not None]
        for begin, end in sorted(spans):
            if self._stretches and begin <= self._stretches[-1][1]:
                begin, before = self._stretches.pop()
                end = max(before, end)
            self._stretches.append((begin, end))
        self.span_ms = max(sum(end - begin for begin, end in self._stretches) * 1000, 0.001)

    def ms(self, moment: float) -> float:
        """How much of the time had passed at a moment, which is in seconds since the epoch."""
        return (
            sum(min(moment, end) - begin for begin, end in self._stretches if begin < moment) * 1000
        )


def _end(call: Call) -> float:
    return (call.started_at or 0.0) + call.duration_ms / 1000


def _bar(call: Call, axis: _Axis, cells: int) -> Text:
    if call.started_at is None:
        return Text("not begun", style="dim")
    left = min(int(axis.ms(call.started_at) / axis.span_ms * cells), cells - 1)
    wide = min(max(1, round(call.duration_ms / axis.span_ms * cells)), cells - left)
    return Text.assemble((" " * left), ("━" * wide, _STYLES[call.status]))
