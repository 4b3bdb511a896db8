"""A call as the journal knows it, and what it knows of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolscript.host.approval import Answer, Verdict
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

    @property
    def name(self) -> str:
        """The tool as receipts and questions name it."""
        return tool_name(self.tool)


def tool_name(expression: str) -> str:
    """The name of a tool from how scripts call it: `tools.pay` is pay, `bank.pay` stays so."""
    return expression.removeprefix("tools.")


@dataclass(frozen=True, slots=True)
class Recalled:
    """What the journal knows of a call that the script makes.

    state: "new" was never recorded; "finished" will be delivered by the journal; "repeat" was
    under way when its process died and is made again; "judged" was so too, and has a `verdict`;
    "unknown" was so and may not be made again: it ends the run; "asked" waits for a person;
    "decided" has an `answer`; "refused" ends the run as another call than the one on record
    (`RunJournal.problem`).
    answer: what a person said to whether the call may be made.
    verdict: what a person said about a call whose outcome nobody knew: Reject takes it as
    failed, Happened as done with its result, any other makes it again.
    began_at: when the call was first made, in seconds since the epoch.
    waited_ms: how long the person took to give `answer`.
    finished: how the call ended, for its receipt.
    """

    state: Literal["new", "finished", "repeat", "judged", "unknown", "asked", "decided", "refused"]
    answer: Answer | None = None
    verdict: Verdict | None = None
    began_at: float | None = None
    waited_ms: float = 0.0
    finished: Finished | None = None
