"""What an observer hears while a run lasts. One typed stream, in order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from toolscript.result import Call, OutputItem, Pending, RunResult


@dataclass(frozen=True, slots=True)
class RunStarted:
    run_id: str
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    run_id: str
    item: OutputItem
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    run_id: str
    message: str
    fraction: float | None = None
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A tool was called; `call.status` is "pending". Never sent for a call that did not start."""

    run_id: str
    call: Call


@dataclass(frozen=True, slots=True)
class CallCompleted:
    run_id: str
    call: Call


@dataclass(frozen=True, slots=True)
class CallFailed:
    run_id: str
    call: Call


@dataclass(frozen=True, slots=True)
class CallDenied:
    run_id: str
    call: Call


@dataclass(frozen=True, slots=True)
class CallPending:
    """A call waits for a person."""

    run_id: str
    pending: Pending


@dataclass(frozen=True, slots=True)
class RunEnded:
    run_id: str
    result: RunResult


Event = (
    RunStarted
    | Output
    | Progress
    | CallStarted
    | CallCompleted
    | CallFailed
    | CallDenied
    | CallPending
    | RunEnded
)

OnEvent = Callable[[Event], Awaitable[None] | None]
