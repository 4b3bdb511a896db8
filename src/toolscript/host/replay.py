"""One run at work under its journal: what is recorded, and when a script may go on.

A run that is resumed is run again from its first line. Calls that the journal knows to have
ended are not made: their results are given to the script in the order in which it first got
them. What the journal does not know begins when the last of these has been given.

**Why nothing happens twice and nothing is lost.** All entries of a run go to the journal through
one queue, in the order in which they arose, and each commit takes a stretch of that queue from
its head. So whenever an entry is durable, all that arose before it is.

1. A tool is called only when the `Started` entry of the call is durable. If the process dies at
   any later instant, the next one finds `Started` without `Finished`: it repeats the call if
   that does no harm, and stops otherwise (`unknown_outcome`), since nobody can tell whether the
   effect took place. If the process dies earlier, nothing took place.
2. A result is given to the script only when its `Finished` entry is durable. Whatever the script
   does with it comes later in the queue. So no effect can be in the world whose cause is not in
   the journal, and a replay takes the same path up to it. A call that the script saw ending is
   never made again, not even a harmless one.
3. A question is durable before anybody is told of it, an answer before it is acted on.
4. While a call waits for a person in a run that pauses, nothing is given to the script. Results
   that come in stay in the log behind a gate, and are the first to be given when it opens.
5. Every write names its owner and is refused once another process took the run over. By 1 such
   an owner begins no further call.

Commits are batched only with what arises in the same turn of the event loop or while a commit
is under way: nobody who waits for one waits longer for it, and nothing else is put off.

**Why the script takes the same path.** Its clock and random source come from the head; the clock
moves only with results, to recorded times; a guest takes in one result at a time and does all
that follows from it before the next (`Execution.resolve`); it has no other source of chance.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from toolscript import jsontext
from toolscript.errors import ResumeError, ToolError
from toolscript.host.approval import Answer, Edit, Happened, Verdict
from toolscript.host.commits import Commits
from toolscript.host.endings import differs, misses, unknown_outcome
from toolscript.host.entries import (
    Asked,
    Closed,
    Decided,
    Entry,
    Finished,
    Head,
    Opened,
    Started,
)
from toolscript.host.journal import Journal, StoredStatus
from toolscript.host.lease import Lease
from toolscript.host.recalled import CallId, Recalled
from toolscript.result import RunError, RunUsage
from toolscript.sandbox.runtime import Clock


class Deliver(Protocol):
    """Gives the script the result of a call."""

    def __call__(self, finished: Finished, *, replayed: bool) -> None: ...


@dataclass(slots=True)
class _Known:
    """The last that the journal knows of a call.

    `permission` is a person's answer to whether it may be made, for which they took `waited_ms`;
    `verdict` the answer to what became of it. Times are seconds since the epoch.
    """

    call: CallId
    state: Literal["asked", "decided", "started", "judged", "finished"]
    began_at: float | None = None
    asked_at: float | None = None
    waited_ms: float = 0.0
    permission: Answer | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of a person's answers, by the ids of the calls.

    `taken` are on record. `refused` bring arguments or a result that do not fit, and why: those
    calls go on waiting. `ignored` are for calls that wait for nothing.
    """

    taken: tuple[str, ...]
    refused: Mapping[str, str]
    ignored: tuple[str, ...]


