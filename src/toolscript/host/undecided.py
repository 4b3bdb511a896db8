"""Calls that were under way when their process died, and what a person says became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolscript import jsontext
from toolscript.host.approval import Edit, Happened, Reject, word_of
from toolscript.host.failures import failed
from toolscript.host.gates import ToolGate
from toolscript.host.recalled import CallId, Recalled
from toolscript.host.receipts import Record, redacted
from toolscript.host.results import reported_result
from toolscript.host.values import JsonText
from toolscript.profiles import Profile, Redact
from toolscript.result import Pending

REASON = (
    "its process died while it was under way: Approve makes it again, Reject takes it as failed, "
    "Happened as done with the result that it brings"
)


def questions(
    calls: Sequence[CallId],
    records: Mapping[int, Record],
    effects_so_far: Sequence[str],
    redact: Redact | None,
) -> tuple[Pending, ...]:
    """What a person has to know of calls whose outcome the journal does not know."""
    found: list[Pending] = []
    for call in calls:
        record = records.get(call.seq)
        args = jsontext.loads(record.args) if record else call.shown
        tool = record.tool if record else call.name
        found.append(
            Pending(
                id=call.id,
                tool=tool,
                args=args,
                redacted=redact is not None,
                shown=None if redact is None else redacted(tool, args, redact),
                reason=REASON,
                seq=call.seq,
                line=record.line if record else None,
                namespace=record.namespace if record else None,
                effects_so_far=tuple(effects_so_far),
            )
        )
    return tuple(found)


def judged(
    record: Record, recalled: Recalled, verdict: Reject | Happened, gate: ToolGate, profile: Profile
) -> JsonText:
    """The result of a call that is not made again, as a person gives it; `record` says who did.

    Raises:
        ToolError: if they took it as failed.
    """
    record.started_at = recalled.began_at
    if recalled.answer is not None:
        record.decided(word_of(recalled.answer))
    if isinstance(recalled.answer, Edit):
        record.edit(jsontext.dumps(recalled.answer.args).encode())
    record.decided(word_of(verdict))
    if isinstance(verdict, Reject):
        raise failed("failed", verdict.reason or "the call was taken as failed")
    record.remark("it was under way before, was cut off, and a person said what it came to")
    return reported_result(verdict.result, jsontext.loads(record.args), gate, profile)
