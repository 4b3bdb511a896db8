"""One run: the frames of a guest go in, calls are answered, and one result comes out.

Whatever happens, the run ends in exactly one way; no tool of it is still at work then, the
guest is gone, and everything that took effect is on record.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from toolscript import jsontext
from toolscript.events import Output as OutputEvent
from toolscript.events import Progress, RunEnded, RunStarted
from toolscript.host.calls import Calls
from toolscript.host.delivery import Delivery
from toolscript.host.endings import (
    aborted,
    after_calls,
    bad_guest,
    left_by,
    listed,
    over_limit,
    stalled,
    tainted,
    too_late,
    unawaited,
)
from toolscript.host.entries import Image
from toolscript.host.helpers import Helpers
from toolscript.host.naming import named_code
from toolscript.host.observe import Observer
from toolscript.host.output import Output, OverLimit
from toolscript.host.setup import NestedScope, RunSetup
from toolscript.host.shielded import shielded
from toolscript.host.store import Writes
from toolscript.render import shorten_value
from toolscript.result import ErrorKind, Pending, RunError, RunResult, RunUsage, StoreWrites
from toolscript.sandbox.frames import (
    CallFrame,
    CancelFrame,
    EndFrame,
    Frame,
    IdleFrame,
    OutputFrame,
    ProgressFrame,
    StoreFrame,
)
from toolscript.sandbox.runtime import Execution

__all__ = ["NestedScope", "RunSetup", "drive"]

_log = logging.getLogger("toolscript")

_GRACE_S: Final = 2.0
"""Seconds that a cancelled tool gets to let go."""

_LAST_WORDS_S: Final = 1.0
"""Seconds after the deadline in which a script that computes may still hand over its output."""

_MOST_LAST_WORDS: Final = 3
"""How many times that is given to a script to which a busy machine gives no time to compute."""


_PROGRESS_CHARS: Final = 1_000
"""Of a message that tells of progress, what is passed on."""


async def drive(setup: RunSetup, execution: Execution) -> RunResult:
    """Run one execution to its end and say how it ended.

    Raises:
        CancelledError: when the awaiting task is cancelled; script and tools are stopped first.
        BaseException: by which a framework steers: when a tool raises one that is no `Exception`,
            the script never sees it; calls under way finish and are recorded, then it is raised
            from here, with any further ones as an exception group in its `__cause__`.
    """
    return await _Run(setup, execution).to_end()


_Ending = EndFrame | RunError | None
"""Of the guest's own accord, by the host's, or None where neither: paused, or passed through."""


class _Run:
    def __init__(self, setup: RunSetup, execution: Execution) -> None:
        self._setup = setup
        self._execution = execution
        self._loop = asyncio.get_running_loop()
        self._began = time.monotonic()
        self._observer = Observer(setup.observers)
        self._delivery = Delivery(execution, setup.clock, show=self._show)
        limits = setup.profile.limits
        self._output = Output(limits, truncate=setup.profile.overflow == "truncate")
        self._writes = Writes(limits)
        self._calls = Calls(
            setup,
            self._delivery,
            self._observer,
            end=self._end,
            passed=self._pass,
            changed=self._look,
            person_decides=self._person_decides,
        )
        self._helpers = Helpers(
            setup, self._delivery, end=self._end, passed=self._pass, changed=self._look
        )
        self._ending: asyncio.Future[_Ending] = self._loop.create_future()
        self._stop_listening: Callable[[], Awaitable[None]] | None = None
        self._stopping: list[asyncio.Task[None]] | None = None
        self._guest: EndFrame | None = None
        self._draining = False
        self._paused: tuple[Pending, ...] = ()
        self._idle_at: int | None = None
        self._last_seq = 0
        self._raised: list[BaseException] = []
        self._warnings: list[str] = []
        self._deadline = setup.deadline
        self._alarm: asyncio.TimerHandle | None = None
        self._late: RunError | None = None
        self._progressed = 0
        self._deciding = 0
        self._decides_since = 0.0

    # -- from begin to end

    async def to_end(self) -> RunResult:
        setup = self._setup
        self._observer.send(RunStarted(setup.run_id, setup.resumed))
        unlisten = self._listen_to_cancel()
        ending: _Ending = None
        stopped: BaseException | None = None
        try:
            if setup.journal is not None:
                setup.journal.attach(self._calls.deliver, self._pass)
            if not self._ending.done():
                self._set_alarm()
                # Frames may come while a tool delivers its result: what they bring has the
                # run's context variables all the same.
                context = contextvars.copy_context()
                self._stop_listening = self._execution.listen(partial(context.run, self._heard))
            ending = await self._ending
        except BaseException as error:
            stopped = error
        unlisten()
        if self._alarm is not None:
            self._alarm.cancel()
        stopped = await shielded(self._leave) or stopped
        if stopped is None and self._raised:
            stopped, *rest = self._raised
            if rest:
                stopped.__cause__ = BaseExceptionGroup("other calls ended the same way", rest)
        # Whoever watches hears of every end.
        result = self._result(ending if stopped is None else left_by(stopped))
        self._observer.send(RunEnded(setup.run_id, result.as_shown()))
        await self._observer.close()
        if stopped is not None:
            raise stopped
        return result

    def _heard(self, frames: Sequence[Frame]) -> None:
        try:
            for frame in frames:
                self._take(frame)
            self._calls.start()
            if self._setup.journal is not None:
                self._setup.journal.deliver_due()
            self._look()
        except Exception as error:
            _log.exception("the host failed")
            self._end(
                RunError(ErrorKind.WORKER_EXIT, f"the run broke off ({type(error).__name__})")
            )
        except BaseException as error:
            # Nobody would hear of it here, and the run would wait for ever.
            self._raised.append(error)
            if not self._ending.done():
                self._ending.set_result(None)

    def _take(self, frame: Frame) -> None:
        match frame:
            case CallFrame():
                self._idle_at = None
                if frame.seq <= self._last_seq:
                    self._end(bad_guest(f"call {frame.seq} came after call {self._last_seq}"))
                    return
                self._last_seq = frame.seq
                if self._ending.done() or self._late is not None:
                    return
                if frame.kind == "helper":
                    self._helpers.submit(frame)
                else:
                    self._calls.submit(frame)
                return
            case IdleFrame():
                self._idle_at = frame.settled
                return
            case EndFrame():
                # What the script called before its end starts before it.
                self._calls.start()
                self._guest = frame
                if self._setup.profile.unawaited == "drain":
                    self._draining = True
                    self._calls.stop_waiting()
                return
            case _:
                self._idle_at = None
        try:
            match frame:
                case OutputFrame():
                    self._print(frame)
                case StoreFrame():
                    self._writes.take(frame)
                case ProgressFrame():
                    self._progress(frame)
                case CancelFrame():
                    self._helpers.cancel(frame.seq)
        except OverLimit as over:
            self._end(over_limit(over))

    def _print(self, frame: OutputFrame) -> None:
        item = self._output.take(frame)
        if item is not None:
            self._observer.send(OutputEvent(self._setup.run_id, item, self._replaying))

    def _progress(self, frame: ProgressFrame) -> None:
        """Progress is for whoever watches, and no part of the output: only bounded like it."""
        self._progressed += 1
        most = self._setup.profile.limits.output_items
        if self._progressed > most:
            raise OverLimit("output_items", most, self._progressed)
        message = frame.message[:_PROGRESS_CHARS]
        self._observer.send(Progress(self._setup.run_id, message, frame.fraction, self._replaying))

    def _show(self, image: Image) -> None:
        try:
            self._print(OutputFrame("image", data=image.data, mime_type=image.mime_type))
        except OverLimit as over:
            self._end(over_limit(over))

    @property
    def _replaying(self) -> bool:
        journal = self._setup.journal
        return journal is not None and not journal.caught_up

    # -- when it is over

    def _end(self, error: RunError) -> None:
        """End the run with an error that the script cannot catch. The first one counts."""
        if not self._ending.done():
            self._ending.set_result(error)

    def _pass(self, error: BaseException) -> None:
        """Raise `error` from the run, once what is under way has finished."""
        self._raised.append(error)
        self._delivery.holding = True
        self._look()

    def _look(self) -> None:
        """See whether the run is over: the guest ended, or nothing can go on."""
        if self._ending.done():
            return
        journal = self._setup.journal
        if self._late is not None:
            if self._guest is not None or self._idle_at == self._delivery.sent:
                self._end(self._late)
        elif journal is not None and (problem := journal.problem) is not None:
            self._paused = self._calls.undecided(journal.unknown)
            self._ending.set_result(problem)
        elif self._guest is not None and not self._raised:
            if not (self._draining and self._calls.live):
                self._ending.set_result(self._guest_ended(self._guest))
        elif (
            (self._guest is None and self._idle_at != self._delivery.sent)
            or self._calls.at_work
            or self._helpers.acting
        ):
            return
        elif self._raised:
            self._ending.set_result(None)
        elif self._calls.pending:
            self._paused = self._calls.pause()
            self._ending.set_result(None)
        elif journal is not None and (missing := journal.halted(ended=False)) is not None:
            self._ending.set_result(missing)
        elif not self._helpers.at_work and not self._delivery.owed:
            self._ending.set_result(stalled())

    def _guest_ended(self, frame: EndFrame) -> EndFrame | RunError:
        """What it means that the guest ended, with what it did not wait for."""
        journal = self._setup.journal
        if journal is not None and (missing := journal.halted(ended=True)) is not None:
            return missing
        tools = listed(self._calls.under_way)
        if not tools or frame.outcome not in ("returned", "exited"):
            return frame
        if self._setup.profile.unawaited == "error":
            return unawaited(tools)
        self._warnings.append(
            f"cancelled, as the script ended before they did: {tools}; write `await` in front of "
            "every call"
        )
        return frame

    def _listen_to_cancel(self) -> Callable[[], None]:
        token = self._setup.cancel
        if token is None:
            return lambda: None
        if token.cancelled:
            self._end(aborted(token.reason))

        def told() -> None:
            try:
                self._loop.call_soon_threadsafe(lambda: self._end(aborted(token.reason)))
            except RuntimeError:
                # The loop was closed: the run is over.
                return

        return token.listen(told)

    def _set_alarm(self) -> None:
        if self._deadline is None:
            return
        left = self._deadline - time.monotonic()
        self._alarm = self._loop.call_later(max(left, 0.0), self._ring)

    def _ring(self) -> None:
        assert self._deadline is not None
        assert self._setup.wall_s is not None
        late = time.monotonic() - self._deadline
        self._late = too_late(round(self._setup.wall_s, 2), late, self._calls.under_way)
        # A script that computes is stopped by its own clock at about the same time, and what it
        # has printed comes with its end.
        self._delivery.holding = True
        self._calls.stop()
        self._await_last_words(_MOST_LAST_WORDS)
        self._look()

    def _await_last_words(self, times: int) -> None:
        before = self._execution.usage.cpu_s

        def over() -> None:
            now = self._execution.usage.cpu_s
            starved = before is not None and now is not None and now - before < _LAST_WORDS_S / 2
            if starved and times > 1:
                self._await_last_words(times - 1)
            elif self._late is not None:
                self._end(self._late)

        self._alarm = self._loop.call_later(_LAST_WORDS_S, over)

    def _person_decides(self, begins: bool) -> None:
        """The wall clock stands still while a person decides."""
        self._deciding += 1 if begins else -1
        if self._setup.person_decides is not None:
            self._setup.person_decides(begins)
        if self._deadline is None:
            return
        if begins and self._deciding == 1:
            self._decides_since = time.monotonic()
            if self._alarm is not None:
                self._alarm.cancel()
        elif not self._deciding and not self._ending.done():
            self._deadline += time.monotonic() - self._decides_since
            self._calls.deadline = self._deadline
            self._set_alarm()

    async def _leave(self) -> None:
        """Stop the guest and everything that works for it."""
        if self._stop_listening is not None:
            await self._stop_listening()
        self._delivery.holding = True
        if self._stopping is None:
            # Told once: a second cancellation would cut off how a tool lets go.
            self._stopping = [*self._calls.stop(), *self._helpers.stop()]
        try:
            await self._execution.aclose()
        except Exception:
            _log.exception("the runtime failed to close an execution")
        if self._stopping:
            await asyncio.wait(self._stopping, timeout=_GRACE_S)
        stuck = self._calls.abandon()
        if stuck:
            self._warnings.append(f"told to stop and still at work: {', '.join(stuck)}")

    # -- what came of it

    def _result(self, ending: _Ending) -> RunResult:
        setup, profile = self._setup, self._setup.profile
        records = self._calls.records.values()
        error: RunError | None = None
        value: Any = None
        has_value, text = False, None
        if isinstance(ending, RunError):
            error = ending
        elif ending is not None and ending.outcome not in ("returned", "exited"):
            error = setup.explain(ending)
        elif ending is not None and ending.value is not None and profile.returns == "value":
            try:
                value = self._value(ending.value)
                has_value, text = True, ending.text
            except OverLimit as over:
                error = over_limit(over)
            except (ValueError, RecursionError):
                error = bad_guest("the returned value is no JSON")
        if error is None and ending is not None and profile.on_tool_error == "taint":
            error = tainted(records)
        if error is not None:
            error = self._within_account(after_calls(error, records))
            error = replace(error, code=named_code(error, profile, records))
        return RunResult(
            run_id=setup.run_id,
            status="failed" if error else "completed" if ending else "paused",
            value=value,
            has_value=has_value,
            value_text=text,
            output=tuple(self._output.items),
            calls=tuple(record.call(profile.redact) for record in records),
            error=error,
            pending=self._paused,
            store_writes=StoreWrites() if error or ending is None else self._writes.result(),
            warnings=tuple(self._warnings),
            usage=self._usage(ending),
            principal=setup.authority.principal if setup.authority else "",
        )

    def _value(self, text: bytes) -> Any:
        profile = self._setup.profile
        value = jsontext.loads(text)
        try:
            self._output.check_value(text)
        except OverLimit as over:
            if profile.overflow != "truncate":
                raise
            self._warnings.append(f"the value was cut: {over}")
            return shorten_value(value, int(over.allowed))
        if profile.sorted_json:
            return jsontext.loads(jsontext.dumps(value, sort_keys=True))
        return value

    def _within_account(self, error: RunError) -> RunError:
        """The same error, or another one where even its message is too much output."""
        try:
            self._output.check_message(error.message)
        except OverLimit as over:
            if error.kind is not ErrorKind.OUTPUT_LIMIT:
                error = over_limit(over)
            return replace(error, message=self._output.fit(error.message), stack="", excerpt="")
        return error

    def _usage(self, ending: _Ending) -> RunUsage:
        used, journal = self._execution.usage, self._setup.journal
        calls = self._calls
        returned = ending.value if isinstance(ending, EndFrame) else None
        shown = self._output.bytes + len(returned or b"")
        own = RunUsage(
            wall_s=time.monotonic() - self._began,
            cpu_s=used.cpu_s,
            queue_s=used.queue_s,
            memory_peak_bytes=used.memory_peak_bytes,
            calls=len(calls.records),
            peak_parallel=calls.peak,
            chars_in=calls.chars_in,
            chars_out=calls.chars_out,
            chars_kept=max(calls.chars_in + calls.chars_out - shown, 0),
        )
        return own if journal is None else journal.total(own)
