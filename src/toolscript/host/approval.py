"""What a person may say about a call that waits for them."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from toolscript.given import TEXT, a, check_fields
from toolscript.result import Pending


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


Answer = Approve | Reject | Edit


def _as_answer(value: Any) -> str:
    if isinstance(value, bool):
        return "Approve()" if value else 'Reject("why")'
    if isinstance(value, dict):
        return "Edit(args)"
    return "Approve()" if value in ("approve", "yes", "allow", "ok") else ""


ANSWER: Final = a(
    Approve, Reject, Edit, words="Approve(), Reject(reason) or Edit(args)", instead=_as_answer
)

ApproveCallback = Callable[[Pending], Answer | Awaitable[Answer]]
"""Asked once for each call that needs a person; the script waits and its wall clock stands."""


def pending_id(run_id: str, seq: int, tool: str, args: bytes) -> str:
    """The id of a waiting call: another run, place, tool or argument gives another id."""
    digest = hashlib.sha256(b"\0".join((run_id.encode(), b"%d" % seq, tool.encode(), args)))
    return f"{seq}-{digest.hexdigest()[:20]}"
