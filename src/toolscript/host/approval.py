"""What a person may say about a call that waits for them."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from toolscript.result import Pending


@dataclass(frozen=True, slots=True)
class Approve:
    """The call may go ahead as it is."""


@dataclass(frozen=True, slots=True)
class Reject:
    """The call is denied; the script sees `reason`."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """The call goes ahead with these arguments, which are validated and authorised again."""

    args: Any


Answer = Approve | Reject | Edit

ApproveCallback = Callable[[Pending], Answer | Awaitable[Answer]]
"""Asked once for each call that needs a person; the script waits and its wall clock stands."""


def pending_id(run_id: str, seq: int, tool: str, args: bytes) -> str:
    """The id of a waiting call: another run, place, tool or argument gives another id."""
    digest = hashlib.sha256(b"\0".join((run_id.encode(), b"%d" % seq, tool.encode(), args)))
    return f"{seq}-{digest.hexdigest()[:20]}"
