"""What a script that ended well did not hear: calls that failed and that nobody awaited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolscript.contract.names import tool_identifier
from toolscript.render import shorten_string
from toolscript.result import Call
from toolscript.script.dropped import drops_call

_MOST: Final = 5
_MESSAGE_CHARS: Final = 200


def lost_errors(source: str, calls: Iterable[Call]) -> tuple[str, ...]:
    """A warning for each place of a script that dropped the promise of a call which then failed."""
    failed = {
        (call.line, call.tool): call.error
        for call in calls
        if call.status in ("error", "denied") and call.error is not None
    }
    lost = [
        f"line {line}: the call of {tool} failed and nobody awaited it: "
        f"{shorten_string(error.message, _MESSAGE_CHARS)}; write `await` in front of it"
        for (line, tool), error in list(failed.items())[:_MOST]
        if line is not None and drops_call(source, line, {tool, tool_identifier(tool)})
    ]
    return tuple(lost)
