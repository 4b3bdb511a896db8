"""What the log of a run knows of its calls, for a run that has come to no end and no pause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from toolscript import jsontext
from toolscript.host.approval import Again, Verdict, word_of
from toolscript.host.entries import Asked, Decided, Entry, Finished, Started
from toolscript.host.helpers import SLEEP
from toolscript.host.recalled import CallId, tool_name
from toolscript.result import Call, CallError

UNDER_WAY: Final = "under way when the last of it was recorded"
UNKNOWN: Final = "under way when its process died: its outcome is unknown"
ASKED: Final = "waits for a person"
ANSWERED: Final = "has its answer, and was not begun"
NOT_BEGUN: Final = "was not begun"


def calls_on_record(log: Sequence[Entry]) -> tuple[Call, ...]:
    """The calls of a run, of tools and of other host functions, in the order of the script.

    Of a call that is "pending", `note` says where it stands. Of arguments there is as much as the
    log keeps to show, and of an error its code: what it says may be for the script alone.
    """
    calls: dict[int, Call] = {}
    for entry in log:
        match entry:
            case Started():
                calls[entry.seq] = Call(
                    entry.seq,
                    tool_name(entry.tool),
                    "pending",
                    args=_args(entry.shown),
                    started_at=entry.at,
                    note=UNDER_WAY,
                )
            case Asked():
                calls[entry.seq] = Call(
                    entry.seq, tool_name(entry.tool), "pending", args=_args(entry.shown), note=ASKED
                )
            case Decided():
                calls[entry.seq] = _decided(calls[entry.seq], entry.answer)
            case Finished():
                calls[entry.seq] = _finished(entry)
            case _:
                pass
    return tuple(calls[seq] for seq in sorted(calls))


def open_calls(log: Sequence[Entry]) -> tuple[CallId, ...]:
    """The calls that a person's answer can still change, in the order of the script.

    Those that wait for leave, and those that were under way when the last was recorded.
    """
    found: dict[int, CallId] = {}
    for entry in log:
        match entry:
            case Started() if entry.tool == SLEEP:
                # A timer goes on by itself.
                pass
            case Started() | Asked():
                found[entry.seq] = CallId(entry.seq, entry.id, entry.tool, entry.shown)
            case Decided() | Finished():
                found.pop(entry.seq, None)
            case _:
                pass
    return tuple(found[seq] for seq in sorted(found))


def _decided(call: Call, answer: Verdict) -> Call:
    said = () if isinstance(answer, Again) else (word_of(answer),)
    note = ANSWERED if call.note == ASKED else call.note
    return replace(call, note=note, decisions=(*call.decisions, *said))


def _finished(entry: Finished) -> Call:
    error = entry.reply.error
    return Call(
        entry.seq,
        tool_name(entry.tool),
        entry.status,
        args=_args(entry.shown),
        error=None if error is None else CallError(error["code"], error["code"], entry.error_type),
        started_at=entry.started_at,
        duration_ms=entry.duration_ms,
        attempts=entry.attempts,
        note=entry.note,
        decisions=entry.decisions,
        waited_ms=entry.waited_ms,
    )


def _args(shown: str) -> object:
    """Arguments as JSON, or, where they were too long to be kept whole, as text."""
    try:
        return jsontext.loads(shown)
    except ValueError:
        return f"{shown}…"
