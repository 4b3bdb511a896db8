"""The journal of a code run, kept by the graph's own checkpointer.

A node that was interrupted, or whose process died, is executed again from its first line. What
its script had already done is then taken from here: the run lives in a namespace of its own
beside the checkpoints of the thread, and goes when the thread is deleted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from langchain_core.runnables import RunnableConfig

from toolscript.host.approval import Again, Answer
from toolscript.host.entries import Finished, Started, entry_from_bytes
from toolscript.host.journal import StoredRun, StoredStatus
from toolscript.host.lease import Lease
from toolscript.langchain.session import Kept, Session

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

_CHECKPOINTER: Final = "__pregel_checkpointer"
_DURABILITY: Final = "__pregel_durability"

Write = tuple[str, Any]


@dataclass(slots=True)
class RunRecord:
    """One code run in the checkpointer: its place there, and what was written to it so far.

    A lazy one is for graphs of `durability="exit"`: it writes when the run pauses or ends, and
    what it did is lost with its process, as with the rest of such a graph.

    Each write gets a number of its own, since checkpointers keep the first write of each task
    and give them back in the order of the tasks' ids.
    """

    saver: BaseCheckpointSaver[Any]
    place: RunnableConfig
    is_async: bool
    session: Session
    is_lazy: bool = False
    _head: bytes | None = None
    _standing: tuple[StoredStatus, bytes | None] = ("running", None)
    _entries: list[bytes] = field(default_factory=list[bytes])
    _paused_at: dict[int, int] = field(default_factory=dict[int, int])
    _unwritten: list[Write] = field(default_factory=list[Write])
    _next: int = 0
    _kept: int = 0

    @property
    def run_id(self) -> str:
        """The same for each execution of the task."""
        place = self.place.get("configurable", {})
        return f"{place['thread_id']}/{place['checkpoint_ns']}"

    @property
    def stored(self) -> StoredRun | None:
        """The run as a journal has it; None for one that did not begin yet."""
        if self._head is None:
            return None
        status, outcome = self._standing
        return StoredRun(
            run_id=self.run_id,
            status=status,
            head=self._head,
            outcome=outcome,
            entries=tuple(self._entries),
            # The graph executes a task once at a time: whoever executes it owns its runs.
            lease=None,
            created_at=0.0,
            updated_at=time.time(),
        )

    async def load(self) -> None:
        """Read what an earlier execution of the node left, into the session too."""
        found = (
            await self.saver.aget_tuple(self.place)
            if self.is_async
            else self.saver.get_tuple(self.place)
        )
        if found is None:
            return
        self.place = found.config
        writes = sorted(found.pending_writes or (), key=lambda write: write[0])
        self._next = len({task for task, _, _ in writes})
        for _, channel, value in writes:
            if channel == "kept":
                self.session.kept.append(Kept(tuple(value[0]), value[1], tuple(value[2])))
            elif channel == "answers":
                self.session.pauses.answers = dict(value)
            else:
                self._note(channel, value)
        # A call that did not end is made again, and gives all of its own again.
        entries = map(entry_from_bytes, self._entries)
        ended = {entry.seq for entry in entries if isinstance(entry, Finished)}
        self.session.kept[:] = [one for one in self.session.kept if one.place[0] in ended]
        self._kept = len(self.session.kept)

    async def create(self, head: bytes) -> None:
        from langgraph.checkpoint.base import empty_checkpoint

        checkpoint = empty_checkpoint()
        metadata: Any = {"source": "loop", "step": 0, "parents": {}}
        self.place = (
            await self.saver.aput(self.place, checkpoint, metadata, {})
            if self.is_async
            else self.saver.put(self.place, checkpoint, metadata, {})
        )
        await self.write([("head", head)], now=False)

    async def write(self, writes: Iterable[Write], *, now: bool = True) -> None:
        """Keep some records, and before them what nested calls gave since the last time.

        Without `now` a lazy record may keep them later.
        """
        kept = self.session.kept[self._kept :]
        self._kept += len(kept)
        news = [("kept", [list(one.place), one.artifact, list(one.steering)]) for one in kept]
        records = [*news, *writes]
        if not records:
            return
        for channel, value in records:
            self._note(channel, value)
        self._unwritten += records
        if self.is_lazy and not now:
            return
        records, self._unwritten = self._unwritten, []
        task = f"{self._next:010d}"
        self._next += 1
        if self.is_async:
            await self.saver.aput_writes(self.place, records, task)
        else:
            self.saver.put_writes(self.place, records, task)

    def _note(self, channel: str, value: Any) -> None:
        if channel == "head":
            self._head = value
        elif channel == "entry":
            self._entries.append(value)
        elif channel == "status":
            self._standing = (value[0], value[1])
        elif channel == "paused":
            self._paused_at |= dict.fromkeys(value, len(self._entries))

    async def pause(self) -> None:
        """Keep what was answered, and which calls ask: they are made again with the answers."""
        pauses = self.session.pauses
        await self.write(
            [("answers", dict(pauses.answers)), ("paused", sorted(pauses.asking))],
        )

    def made_again(self) -> Mapping[str, Answer]:
        """Leave for the calls that interrupted the graph to be made again, by their ids.

        To the journal they began and did not end, and it would not repeat them by itself. One
        that began again since then was on its way when the process died: nobody knows its
        outcome, and it gets no leave.
        """
        open_calls: dict[int, tuple[str, int]] = {}
        for place, entry in enumerate(map(entry_from_bytes, self._entries)):
            if isinstance(entry, Started):
                open_calls[entry.seq] = (entry.id, place)
            elif isinstance(entry, Finished):
                open_calls.pop(entry.seq, None)
        return {
            id: Again()
            for seq, (id, place) in open_calls.items()
            if self._paused_at.get(seq, 0) > place
        }


current_record: ContextVar[RunRecord] = ContextVar("toolscript_run_record")


class CheckpointJournal:
    """`Journal` of the run that is at work in this context; see `host.journal`."""

    async def create(self, run_id: str, head: bytes, lease: Lease) -> bool:
        record = current_record.get()
        if record.stored is not None:
            return False
        await record.create(head)
        return True

    async def load(self, run_id: str) -> StoredRun | None:
        return current_record.get().stored

    async def claim(self, run_id: str, lease: Lease, *, instead_of: str | None) -> bool:
        return True

    async def append(self, run_id: str, lease: Lease, entries: Sequence[bytes]) -> bool:
        if entries:
            await current_record.get().write([("entry", entry) for entry in entries], now=False)
        return True

    async def settle(
        self, run_id: str, lease: Lease, status: StoredStatus, outcome: bytes | None
    ) -> bool:
        await current_record.get().write([("status", [status, outcome])])
        return True

    async def stored_runs(self) -> Sequence[StoredRun]:
        """Runs belong to their threads, and are listed and deleted with them."""
        return ()

    async def prune(self, before: float, *, unsettled: bool = False) -> int:
        return 0

    async def aclose(self) -> None:
        """The checkpointer is the graph's."""


def record_of(session: Session, *, is_async: bool) -> RunRecord | None:
    """Where the run of a session is kept; None outside of a graph with a checkpointer."""
    configurable: Mapping[str, Any] = (session.config or {}).get("configurable", {})
    saver = configurable.get(_CHECKPOINTER)
    thread = configurable.get("thread_id")
    # False and True stand for "none" and "the parent's", and reach only graphs, not their nodes.
    if saver is None or isinstance(saver, bool) or thread is None:
        return None
    # The task's namespace is the same for each of its executions, and of no other task.
    namespace = f"{configurable.get('checkpoint_ns', '')}|script:{session.call_id}"
    place: RunnableConfig = {"configurable": {"thread_id": str(thread), "checkpoint_ns": namespace}}
    is_lazy = configurable.get(_DURABILITY) == "exit"
    return RunRecord(saver, place, is_async, session, is_lazy)
