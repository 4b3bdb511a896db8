"""A run in numbered steps, for engines that make things durable themselves.

A workflow engine wants to make each call on its own: as an activity, a task, a row in a queue.
`CodeMode.start` runs a script until it can go no further without an answer and gives the calls
that it waits for; `Step.deliver` gives it answers and runs it to the next such point. The same
script with the same answers in the same order makes the same calls with the same numbers, so an
engine that replays its own history can replay this too. Nothing here touches a tool, a thread or
a clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolscript import jsontext
from toolscript.contract.tool import Tool, ToolContext
from toolscript.errors import InputError
from toolscript.host.approval import Answer, Happened
from toolscript.host.gates import ToolGates
from toolscript.host.helpers import SLEEP
from toolscript.host.shielded import shielded
from toolscript.launch import Parts, Request, launch
from toolscript.result import Pending, RunResult
from toolscript.sandbox.frames import CallFrame, CancelFrame, EndFrame, Frame, IdleFrame
from toolscript.sandbox.runtime import Capabilities, Execution, Program, Runtime, Usage


@dataclass(frozen=True, slots=True)
class PendingCall:
    """What a script waits for.

    kind: "call" wants what the tool returns, as JSON values, or an exception; "timer" wants
        None after `args["ms"]` milliseconds; "approval" wants `Approve`, `Reject` or `Edit`, and
        an approved call comes again as a "call".
    seq: the number of the call, from 1, by which it is answered.
    tool: the tool's exact name, or "sleep".
    args: JSON values that fit the tool's schema.
    reason: why an approval is asked for.
    """

    seq: int
    kind: Literal["call", "timer", "approval"]
    tool: str
    args: Any
    namespace: str | None = None
    line: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A point at which a run waits for answers, or its end.

    pending: what it waits for, in the order of the script; empty at the end.
    result: how it ended, or None.
    """

    pending: tuple[PendingCall, ...]
    result: RunResult | None
    _run: _SteppedRun

    async def deliver(self, answers: Mapping[int, Any], *, now_ms: int | None = None) -> Step:
        """Answer some or all of the pending calls, in this order, and run to the next step.

        A failed call is answered with the exception; the script gets it as a `ToolError`.

        Args:
            answers: by `PendingCall.seq`.
            now_ms: what an advancing clock shows from now on.

        Raises:
            InputError: for a number that is not pending or an answer of the wrong kind. Nothing
                was delivered then.
            CancelledError: when the awaiting task is cancelled; the run is given up.
        """
        return await self._run.deliver(self, answers, now_ms)

    async def aclose(self) -> None:
        """Give the run up."""
        await self._run.aclose()


async def start(parts: Parts, request: Request, runtime: Runtime) -> Step:
    """Run a script to its first step; see `CodeMode.start`."""
    run = _SteppedRun(parts, request, runtime)
    return await run.to_next(run.next)


@dataclass(slots=True)
class _Waiting:
    call: PendingCall
    answer: asyncio.Future[Any]


