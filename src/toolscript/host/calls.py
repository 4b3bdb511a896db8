"""The calls of one run, each through the same stages in the same order.

    known tool → arguments fit → authority → policy → approval → schedule → handler (timeout,
    retry) → result fits → receipt

Nothing runs before it is allowed. The stages up to the authority are done at once, in the order
in which the script made its calls; only a call that somebody has to be asked about gets a task
for the asking. The handler has a task of its own, which also delivers what it came to.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from toolscript import jsontext
from toolscript.errors import ToolError
from toolscript.events import CallCompleted, CallDenied, CallFailed, CallPending, CallStarted
from toolscript.host.approval import Again, Happened, Reject, word_of
from toolscript.host.arguments import fitting_arguments, idea_of, refused_unread
from toolscript.host.context import CallContext
from toolscript.host.delivery import Delivery
from toolscript.host.endings import bad_guest, call_limit
from toolscript.host.entries import Finished, Reply
from toolscript.host.failures import failure_of, log_failure, script_error, status_of
from toolscript.host.handler import handled
from toolscript.host.known_tools import KnownTools
from toolscript.host.live_call import LiveCall
from toolscript.host.observe import Observer
from toolscript.host.on_record import ASKED, NOT_BEGUN, UNKNOWN
from toolscript.host.permission import check_authority, needs_permission, permission
from toolscript.host.recalled import CallId
from toolscript.host.receipts import Record
from toolscript.host.results import fitting_result
from toolscript.host.schedule import Schedule, overlaps
from toolscript.host.setup import RunSetup
from toolscript.host.undecided import judged, questions
from toolscript.host.values import JsonText
from toolscript.result import CallError, Pending, RunError
from toolscript.sandbox.frames import CallFrame


class Calls:
    """Answers the calls of one run.

    Args:
        end: ends the run with an error that no script can catch.
        passed: takes an exception that has to pass through the run.
        changed: told whenever a call is over or begins to wait for a person.
        person_decides: told True and False around the time that a person takes.
    """

    def __init__(
        self,
        setup: RunSetup,
        delivery: Delivery,
        observer: Observer,
        *,
        end: Callable[[RunError], None],
        passed: Callable[[BaseException], None],
        changed: Callable[[], None],
        person_decides: Callable[[bool], None],
    ) -> None:
        profile = setup.profile
        self._setup = setup
        self._delivery = delivery
        self._observer = observer
        self._end = end
        self._passed = passed
        self._changed = changed
        self._person_decides = person_decides
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._known = KnownTools(setup.entries)
        # With `over_limit="fail"` there is no line to wait in.
        self._schedule: Schedule[LiveCall] = Schedule(
            mode=profile.parallel,
            most=profile.limits.parallel if profile.over_limit == "queue" else None,
            groups=profile.fixed_groups,
        )
        self.deadline = setup.deadline
        self.records: dict[int, Record] = {}
        self.live: dict[int, LiveCall] = {}
        self.pending: dict[int, Pending] = {}
        self.chars_in = 0
        self.chars_out = 0
        self._untold: dict[int, Record] = {}
        self._over = False
        self._held = 0
        self._passing = False

    @property
    def peak(self) -> int:
        """Most calls that ran at once."""
        return self._schedule.peak

    @property
    def at_work(self) -> bool:
        """Whether any call may still come to something by itself."""
        # Asked after each call, with mostly one to look at.
        held = self._held
        for call in self.live.values():
            if call.task is not None:
                if not held:
                    return True
                held -= 1
        return False

    def submit(self, frame: CallFrame) -> None:
        """Take one call of the script through the stages that need nobody else."""
        setup, entry = self._setup, self._known.find(frame.target)
        tool = entry.tool
        line = None if frame.line is None else setup.place(frame.line, entry)
        if self._over_run_limits(tool.name, line):
            return
        gate = setup.gates.of(tool)
        args, text = None, frame.args
        refused = refused_unread(frame.args, gate, setup.profile)
        if refused is not None:
            text = idea_of(frame.args, setup.profile.redact)
        else:
            try:
                args = jsontext.loads(frame.args)
            except (ValueError, RecursionError):
                self._end(bad_guest(f"the arguments of call {frame.seq} are no JSON"))
                return
        self.chars_in += len(frame.args)
        record = Record(frame.seq, tool.name, entry.namespace, text, line)
        options = tool.options
        record.changes = not options.read_only
        self.records[frame.seq] = record
        shared = overlaps(
            setup.profile.parallel, read_only=options.read_only, parallel=options.parallel
        )
        call = LiveCall(record, entry, gate, setup.authority, shared=shared)
        self.live[frame.seq] = call
        self._schedule.submit(call)
        try:
            if setup.journal is not None and self._recalled(call):
                return
            if entry.index < 0:
                raise self._known.unknown(tool.name, broker=setup.profile.broker)
            if refused is not None:
                raise refused
            call.args = fitting_arguments(args, gate, record, setup.profile)
            check_authority(setup, entry, record)
        except BaseException as error:
            self._broke(call, error)
            return
        # What may start does so after the whole batch of frames (`start`).
        if needs_permission(setup, call):
            call.task = self._task(self._ask, call)
        else:
            self._schedule.decide(call)

    def start(self) -> None:
        """Start every call whose turn it is; none once an exception is on its way through."""
        if self._passing:
            return
        for call in self._schedule.take():
            call.task = self._task(self._perform, call)

    def pause(self) -> tuple[Pending, ...]:
        """Leave the calls that have not started as they are; gives those that wait for a person."""
        pending = tuple(self.pending.values())
        for seq, call in list(self.live.items()):
            if call.task is None:
                call.record.remark(ASKED if seq in self.pending else NOT_BEGUN)
            self._leave(call)
        return pending

    def stop_waiting(self) -> None:
        """Give up the calls that have not started."""
        for call in [call for call in self.live.values() if not call.running]:
            self._stop(call)

    def stop(self) -> list[asyncio.Task[None]]:
        """Give up every call; gives the tasks that are not over yet."""
        calls = list(self.live.values())
        tasks = [call.task for call in calls if call.task is not None]
        for call in calls:
            self._stop(call)
        return tasks

    def abandon(self) -> list[str]:
        """Record as cancelled what did not end although it was told to; gives the tools."""
        stuck = list(self.live.values())
        for call in stuck:
            self._cancelled(call)
        # What ended here and does not get to the script any more has ended all the same.
        for record in self._untold.values():
            self._tell(record)
        self._over = True
        return [call.record.tool for call in stuck]

    def deliver(self, finished: Finished, *, replayed: bool) -> None:
        """Give the script a result that the journal holds; for `RunJournal.attach`."""
        if self._over:
            return
        self._untold.pop(finished.seq, None)
        record = self.records.get(finished.seq)
        if record is not None:
            self._tell(record)
            record.let_go(self._setup.profile.redact)
        self._delivery.owed -= 1
        reply = finished.reply
        if reply.error is not None:
            self._delivery.reject(finished.seq, reply.error, finished.now_ms, reply.images)
        else:
            text = reply.value or "null"
            value = JsonText(text, len(text), reply.bigints, reply.text)
            self._delivery.resolve(finished.seq, value, finished.now_ms, reply.images)

    def _task(
        self, work: Callable[[LiveCall], Coroutine[Any, Any, None]], call: LiveCall
    ) -> asyncio.Task[None]:
        # What one call does to its context variables is no other call's business.
        return self._loop.create_task(self._guarded(work, call), context=self._context.copy())

    async def _guarded(
        self, work: Callable[[LiveCall], Coroutine[Any, Any, None]], call: LiveCall
    ) -> None:
        """Nothing is to be raised here; what is would leave the run waiting for ever."""
        try:
            await work(call)
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:
            self._leave(call)
            self._passed(error)

    # -- known tool

    @property
    def under_way(self) -> list[Record]:
        """The calls that are not over, in the order of the script."""
        return [call.record for call in self.live.values()]

    def _over_run_limits(self, tool: str, line: int | None) -> bool:
        profile = self._setup.profile
        most, seen = profile.limits.calls, len(self.records) + 1
        if most is not None and seen > most:
            self._end(call_limit("calls", most, seen, "calls of tools", tool=tool, line=line))
            return True
        most, seen = profile.limits.parallel, len(self.live) + 1
        if profile.over_limit == "fail" and most is not None and seen > most:
            what = "calls at the same time"
            self._end(call_limit("parallel", most, seen, what, tool=tool, line=line))
            return True
        return False

    def _recalled(self, call: LiveCall) -> bool:
        """Whether the journal takes care of the call: it was made in an earlier part of the run."""
        journal, record = self._setup.journal, call.record
        assert journal is not None
        profile = self._setup.profile
        call.known = record.known(self._setup.run_id, call.entry.expression, profile.redact)
        options = call.entry.tool.options
        recalled = journal.recall(call.known, repeatable=options.idempotent or options.read_only)
        if recalled.finished is not None:
            record.replay(recalled.finished)
            self.chars_out += 0 if record.result is None else len(record.result.text)
        if recalled.state in ("finished", "unknown", "refused"):
            self._delivery.owed += recalled.state == "finished"
            if recalled.state == "unknown":
                record.started_at = recalled.began_at
                record.remark(UNKNOWN)
            self._leave(call)
            return True
        call.answer, verdict = recalled.answer, recalled.verdict
        record.waited_ms = recalled.waited_ms
        if isinstance(verdict, Reject | Happened):
            result = judged(record, recalled, verdict, call.gate, self._setup.profile)
            self._succeed(call, result)
            return True
        if verdict is not None and not isinstance(verdict, Again):
            record.decided(word_of(verdict))
        if recalled.state in ("repeat", "judged"):
            # It was allowed when it was first made.
            call.allowed = True
            record.remark("it was under way before, was cut off, and was made again")
        return False

    # -- policy and approval

    async def _ask(self, call: LiveCall) -> None:
        try:
            await self._caught_up()
            pending = await permission(
                self._setup,
                call,
                effects_so_far=self._effects,
                waits=self._asked,
                person_decides=self._person_decides,
            )
        except BaseException as error:
            self._broke(call, error)
            return
        call.task = None
        if pending is not None:
            self.pending[call.record.seq] = pending
            # With a journal it is the journal that holds back what comes in.
            self._delivery.holding = self._setup.journal is None
            self._changed()
            return
        self._schedule.decide(call)
        self.start()

    def _asked(self, pending: Pending) -> None:
        self._observer.send(CallPending(self._setup.run_id, pending.as_shown()))

    def _effects(self) -> list[str]:
        """The calls that have changed something so far, as a person may read them."""
        return [
            f"{record.tool} (call {record.seq})"
            for record in self.records.values()
            if record.status == "ok" and record.changes
        ]

    def undecided(self, calls: Sequence[CallId]) -> tuple[Pending, ...]:
        """What a person has to know of calls whose outcome the journal does not know."""
        return questions(calls, self.records, self._effects(), self._setup.profile.redact)

    # -- handler, result

    async def _perform(self, call: LiveCall) -> None:
        record, setup = call.record, self._setup
        try:
            if setup.journal is not None and call.known is not None:
                await self._caught_up()
                options = call.entry.tool.options
                await setup.journal.start(call.known, read_only=options.read_only)
            call.context = context = CallContext(
                setup,
                record.seq,
                record.tool,
                record.line,
                call.authority,
                self.deadline,
                self._decides_inside(record),
            )
            value = await handled(call.gate, call.args, context, record, self._begun)
            result = fitting_result(value, call.args, call.gate, setup.profile)
        except BaseException as error:
            self._broke(call, error)
        else:
            self._succeed(call, result)

    def _decides_inside(self, record: Record) -> Callable[[bool], None]:
        """Stops the clocks while a person decides about a call that a script of this call makes."""

        def decides(begins: bool) -> None:
            record.person_decides(begins)
            self._person_decides(begins)

        return decides

    def _begun(self, record: Record) -> None:
        record.start()
        if self._observer.listens:
            redact = self._setup.profile.redact
            self._observer.send(CallStarted(self._setup.run_id, record.call(redact)))

    async def _caught_up(self) -> None:
        """Wait until all that the journal recorded has happened again."""
        journal = self._setup.journal
        if journal is None or journal.caught_up:
            return
        self._held += 1
        try:
            await journal.live()
        finally:
            self._held -= 1

    # -- receipt, delivery

    def _broke(self, call: LiveCall, error: BaseException) -> None:
        """Something was raised on the call's way: the script's to see, the run's, or our own."""
        if isinstance(error, asyncio.CancelledError):
            if call.stopped:
                self._cancelled(call)
            else:
                # Something inside of the tool was cancelled, and not the call.
                self._fail(call, ToolError("the tool was cancelled", code="cancelled"))
        elif not isinstance(error, Exception | SystemExit):
            call.record.end("pending")
            self._leave(call)
            self._passing = True
            self._passed(error)
        else:
            self._fail(call, error)

    def _succeed(self, call: LiveCall, result: JsonText) -> None:
        call.record.end("ok", result)
        self.chars_out += len(result.text)
        self._settle(call, result, None)

    def _fail(self, call: LiveCall, error: BaseException) -> None:
        record = call.record
        log_failure(error, record.tool, self._setup.run_id, record.seq)
        found = failure_of(error, self._setup.profile)
        record.end(status_of(found), error=found)
        self._settle(call, None, found)

    def _settle(self, call: LiveCall, result: JsonText | None, error: CallError | None) -> None:
        if call.gone:
            # It ended after all, when the run was over without it.
            return
        record, journal = call.record, self._setup.journal
        # The delivery may bring the script's next calls at once: this one is over before it.
        self._leave(call)
        if call.task is not None:
            self.start()
        told = None if error is None else script_error(error, record.tool)
        images = () if call.context is None else tuple(call.context.images)
        if journal is not None and call.known is not None:
            if told is not None:
                reply = Reply(error=told, images=images)
            else:
                assert result is not None
                reply = Reply(result.text, result.bigints, result.face, images=images)
            self._delivery.owed += 1
            self._untold[record.seq] = record
            journal.finish(record.finished(call.known, journal.now_ms(), reply))
        else:
            self._tell(record)
            if told is not None:
                self._delivery.reject(record.seq, told, images=images)
            else:
                assert result is not None
                self._delivery.resolve(record.seq, result, images=images)
        record.let_go(self._setup.profile.redact)
        self._changed()

    def _tell(self, record: Record) -> None:
        if not self._observer.listens:
            return
        kind = {"ok": CallCompleted, "denied": CallDenied}.get(record.status, CallFailed)
        self._observer.send(kind(self._setup.run_id, record.call(self._setup.profile.redact)))

    # -- the end

    def _stop(self, call: LiveCall) -> None:
        call.stopped = True
        if call.context is not None:
            call.context.cancel()
        if call.task is None:
            self._cancelled(call)
        else:
            begun = call.context is not None
            call.task.cancel()
            if not begun:
                # A task that has not run yet ends without its own handling of this.
                self._cancelled(call)

    def _cancelled(self, call: LiveCall) -> None:
        if call.gone:
            return
        message = "the run ended before the call did"
        call.record.end("cancelled", error=CallError("cancelled", message))
        self._leave(call)
        if call.record.started_at is not None:
            self._tell(call.record)
        self._changed()

    def _leave(self, call: LiveCall) -> None:
        seq = call.record.seq
        self.live.pop(seq, None)
        self.pending.pop(seq, None)
        self._schedule.leave(call)
