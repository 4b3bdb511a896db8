"""The errors by which the host itself ends a run, in words that help to mend the script."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from toolscript.host.output import OverLimit
from toolscript.host.recalled import CallId
from toolscript.host.receipts import Record
from toolscript.result import ErrorKind, RunError


def tainted(records: Iterable[Record]) -> RunError | None:
    """For `on_tool_error="taint"`: None where every call succeeded."""
    bad = [record for record in records if record.status != "ok"]
    if not bad:
        return None
    calls = ", ".join(f"{record.tool} ({record.status})" for record in bad)
    return RunError(
        ErrorKind.TAINTED,
        f"the script ended, but calls of it did not succeed: {calls}",
        tool=bad[0].tool,
    )


def stalled() -> RunError:
    return RunError(
        ErrorKind.STALLED,
        "the script waits for a promise that nothing can settle any more",
        hint="Every promise must come from a tool, a timer, or be resolved by the script.",
    )


def aborted(reason: str) -> RunError:
    return RunError(ErrorKind.ABORTED, f"the run was aborted{f': {reason}' if reason else ''}")


def left_by(error: BaseException) -> RunError:
    """For observers, where no result comes back: an exception passes through the run."""
    if isinstance(error, asyncio.CancelledError):
        return RunError(
            ErrorKind.ABORTED, "the run was aborted: the task that awaited it was cancelled"
        )
    return RunError(
        ErrorKind.ABORTED, f"the run was left by {type(error).__name__}, which its caller handles"
    )


def bad_guest(what: str) -> RunError:
    return RunError(ErrorKind.WORKER_EXIT, f"the guest broke the protocol: {what}")


def over_limit(over: OverLimit) -> RunError:
    return RunError(
        ErrorKind.OUTPUT_LIMIT,
        f"the script's {_WHAT[over.limit]} reached {over.seen:,} and at most {over.allowed:,} "
        f"are allowed ({over.limit}); return and print only what is needed",
        limit=over.limit,
        allowed=over.allowed,
        seen=over.seen,
    )


_WHAT: Final = {
    "output_items": "output in items",
    "output_bytes": "output in bytes",
    "value_bytes": "returned value in bytes",
    "total_bytes": "output and value in bytes of JSON",
    "store_value_chars": "stored value in characters of JSON",
    "store_total_chars": "stored values in characters of JSON",
}


def too_late(allowed: float, late: float = 0.0, under_way: Sequence[Record] = ()) -> RunError:
    """The wall clock ran out `late` seconds ago, with those calls under way."""
    first = under_way[0] if under_way else None
    waited = f"; it waited for {listed(under_way)}" if under_way else ""
    return RunError(
        ErrorKind.TIMEOUT,
        f"the run took longer than {allowed:g} s (wall_s), waiting for tools included{waited}; "
        "what its tools have done stays done",
        limit="wall_s",
        allowed=allowed,
        seen=round(allowed + max(late, 0.0), 3),
        hint="Do less in one script, or run independent calls together.",
        tool=first.tool if first else None,
        line=first.line if first else None,
    )


def after_calls(error: RunError, records: Iterable[Record]) -> RunError:
    """The error of a limit that no call went over, with the last call that came before."""
    last = max(records, key=lambda record: record.seq, default=None)
    if last is None or error.kind not in _BETWEEN_CALLS or error.limit in (None, "wall_s"):
        return error
    return replace(error, message=f"{error.message}. Its last call was {called(last)}")


_BETWEEN_CALLS: Final = (ErrorKind.TIMEOUT, ErrorKind.OUTPUT_LIMIT, ErrorKind.MEMORY)


def called(record: Record) -> str:
    """`refund (line 3)`."""
    return record.tool if record.line is None else f"{record.tool} (line {record.line})"


def listed(records: Iterable[Record]) -> str:
    """A few calls by name, line and number: `refund (line 3) ×2, look (line 4)`."""
    counted = Counter(map(called, records))
    names = [f"{name} ×{times}" if times > 1 else name for name, times in counted.items()]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


_MOST_NAMED: Final = 5


def unawaited(tools: str) -> RunError:
    """For `unawaited="error"`."""
    return RunError(
        ErrorKind.EXCEPTION,
        f"the script ended before its calls did: {tools}; await every call",
    )


def call_limit(
    limit: str, allowed: int, seen: int, what: str, *, tool: str | None = None, line: int | None
) -> RunError:
    """More calls than a run may make; no script can catch it.

    `tool` and `line` are those of the call that was one too many.
    """
    return RunError(
        ErrorKind.CALL_LIMIT,
        f"the script made {seen:,} {what} and {allowed:,} are allowed ({limit}); "
        "what was called before has taken effect",
        limit=limit,
        allowed=allowed,
        seen=seen,
        tool=tool,
        line=line,
    )


_OTHER_PATH: Final = "The script did not take the same path again. Start it as a new run."


def differs(recorded: CallId, made: CallId) -> RunError:
    """The script makes another call than the one on record."""
    return RunError(
        ErrorKind.DIVERGED,
        f"call {made.seq} is not the one on record: recorded {recorded.tool}({recorded.shown}), "
        f"now {made.tool}({made.shown})",
        hint=_OTHER_PATH,
        tool=made.tool,
    )


def misses(missing: CallId, *, ended: bool = False) -> RunError:
    """The script waits, or ends, without a call that is on record."""
    return RunError(
        ErrorKind.DIVERGED,
        f"call {missing.seq} is on record as {missing.tool}({missing.shown}), and now the script "
        f"{'ended' if ended else 'waits'} without making it",
        hint=_OTHER_PATH,
        tool=missing.tool,
    )


def unknown_outcome(calls: Sequence[CallId]) -> RunError:
    """Calls were under way when the process died, and to repeat them may do harm."""
    names = ", ".join(f"call {call.seq} ({call.name})" for call in calls)
    were = "was" if len(calls) == 1 else "were"
    return RunError(
        ErrorKind.UNKNOWN_OUTCOME,
        f"the process died while {names} {were} under way, and nobody knows whether it took "
        "effect; it is not repeated, since the tool is neither read-only nor idempotent",
        hint="Find out what happened, then resume the run with an answer for each call: "
        "Approve() makes it again, Reject(reason) takes it as failed, Happened(result) as done.",
        tool=calls[0].name,
    )
