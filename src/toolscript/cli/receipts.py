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

    `width` is that of the terminal, in cells.
    """
    starts = [call.started_at for call in calls if call.started_at is not None]
    begin = min(starts, default=0.0)
    end = max(
        (
            call.started_at + call.duration_ms / 1000
            for call in calls
            if call.started_at is not None
        ),
        default=begin,
    )
    span_ms = max((end - begin) * 1000, 0.001)
    cells = min(28, width // 5) if width >= _WIDE else 0
    table = Table(title=f"{counted(len(calls), 'call')} in {span_ms:.0f} ms", title_justify="left")
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column("line", justify="right", style="dim", no_wrap=True)
    table.add_column(
        "call", overflow="ellipsis", no_wrap=True, max_width=max(width - cells - _OTHERS, 16)
    )
    table.add_column("status", no_wrap=True)
    table.add_column("ms", justify="right", no_wrap=True)
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
        if cells:
            row.append(_bar(call, begin, span_ms, cells))
        table.add_row(*row)
    return table


def counted(number: int, thing: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def call_text(call: Call) -> str:
    name = f"{call.namespace}.{call.tool}" if call.namespace else call.tool
    arguments = "" if call.args in (None, {}) else json.dumps(call.args, ensure_ascii=False)
    decided = ", ".join(map(_decision_text, call.decisions))
    failure = call.error.message if call.error else ""
    return "  ".join(part for part in (f"{name}({arguments})", decided, failure) if part)


def _decision_text(decision: CallDecision) -> str:
    """`policy: ask D7`, `person: approve, ada`."""
    named = f" {decision.id}" if decision.id else ""
    who = f", {decision.who}" if decision.who else ""
    return f"{decision.by}: {decision.kind}{named}{who}"


def _bar(call: Call, begin: float, span_ms: float, cells: int) -> Text:
    if call.started_at is None:
        return Text("never started", style="dim")
    left = int((call.started_at - begin) * 1000 / span_ms * cells)
    left = min(left, cells - 1)
    wide = min(max(1, round(call.duration_ms / span_ms * cells)), cells - left)
    return Text.assemble((" " * left), ("━" * wide, _STYLES[call.status]))