class RunJournal:
    """The journal of one run, held under a lease by one event loop.

    `past` is the log up to now; that of a run which begins is empty.
    """

    def __init__(self, journal: Journal, head: Head, lease: Lease, past: Sequence[Entry]):
        self.head = head
        self._commits = Commits(
            journal, head.run_id, lease, durable=self._is_durable, broken=self._broke
        )
        self._known: dict[int, _Known] = {}
        self._recorded: dict[int, Finished] = {}
        self._order: list[int] = []
        self._waiting: set[int] = set()
        self._gate: int | None = None
        self._now_ms = head.now_ms
        self._before = RunUsage()
        self._read(past)
        self._unseen = set(self._known)
        self._seen: set[int] = set()
        self._unknown: dict[int, CallId] = {}
        self._diverged: RunError | None = None
        self._replayed = len(self._order)
        self._durable = len(self._order)
        self._given = 0
        self._caught_up = asyncio.Event()
        self._failed = False
        self._deliver: Deliver | None = None
        self._fail: Callable[[BaseException], None] | None = None
        self._commits.put(Opened(time.time()))

    @property
    def clock(self) -> Clock:
        """The clock and random source that the script is run with, each time."""
        return Clock(self.head.now_ms, self.head.seed, advancing=self.head.advancing)

    @property
    def paused(self) -> bool:
        """Whether a call waits for a person, and the script gets nothing until it has one."""
        return bool(self._waiting)

    @property
    def caught_up(self) -> bool:
        """Whether everything that was recorded has happened again."""
        return self._caught_up.is_set()

    @property
    def unknown(self) -> tuple[CallId, ...]:
        """The calls that may or may not have taken effect, in the order of the script."""
        return tuple(self._unknown[seq] for seq in sorted(self._unknown))

    @property
    def problem(self) -> RunError | None:
        """Why the run cannot go on: the script diverged, or an outcome is unknown. Or None.

        To be asked after `deliver_due`. An unknown outcome shows when all recorded calls have
        been made again, so that each of them is named.
        """
        if self._diverged is not None:
            return self._diverged
        if self._unknown and not self._unseen:
            return unknown_outcome(self.unknown)
        return None

    def attach(self, deliver: Deliver, fail: Callable[[BaseException], None]) -> None:
        """Name who gives results to the script, and who hears that the journal failed.

        `deliver` is called by `deliver_due`, and by the loop when a commit is through. After
        `fail` nothing more is delivered, and whoever waits for a commit gets the same exception.
        """
        self._deliver = deliver
        self._fail = fail
        self.deliver_due()

    # What the host says and asks while the script runs.

    def recall(self, call: CallId, *, repeatable: bool) -> Recalled:
        """What is known of a call that the script has just made.

        `repeatable` is the host's word that making it twice does no harm.
        """
        self._seen.add(call.seq)
        self._unseen.discard(call.seq)
        known = self._known.get(call.seq)
        if known is None:
            return Recalled("new")
        if known.call.id != call.id:
            self._diverged = self._diverged or differs(known.call, call)
            return Recalled("refused")
        if known.state == "finished":
            return Recalled("finished", finished=self._recorded[call.seq])
        found = Recalled(
            known.state if known.state != "started" else "repeat" if repeatable else "unknown",
            known.permission,
            known.verdict,
            began_at=known.began_at,
            waited_ms=known.waited_ms,
        )
        if found.state == "unknown":
            self._unknown[call.seq] = call
        return found

    def deliver_due(self) -> None:
        """Give the script all that it may get now. To be called after each batch of its calls."""
        assert self._deliver is not None, "attach() comes first"
        end = self._durable if self._gate is None else min(self._durable, self._gate)
        while self._given < end and self._diverged is None and not self._failed:
            seq = self._order[self._given]
            if seq not in self._seen:
                break
            index, self._given = self._given, self._given + 1
            # A result may be large, and the journal has it.
            self._deliver(self._recorded.pop(seq), replayed=index < self._replayed)
        due = self._replayed if self._gate is None else min(self._replayed, self._gate)
        if self._given >= due and not self._unseen and not self._unknown:
            self._caught_up.set()

    @property
    def owes(self) -> bool:
        """Whether the script will get a result although nothing else happens."""
        end = len(self._order) if self._gate is None else self._gate
        return self._given < end and self._order[self._given] in self._seen

    async def live(self) -> None:
        """Return when all that was recorded has happened again, and new things may."""
        await self._caught_up.wait()

    def halted(self, *, ended: bool) -> RunError | None:
        """What it means that the script ended, or that it rests with nothing under way.

        None if nothing is on record that should have happened again; else the run diverged.
        """
        if ended and self._unseen:
            return self._diverged or misses(self._known[min(self._unseen)].call, ended=True)
        if ended or self.caught_up or self.problem is not None:
            return self._diverged
        due = self._durable if self._gate is None else min(self._durable, self._gate)
        seq = self._order[self._given] if self._given < due else min(self._unseen, default=None)
        return None if seq is None or seq in self._seen else misses(self._known[seq].call)

    async def start(self, call: CallId, *, read_only: bool = False) -> None:
        """Record that a call begins. It may be handed to its tool when this returns."""
        began_at = time.time()
        known = self._known.setdefault(call.seq, _Known(call, "started"))
        known.state, known.began_at = "started", known.began_at or began_at
        self._commits.put(Started(call.seq, call.id, call.tool, call.shown, began_at))
        if not read_only:
            await self._commits.commit()

    async def ask(self, call: CallId, *, pausing: bool) -> None:
        """Record that a call needs a person, who may be told when this returns.

        With `pausing` the script gets nothing more until the call has an answer.
        """
        known = self._known.setdefault(call.seq, _Known(call, "decided"))
        if known.state != "asked" or (pausing and call.seq not in self._waiting):
            asked_at = time.time()
            known.state, known.asked_at = "asked", known.asked_at or asked_at
            self._commits.put(
                Asked(call.seq, call.id, call.tool, call.shown, asked_at, pausing, self._given)
            )
        if pausing:
            self._hold(call.seq, self._given)
        await self._commits.commit()

    async def decide(self, call: CallId, answer: Answer) -> None:
        """Record what a person said to a call. It may be acted on when this returns.

        Raises:
            ToolError: for an Edit whose arguments are no JSON.
        """
        try:
            self._decide(self._known[call.seq], _written(answer))
        except _NO_JSON as error:
            raise ToolError(
                f"the edited arguments are no JSON: {error}", code="invalid_args"
            ) from None
        await self._commits.commit()
        self._release(call.seq)
        self.deliver_due()

    def now_ms(self) -> int:
        """The time to record with a result: this machine's, but never before an earlier one."""
        self._now_ms = max(self._now_ms, time.time_ns() // 1_000_000)
        return self._now_ms

    def finish(self, finished: Finished) -> None:
        """Record how a call ended. It is delivered when it is durable and its turn comes."""
        seq = finished.seq
        self._seen.add(seq)
        self._recorded[seq] = finished
        self._order.append(seq)
        if (known := self._known.get(seq)) is not None:
            known.state = "finished"
        self._commits.put(finished)
        self._commits.commit_soon()

    # What the engine does around it.

    async def answer(
        self, answers: Mapping[str, Verdict], problem_of: Callable[[CallId, Verdict], str]
    ) -> Answered:
        """Record the answers to waiting calls and unknown outcomes, before the script runs.

        For an unknown outcome Approve makes the call again, Reject takes it as failed and
        Happened as done.

        Args:
            problem_of: says what is wrong with what an Edit or a Happened brings, "" if nothing.

        Raises:
            ResumeError: for an answer that a call of this state cannot have.
        """
        open_calls = {
            known.call.id: known
            for known in self._known.values()
            if known.state in ("asked", "started")
        }
        given = {id: (open_calls[id], answer) for id, answer in answers.items() if id in open_calls}
        for known, answer in given.values():
            _check_kind(known, answer)
        problems = {id: problem_of(known.call, answer) for id, (known, answer) in given.items()}
        for id, (known, answer) in given.items():
            if not problems[id]:
                self._decide(known, _written(answer))
                self._release(known.call.seq)
        await self._commits.commit()
        return Answered(
            taken=tuple(id for id, problem in problems.items() if not problem),
            refused={id: problem for id, problem in problems.items() if problem},
            ignored=tuple(id for id in answers if id not in open_calls),
        )

    async def settle(self, status: StoredStatus, outcome: str, usage: RunUsage) -> None:
        """Record how the run stands and let go of it; `usage` is the `total`.

        Raises:
            ResumeError: if another process has taken the run over.
        """
        before = self._before
        cpu_s = None if usage.cpu_s is None else usage.cpu_s - (before.cpu_s or 0.0)
        queue_s = max(0.0, usage.queue_s - before.queue_s)
        self._commits.put(Closed(time.time(), cpu_s, queue_s, usage.peak_parallel))
        await self._commits.settle(status, outcome.encode())

    async def let_go(self, status: StoredStatus, outcome: bytes | None) -> None:
        """Let go of a run that did not come to an end, so that it can be resumed at once.

        For the way out of a failure: a run that has another owner by now is left to it.
        """
        await self._commits.let_go(status, outcome)

    def total(self, usage: RunUsage) -> RunUsage:
        """What the run used in all the processes that were at work on it."""
        before = self._before
        cpu = [part for part in (before.cpu_s, usage.cpu_s) if part is not None]
        return replace(
            usage,
            wall_s=before.wall_s + usage.wall_s,
            cpu_s=sum(cpu) if cpu else None,
            queue_s=before.queue_s + usage.queue_s,
            peak_parallel=max(before.peak_parallel, usage.peak_parallel),
        )

    # The log as it was left.

    def _read(self, past: Sequence[Entry]) -> None:
        opened = last = 0.0
        for entry in past:
            match entry:
                case Opened():
                    self._spent(last - opened)
                    opened = last = entry.at
                case Closed():
                    self._spent(entry.at - opened, entry)
                    opened = last = entry.at
                case Started():
                    known = self._known.setdefault(entry.seq, _Known(_call(entry), "started"))
                    known.state, known.began_at = "started", known.began_at or entry.at
                    last = entry.at
                case Asked():
                    known = self._known.setdefault(entry.seq, _Known(_call(entry), "asked"))
                    known.state, known.asked_at = "asked", known.asked_at or entry.at
                    if entry.pausing:
                        self._hold(entry.seq, entry.given)
                    last = entry.at
                case Decided():
                    self._note(self._known[entry.seq], entry.answer, entry.at)
                    self._release(entry.seq)
                case Finished():
                    known = self._known.setdefault(entry.seq, _Known(_call(entry), "finished"))
                    known.state = "finished"
                    self._recorded[entry.seq] = entry
                    self._order.append(entry.seq)
                    self._now_ms = entry.now_ms
                    last = entry.now_ms / 1000
        self._spent(last - opened)

    def _spent(self, wall_s: float, closed: Closed | None = None) -> None:
        self._before = self.total(
            RunUsage(
                wall_s=max(0.0, wall_s),
                cpu_s=closed.cpu_s if closed else None,
                queue_s=closed.queue_s if closed else 0.0,
                peak_parallel=closed.peak_parallel if closed else 0,
            )
        )

    def _note(self, known: _Known, answer: Verdict, at: float) -> None:
        if known.state == "asked" and not isinstance(answer, Happened):
            known.state, known.permission = "decided", answer
            known.waited_ms = max(0.0, at - (known.asked_at or at)) * 1000
        else:
            known.state, known.verdict = "judged", answer

    def _decide(self, known: _Known, answer: Verdict) -> None:
        at = time.time()
        self._note(known, answer, at)
        self._commits.put(Decided(known.call.seq, known.call.id, at, answer))

    # The gate: nothing is given to the script beyond what it had at the first open question.

    def _hold(self, seq: int, given: int) -> None:
        if not self._waiting:
            self._gate = given
        self._waiting.add(seq)

    def _release(self, seq: int) -> None:
        self._waiting.discard(seq)
        if not self._waiting:
            self._gate = None

    # What the queue to the journal tells.

    def _is_durable(self, entries: Sequence[Entry]) -> None:
        self._durable += sum(isinstance(entry, Finished) for entry in entries)
        if self._deliver is not None:
            self.deliver_due()

    def _broke(self, error: BaseException) -> None:
        self._failed = True
        if self._fail is not None:
            self._fail(error)


def _check_kind(known: _Known, answer: Verdict) -> None:
    """Raises `ResumeError` for an answer to another question than the one that is open."""
    call = known.call
    if known.state == "started" and isinstance(answer, Edit):
        raise ResumeError(
            f"call {call.seq} ({call.name}) was already made and nobody knows its outcome: answer "
            "Approve() to make it again as it was, Reject(reason) to take it as failed, or "
            "Happened(result) to take it as done"
        )
    if known.state == "asked" and isinstance(answer, Happened):
        raise ResumeError(
            f"call {call.seq} ({call.name}) was not made yet, it waits for leave: answer "
            "Approve(), Reject(reason) or Edit(args); Happened(result) is for a call whose "
            "outcome nobody knows"
        )


_NO_JSON: Final = (TypeError, ValueError, RecursionError)


def _written(answer: Verdict) -> Verdict:
    """An answer as it will be read from the journal."""
    if isinstance(answer, Edit):
        return replace(answer, args=jsontext.loads(jsontext.dumps(answer.args)))
    if isinstance(answer, Happened):
        return replace(answer, result=jsontext.loads(jsontext.dumps(answer.result)))
    return answer


def _call(entry: Started | Asked | Finished) -> CallId:
    return CallId(entry.seq, entry.id, entry.tool, entry.shown)
