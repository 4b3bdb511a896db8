"""What a person may say about a call that waits for them."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from toolscript.given import TEXT, a, check_fields
from toolscript.result import CallDecision, Pending


@dataclass(frozen=True, slots=True)
class Approve:
    """The call may go ahead as it is. `who` says so, for its receipt."""

    who: str = ""

    def __post_init__(self) -> None:
        check_fields(self, {"who": TEXT})


@dataclass(frozen=True, slots=True)
class Again(Approve):
    """A call that a pause of its framework cut off is made again.

    Nobody's word on the call, so its receipt does not name it.
    """


@dataclass(frozen=True, slots=True)
class Reject:
    """The call is denied; the script sees `reason`. `who` says so, for its receipt."""

    reason: str = ""
    who: str = ""

    def __post_init__(self) -> None:
        check_fields(self, {"reason": TEXT, "who": TEXT})


@dataclass(frozen=True, slots=True)
class Edit:
    """The call goes ahead with these arguments, which are validated and authorised again.

    `who` wrote them, for its receipt.
    """

    args: Any
    who: str = ""

    def __post_init__(self) -> None:
        check_fields(self, {"who": TEXT})


@dataclass(frozen=True, slots=True)
class Happened:
    """A call whose outcome nobody knew did take effect, and this is what it came to.

    `result` is what the tool would have given, as a JSON value that fits its output type; `who`
    found out, for its receipt. Only for a run that stopped as `unknown_outcome`.
    """

    result: Any = None
    who: str = ""

    def __post_init__(self) -> None:
        check_fields(self, {"who": TEXT})


Answer = Approve | Reject | Edit
"""What may be said to whether a call may be made."""

Verdict = Approve | Reject | Edit | Happened
"""What may be said to a call that waits for a person, for their leave or for what became of it."""


def signed(answer: Answer, who: str) -> Answer:
    """The answer with the name of whoever gave it, unless it bears one or is nobody's."""
    if answer.who or not who or isinstance(answer, Again):
        return answer
    return replace(answer, who=who)


def _as_answer(value: Any) -> str:
    if isinstance(value, bool):
        return "Approve()" if value else 'Reject("why")'
    if isinstance(value, dict):
        return "Edit(args)"
    return "Approve()" if value in ("approve", "yes", "allow", "ok") else ""


ANSWER: Final = a(
    Approve, Reject, Edit, words="Approve(), Reject(reason) or Edit(args)", instead=_as_answer
)

VERDICT: Final = a(
    Approve,
    Reject,
    Edit,
    Happened,
    words="Approve(), Reject(reason), Edit(args) or Happened(result)",
    instead=_as_answer,
)

ApproveCallback = Callable[[Pending], Answer | Awaitable[Answer]]
"""Asked for each call that needs a person; the script waits and its wall clock stands.

Asked again only where it gave an Edit whose arguments do not fit: `Pending.reason` says why.
"""


def word_of(answer: Verdict) -> CallDecision:
    """What a person said, as the receipt has it."""
    match answer:
        case Approve():
            return CallDecision("person", "approve", who=answer.who)
        case Edit():
            return CallDecision("person", "edit", who=answer.who)
        case Reject():
            return CallDecision("person", "reject", who=answer.who, reason=answer.reason)
        case Happened():
            return CallDecision("person", "happened", who=answer.who)


def asked_again(pending: Pending, problem: str) -> Pending:
    """A question whose last answer could not be used; its reason begins with why."""
    return replace(
        pending, reason=f"the last answer could not be used: {problem}; {pending.reason}"
    )


def pending_id(run_id: str, seq: int, tool: str, args: bytes) -> str:
    """The id of a waiting call: another run, place, tool or argument gives another id."""
    digest = hashlib.sha256(b"\0".join((run_id.encode(), b"%d" % seq, tool.encode(), args)))
    return f"{seq}-{digest.hexdigest()[:20]}"
