"""Calls of helpers: timers, discovery, the embedder's global functions. They leave no receipt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, cast

from toolscript import jsontext
from toolscript.host.approval import Happened, Reject
from toolscript.host.arguments import fitting_arguments
from toolscript.host.context import CallContext
from toolscript.host.delivery import Delivery
from toolscript.host.endings import bad_guest, call_limit
from toolscript.host.entries import Reply
from toolscript.host.failures import failed, failure_of, log_failure, script_error
from toolscript.host.handler import handled
from toolscript.host.recalled import CallId, Recalled
from toolscript.host.receipts import Record
from toolscript.host.results import fitting_result
from toolscript.host.setup import RunSetup
from toolscript.host.undecided import judged
from toolscript.host.values import JsonText
from toolscript.result import CallError, RunError
from toolscript.sandbox.frames import CallFrame

SLEEP: Final = "sleep"

_MOST_AT_ONCE: Final = 10_000
"""Helper calls and timers that one script may have under way."""

_NULL: Final = JsonText("null", 4)


class Helpers:
    """Answers the helper calls of one run.

    Args:
        end: ends the run with an error that no script can catch.
        passed: takes an exception that has to pass through the run.
        changed: told whenever a helper call is over.
    """

    def __init__(
        self,
        setup: RunSetup,
        delivery: Delivery,
        *,
        end: Callable[[RunError], None],
        passed: Callable[[BaseException], None],
        changed: Callable[[], None],
    ) -> None:
        self._setup = setup
        self._delivery = delivery
        self._end = end
        self._passed = passed
        self._changed = changed
        self._loop = asyncio.get_running_loop()
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._acting = 0

    @property
    def acting(self) -> bool:
        """Whether a function is being called, which may have effects; a timer has none."""
        return self._acting > 0

    @property
    def at_work(self) -> bool:
        return bool(self._timers or self._tasks)

    def submit(self, frame: CallFrame) -> None:
        """Answer one helper call, now or later."""
        seen = len(self._timers) + len(self._tasks) + 1
        if seen > _MOST_AT_ONCE:
            what = "timers and helper calls at once"
            self._end(call_limit("helpers", _MOST_AT_ONCE, seen, what, line=frame.line))
            return
        try:
            args = jsontext.loads(frame.args)
        except (ValueError, RecursionError):
            self._end(bad_guest(f"the arguments of call {frame.seq} are no JSON"))
            return
        name = str(frame.target)
        record = Record(frame.seq, name, None, frame.args, frame.line)
        known, recalled = self._recall(record)
        if recalled.state in ("finished", "unknown", "refused"):
            self._delivery.owed += recalled.state == "finished"
            return
        if name == SLEEP and self._setup.journal is None:
            seconds = _sleep_seconds(args)
            self._timers[frame.seq] = self._loop.call_later(seconds, self._wake, frame.seq)
            return
        work = (
            self._sleep(record, args, known, recalled)
            if name == SLEEP
            else self._help(record, args, known, recalled)
        )
        task = self._loop.create_task(cast("Coroutine[Any, Any, None]", work))
        self._tasks[frame.seq] = task
        task.add_done_callback(lambda task: self._over(frame.seq, task))

    def cancel(self, seq: int) -> None:
        """The script no longer waits for that call."""
        if (timer := self._timers.pop(seq, None)) is not None:
            timer.cancel()
        if (task := self._tasks.get(seq)) is not None:
            task.cancel()

    def stop(self) -> list[asyncio.Task[None]]:
        """Give everything up; gives the tasks that are not over yet."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        return tasks

    def _recall(self, record: Record) -> tuple[CallId | None, Recalled]:
        journal = self._setup.journal
        if journal is None:
            return None, Recalled("new")
        known = record.known(self._setup.run_id, record.tool, self._setup.profile.redact)
        helper = self._setup.helpers.get(record.tool)
        repeatable = helper is None or helper.options.idempotent or helper.options.read_only
        return known, journal.recall(known, repeatable=repeatable)

    def _wake(self, seq: int) -> None:
        if self._timers.pop(seq, None) is not None:
            self._delivery.resolve(seq, _NULL)
            self._changed()

    def _over(self, seq: int, task: asyncio.Task[None]) -> None:
        self._tasks.pop(seq, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._passed(error)
        self._changed()

    async def _sleep(
        self, record: Record, args: Any, known: CallId | None, recalled: Recalled
    ) -> None:
        """A timer on record: after a resume only what is left of it is waited for."""
        journal = self._setup.journal
        assert journal is not None
        assert known is not None
        await journal.live()
        await journal.start(known)
        seconds = _sleep_seconds(args)
        if recalled.began_at is not None:
            seconds = max(0.0, min(seconds, recalled.began_at + seconds - time.time()))
        await asyncio.sleep(seconds)
        record.end("ok", _NULL)
        self._delivery.owed += 1
        journal.finish(record.finished(known, journal.now_ms(), Reply(_NULL.text)))

    async def _help(
        self, record: Record, sent: Any, known: CallId | None, recalled: Recalled
    ) -> None:
        setup, journal = self._setup, self._setup.journal
        helper = setup.helpers.get(record.tool)
        if journal is not None and known is not None:
            await journal.live()
            read_only = helper is None or helper.options.read_only
            await journal.start(known, read_only=read_only)
        error: CallError | None = None
        result: JsonText | None = None
        context = CallContext(
            setup, record.seq, record.tool, record.line, setup.authority, setup.deadline
        )
        try:
            if helper is None:
                raise failed("unknown_tool", f"there is no function {record.tool!r} here")
            gate = setup.gates.of(helper)
            if isinstance(recalled.verdict, Reject | Happened):
                result = judged(record, recalled, recalled.verdict, gate, setup.profile)
            else:
                args = fitting_arguments(sent, gate, record, setup.profile)
                self._acting += 1
                try:
                    value = await handled(gate, args, context, record, Record.start)
                finally:
                    self._acting -= 1
                result = fitting_result(value, args, gate, setup.profile)
            record.end("ok", result)
        except Exception as raised:
            log_failure(raised, record.tool, setup.run_id, record.seq)
            error = failure_of(raised, setup.profile)
            record.end("error", error=error)
        told = None if error is None else script_error(error, record.tool)
        images = tuple(context.images)
        if journal is not None and known is not None:
            reply = Reply(error=told, images=images)
            if result is not None:
                reply = Reply(result.text, result.bigints, result.face, images=images)
            self._delivery.owed += 1
            journal.finish(record.finished(known, journal.now_ms(), reply))
        elif told is not None:
            self._delivery.reject(record.seq, told, images=images)
        elif result is not None:
            self._delivery.resolve(record.seq, result, images=images)


def _sleep_seconds(args: Any) -> float:
    """Seconds of `{"ms": ...}`; what is no such thing is no wait."""
    ms: Any = cast("Mapping[str, Any]", args).get("ms") if isinstance(args, dict) else args
    if isinstance(ms, bool) or not isinstance(ms, int | float):
        return 0.0
    return min(max(float(ms), 0.0), 2**31 - 1) / 1000
