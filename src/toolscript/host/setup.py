"""Everything that one run is made of, as the engine hands it to the host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolscript.contract.entry import Entry
from toolscript.contract.tool import Tool
from toolscript.events import OnEvent
from toolscript.host.approval import ApproveCallback
from toolscript.host.cancel import CancelToken
from toolscript.host.gates import ToolGates
from toolscript.host.policy import Authority, Policy
from toolscript.host.replay import RunJournal
from toolscript.profiles import Profile
from toolscript.result import RunError, RunResult
from toolscript.sandbox.frames import EndFrame
from toolscript.sandbox.runtime import Clock


@dataclass(frozen=True, slots=True)
class NestedScope:
    """Where a nested run stands: under which call, and within what bounds.

    `authority` is what the calling tool's call was allowed to use; a nested run gets no more.
    `depth` counts from 1 for a script that a tool of the outermost script ran. `deadline` is the
    `time.monotonic()` second of the call's own. `person_decides` is told True and False around the
    time that a person takes, in which the clocks of all runs around stand still.
    """

    run_id: str
    seq: int
    tool: str
    authority: Authority | None
    depth: int
    deadline: float | None
    app: Any
    person_decides: Callable[[bool], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetup:
    """One run.

    Attributes:
        run_id: its id.
        entries: the tools; `CallFrame.target` is an index into it.
        helpers: global functions and discovery by name: answered, but no calls of tools.
        profile: knobs and limits, resolved.
        policy, authority, approve: see `host.policy` and `host.approval`.
        app: what the embedder passed to `run(context=...)`.
        observers: who hears of its events, in this order.
        deadline: the `time.monotonic()` second at which the run is over, or None.
        cancel: ends the run from outside.
        explain: makes the error of a script's own failure.
        place: the line on which a call of a tool begins, for the line that the guest told.
        nested: runs a script for a tool (`context.run`).
        gates: the lasting parts of each tool.
        depth: how many runs this one is inside of.
        person_decides: told by a nested run what its own clock is told; see `NestedScope`.
        journal: what keeps the run, or None.
        clock: the script's pinned clock, or None for the real one.
        runtime_name: the active runtime, for tools whose manifest names theirs.
        sandboxed: whether the runtime confines scripts, for policies that ask for it.
        resumed: whether the run was begun earlier.
        wall_s: the seconds that `deadline` stands for, for messages.
    """

    run_id: str
    entries: Sequence[Entry]
    helpers: Mapping[str, Tool]
    profile: Profile
    policy: Policy | None
    authority: Authority | None
    approve: ApproveCallback | None
    app: Any
    observers: Sequence[OnEvent]
    deadline: float | None
    cancel: CancelToken | None
    explain: Callable[[EndFrame], RunError]
    place: Callable[[int, Entry], int]
    nested: Callable[[str, NestedScope], Awaitable[RunResult]]
    gates: ToolGates
    depth: int = 0
    person_decides: Callable[[bool], None] | None = None
    journal: RunJournal | None = None
    clock: Clock | None = None
    runtime_name: str | None = None
    sandboxed: bool = True
    resumed: bool = False
    wall_s: float | None = None
