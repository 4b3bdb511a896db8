"""A call of a tool between the script that made it and the end of its handler."""

from __future__ import annotations

import asyncio
from typing import Any

from toolscript.contract.entry import Entry
from toolscript.host.approval import Answer
from toolscript.host.context import CallContext
from toolscript.host.gates import ToolGate
from toolscript.host.policy import Authority
from toolscript.host.recalled import CallId
from toolscript.host.receipts import Record
from toolscript.host.schedule import Ticket


class LiveCall(Ticket):
    """One call on its way through the pipeline.

    Attributes:
        args: what the handler gets; set by the stage that looks at the arguments.
        sent: the JSON of the arguments that count: the script's, or a person's edit of them.
        authority: what the call may use; a decision may have narrowed it.
        known: the call as the journal knows it, where there is one.
        answer: what a person said already, in an earlier part of this run.
        allowed: the call was made in an earlier part of this run, and is made again.
        task: what is at work on the call, if anything is.
        stopped: the host gave the call up.
    """

    __slots__ = (
        "allowed",
        "answer",
        "args",
        "authority",
        "context",
        "entry",
        "gate",
        "known",
        "record",
        "sent",
        "stopped",
        "task",
    )

    def __init__(
        self,
        record: Record,
        entry: Entry,
        gate: ToolGate,
        authority: Authority | None,
        *,
        shared: bool,
    ) -> None:
        super().__init__(shared=shared)
        self.record = record
        self.entry = entry
        self.gate = gate
        self.authority = authority
        self.args: Any = None
        self.sent = record.args
        self.known: CallId | None = None
        self.answer: Answer | None = None
        self.allowed = False
        self.context: CallContext | None = None
        self.task: asyncio.Task[None] | None = None
        self.stopped = False
