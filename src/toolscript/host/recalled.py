"""A call as the journal knows it, and what it knows of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolscript.host.approval import Answer
from toolscript.host.entries import Finished


@dataclass(frozen=True, slots=True)
class CallId:
    """One call of a script as the journal knows it.

    `id` is `approval.pending_id`; `tool` is how people know the tool, `shown` the beginning of
    its arguments, both for messages.
    """

    seq: int
    id: str
    tool: str
    shown: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """What the journal knows of a call that the script makes.

    state: "new" was never recorded; "finished" will be delivered by the journal; "repeat" was
    under way when its process died and is made again; "judged" was so too, and has a `verdict`;
    "asked" waits for a person; "decided" has an `answer`; "refused" ends the run
    (`RunJournal.problem`).
    answer: what a person said to whether the call may be made.
    verdict: what a person said about a call whose outcome nobody knew: Reject takes it as
    failed, any other makes it again.
    began_at: when the call was first made, in seconds since the epoch, for timers.
    finished: how the call ended, for its receipt.
    """

    state: Literal["new", "finished", "repeat", "judged", "asked", "decided", "refused"]
    answer: Answer | None = None
    verdict: Answer | None = None
    began_at: float | None = None
    finished: Finished | None = None