class _SteppedRun:
    def __init__(self, parts: Parts, request: Request, runtime: Runtime) -> None:
        self._waiting: dict[int, _Waiting] = {}
        self._execution: _SteppedExecution | None = None
        self._moved = asyncio.Event()
        self._current: Step | None = None
        self._drains = parts.profile.unawaited == "drain"
        self._runtime = _SteppedRuntime(runtime, self)
        self._task = asyncio.create_task(launch(self._stepped(parts), request))
        self._task.add_done_callback(lambda task: self._moved.set())

    async def to_next(self, step: Callable[[], Awaitable[Step]]) -> Step:
        """What `step` gives; a run that nobody can go on with any more is given up."""
        try:
            return await step()
        except asyncio.CancelledError:
            await shielded(self.aclose)
            raise

    async def next(self) -> Step:
        """The next step: when nothing more can happen by itself."""
        while not self._task.done() and not self._rests():
            self._moved.clear()
            await self._moved.wait()
        if self._task.done():
            self._current = Step((), self._task.result(), self)
        else:
            calls = tuple(self._waiting[seq].call for seq in sorted(self._waiting))
            self._current = Step(calls, None, self)
        return self._current

    async def deliver(self, step: Step, answers: Mapping[int, Any], now_ms: int | None) -> Step:
        if step is not self._current:
            raise InputError("this step is over; deliver to the one that came of it")
        for seq, answer in answers.items():
            self._check(seq, answer)
        self._current = None
        return await self.to_next(lambda: self._answered(answers, now_ms))

    async def _answered(self, answers: Mapping[int, Any], now_ms: int | None) -> Step:
        execution = self._execution
        assert execution is not None, "a call came from it"
        if now_ms is not None:
            execution.now_ms = now_ms
        for seq, answer in answers.items():
            waiting = self._waiting.pop(seq, None)
            if waiting is None:
                # A timer that the script gave up because of an answer before.
                continue
            # One at a time: what follows from an answer comes before the next one.
            await self._answer(waiting, answer, execution)
            if self._task.done():
                break
        return await self.next()

    async def aclose(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    def moved(self) -> None:
        """Something happened after which the run may rest."""
        self._moved.set()

    def opened(self, execution: _SteppedExecution) -> None:
        self._execution = execution

    def ask(self, call: PendingCall) -> asyncio.Future[Any]:
        """Wait for the answer to a call."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[call.seq] = _Waiting(call, answer)
        self.moved()
        return answer

    def withdraw(self, seq: int) -> bool:
        """The script no longer waits for a timer; False if it is none of ours."""
        return self._waiting.pop(seq, None) is not None

    @property
    def timers(self) -> int:
        return sum(waiting.call.kind == "timer" for waiting in self._waiting.values())

    def _check(self, seq: int, answer: Any) -> None:
        waiting = self._waiting.get(seq)
        if waiting is None:
            pending = ", ".join(map(str, sorted(self._waiting))) or "nothing"
            raise InputError(f"call {seq} waits for no answer; pending: {pending}")
        decides = isinstance(answer, Answer)
        if decides != (waiting.call.kind == "approval") or isinstance(answer, Happened):
            raise InputError(
                f"call {seq} waits for {_WANTED[waiting.call.kind]}, not {type(answer).__name__}"
            )

    async def _answer(self, waiting: _Waiting, answer: Any, execution: _SteppedExecution) -> None:
        if waiting.call.kind == "timer":
            execution.wake(waiting.call.seq)
        elif waiting.answer.done():
            # The run was given up meanwhile, from outside.
            pass
        elif isinstance(answer, StopIteration):
            # A future refuses it, as it would end the generator that awaits it.
            waiting.answer.set_exception(RuntimeError(f"the tool raised StopIteration({answer})"))
        elif isinstance(answer, BaseException):
            waiting.answer.set_exception(answer)
        else:
            waiting.answer.set_result(answer)
        while not self._task.done() and not self._rests():
            self._moved.clear()
            await self._moved.wait()

    def _rests(self) -> bool:
        """Whether every call that was made is answered or waits here, and the guest is idle."""
        execution = self._execution
        if execution is None or not self._waiting:
            return False
        if execution.ended:
            # The run is over, unless the host waits for calls that the script did not wait for.
            if not self._drains or self.timers == len(self._waiting):
                return False
        elif not execution.idle:
            return False
        return execution.made == execution.sent + len(self._waiting)

    def _stepped(self, parts: Parts) -> Parts:
        """The same engine with stand-ins for its tools, and no limit on what waits at once."""
        contract = parts.contract
        own = {item.name for item in contract.globals}
        return replace(
            parts,
            contract=replace(
                contract,
                entries=tuple(
                    replace(entry, tool=self._stand_in(entry.tool, entry.namespace))
                    for entry in contract.entries
                ),
            ),
            surroundings=replace(
                parts.surroundings,
                helpers={
                    name: self._stand_in(tool, None) if name in own else tool
                    for name, tool in parts.surroundings.helpers.items()
                },
            ),
            profile=replace(
                parts.profile,
                parallel="all",
                over_limit="queue",
                limits=replace(parts.profile.limits, parallel=None),
            ),
            approve=self._approve,
            runtime=self._runtime,
            gates=ToolGates(),
        )

    def _stand_in(self, tool: Tool, namespace: str | None) -> Tool:
        async def call(args: Any, context: ToolContext) -> Any:
            return await self.ask(
                PendingCall(context.seq, "call", tool.name, args, namespace, context.line)
            )

        parse = tool.parse_input

        def checked(args: dict[str, Any]) -> Any:
            assert parse is not None
            parse(args)
            return args

        options = replace(
            tool.options, retry=None, timeout=None, max_concurrency=None, rate_per_s=None
        )
        return replace(
            tool,
            call=call,
            options=options,
            parse_input=None if parse is None else checked,
            dump_output=None,
        )

    async def _approve(self, pending: Pending) -> Answer:
        return await self.ask(
            PendingCall(
                pending.seq,
                "approval",
                pending.tool,
                pending.args,
                pending.namespace,
                pending.line,
                pending.reason,
            )
        )


_WANTED = {
    "call": "what its tool returns",
    "timer": "None, when its time is over",
    "approval": "Approve(), Reject(reason) or Edit(args)",
}


class _SteppedRuntime(Runtime):
    """Opens executions that tell a run when they rest."""

    def __init__(self, inner: Runtime, run: _SteppedRun) -> None:
        self._inner = inner
        self._run = run

    @property
    def description(self) -> str:
        return self._inner.description

    @property
    def capabilities(self) -> Capabilities:
        return self._inner.capabilities

    @property
    def isolation(self) -> Mapping[str, bool | str]:
        return self._inner.isolation

    async def open(self, program: Program) -> Execution:
        execution = _SteppedExecution(await self._inner.open(program), self._run, program)
        self._run.opened(execution)
        return execution

    async def aclose(self) -> None:
        await self._inner.aclose()


class _SteppedExecution(Execution):
    """Passes everything on but timers, which it has answered, and counts what comes and goes."""

    def __init__(self, inner: Execution, run: _SteppedRun, program: Program) -> None:
        self._inner = inner
        self._run = run
        self.now_ms = program.clock.now_ms if program.clock else None
        self.made = 0
        self.sent = 0
        self.idle = False
        self.ended = False
        self._woken = 0

    async def receive(self) -> Sequence[Frame]:
        passed: list[Frame] = []
        while not passed:
            frames = await self._inner.receive()
            if not frames:
                return ()
            passed = [frame for frame in frames if self._passes(frame)]
        return [self._translated(frame) for frame in passed]

    def resolve(
        self,
        seq: int,
        value: str,
        *,
        bigints: bool = False,
        text: str | None = None,
        now_ms: int | None = None,
    ) -> None:
        self._sends()
        self._inner.resolve(seq, value, bigints=bigints, text=text, now_ms=self.now_ms)

    def reject(self, seq: int, error: Mapping[str, Any], *, now_ms: int | None = None) -> None:
        self._sends()
        self._inner.reject(seq, error, now_ms=self.now_ms)

    async def aclose(self) -> None:
        await self._inner.aclose()

    @property
    def usage(self) -> Usage:
        return self._inner.usage

    def wake(self, seq: int) -> None:
        """Answer a timer, of which the host knows nothing."""
        self._sends()
        self._woken += 1
        self._inner.resolve(seq, "null", now_ms=self.now_ms)

    def _sends(self) -> None:
        self.sent += 1
        self.idle = False
        self._run.moved()

    def _passes(self, frame: Frame) -> bool:
        match frame:
            case CallFrame(kind="helper", target=target) if target == SLEEP:
                self.made += 1
                args = jsontext.loads(frame.args)
                self._run.ask(PendingCall(frame.seq, "timer", SLEEP, args, line=frame.line))
                return False
            case CallFrame():
                self.made += 1
            case CancelFrame() if self._run.withdraw(frame.seq):
                self.made -= 1
                return False
            case IdleFrame():
                self.idle = frame.settled == self.sent
                self._run.moved()
                # To the host a script that only waits for timers would seem to wait for nothing.
                return self.idle and not self._run.timers
            case EndFrame():
                self.ended = True
                self._run.moved()
            case _:
                pass
        return True

    def _translated(self, frame: Frame) -> Frame:
        return IdleFrame(frame.settled - self._woken) if isinstance(frame, IdleFrame) else frame
