"""Where runs are kept, so that they outlive a pause and the process that began them.

A `Journal` is a store of bytes and knows nothing of scripts. Of each run it keeps a head (what
the run was started with), a log of entries (what its calls did, in order), an outcome (how it
ended or what it waits for) and a lease (who is at work on it). `host.entries` says what the
bytes mean, `host.replay` when they are written and read.

What an implementation owes, and all that the rest relies on:

- An `append` is all or nothing, keeps the order of its entries, and comes after every append
  that returned before it. Once it has returned, the death of this process loses none of it.
- `append` and `settle` change nothing and return False when the run has another owner.
- `claim` compares and sets in one step: of several that claim at once, one gets True.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from toolscript.given import SECONDS, check, whole
from toolscript.host.lease import Lease, is_over

StoredStatus = Literal["running", "interrupted", "paused", "undecided", "completed", "failed"]
"""Where a stored run stands.

running: an owner is at work on it, or died while it was. interrupted: its owner let go before
the end. paused: it waits for approvals. undecided: somebody has to say what became of a call
that was in flight when its process died. completed, failed: settled, its outcome is final.
"""

SETTLED: frozenset[StoredStatus] = frozenset({"completed", "failed"})


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run as a journal holds it. Times are seconds since the epoch.

    `lease` is None while nobody is at work on the run. `outcome` is None until the run paused or
    ended. A listing leaves `entries` empty.
    """

    run_id: str
    status: StoredStatus
    head: bytes
    outcome: bytes | None
    entries: tuple[bytes, ...]
    lease: Lease | None
    created_at: float
    updated_at: float

    @property
    def leased(self) -> bool:
        """Whether somebody who may still be alive is at work on it."""
        return self.lease is not None and not is_over(self.lease)

    @property
    def standing(self) -> StoredStatus:
        """The status, where an owner that died counts as one that let go."""
        return "interrupted" if self.status == "running" and not self.leased else self.status


class Journal(Protocol):
    """A store of runs; small enough for any database. See the module for what it owes."""

    async def create(self, run_id: str, head: bytes, lease: Lease) -> bool:
        """Keep a new run, "running" under `lease`. False if there is one of that id."""
        ...

    async def load(self, run_id: str) -> StoredRun | None:
        """The run of that id, entries included, or None."""
        ...

    async def claim(self, run_id: str, lease: Lease, *, instead_of: str | None) -> bool:
        """Make `lease` the run's, if its owner still is `instead_of` (None: nobody).

        The status becomes "running"; the outcome stays until the next `settle`.
        """
        ...

    async def append(self, run_id: str, lease: Lease, entries: Sequence[bytes]) -> bool:
        """Add entries to the log; without any, set the lease's time to `lease.expires_at`.

        False if `lease.owner` no longer owns the run; then nothing changes.
        """
        ...

    async def settle(
        self, run_id: str, lease: Lease, status: StoredStatus, outcome: bytes | None
    ) -> bool:
        """Note how the run stands and let go of it. False as for `append`."""
        ...

    async def stored_runs(self) -> Sequence[StoredRun]:
        """All runs without their entries, oldest first."""
        ...

    async def prune(self, before: float, *, unsettled: bool = False) -> int:
        """Forget settled runs not touched since `before` (seconds since the epoch).

        `unsettled` forgets paused, undecided and interrupted ones too, and those whose owner
        is gone; a run that somebody is at work on is kept. Returns how many are gone.
        """
        ...

    async def aclose(self) -> None:
        """Let go of what the journal holds open. It opens again when it is used again."""
        ...


def may_prune(run: StoredRun, before: float, unsettled: bool) -> bool:
    """The rule of `Journal.prune` for one run."""
    if run.updated_at >= before:
        return False
    return run.status in SETTLED or (unsettled and not run.leased)


@dataclass(slots=True)
class _Kept:
    run: StoredRun
    entries: list[bytes] = field(default_factory=list[bytes])


class MemoryJournal:
    """Runs in the memory of this process, within bounds: for pauses, not for crashes.

    A run that nobody has touched for `keep_s` seconds is forgotten. Above `max_runs` the
    oldest settled ones go first, then the oldest that wait; a run at work is never dropped.
    """

    def __init__(self, *, max_runs: int = 1_000, keep_s: float = 24 * 3600.0):
        check("MemoryJournal(max_runs=)", whole(1), max_runs)
        check("MemoryJournal(keep_s=)", SECONDS, keep_s)
        self._max_runs = max_runs
        self._keep_s = keep_s
        self._runs: dict[str, _Kept] = {}
        self._lock = threading.Lock()

    async def create(self, run_id: str, head: bytes, lease: Lease) -> bool:
        with self._lock:
            self._make_room()
            if run_id in self._runs:
                return False
            now = time.time()
            run = StoredRun(run_id, "running", head, None, (), lease, now, now)
            self._runs[run_id] = _Kept(run)
            return True

    async def load(self, run_id: str) -> StoredRun | None:
        with self._lock:
            self._drop_old()
            kept = self._runs.get(run_id)
            return replace(kept.run, entries=tuple(kept.entries)) if kept else None

    async def claim(self, run_id: str, lease: Lease, *, instead_of: str | None) -> bool:
        with self._lock:
            kept = self._runs.get(run_id)
            if kept is None or _owner(kept.run) != instead_of:
                return False
            kept.run = replace(kept.run, status="running", lease=lease, updated_at=time.time())
            return True

    async def append(self, run_id: str, lease: Lease, entries: Sequence[bytes]) -> bool:
        with self._lock:
            kept = self._runs.get(run_id)
            if kept is None or _owner(kept.run) != lease.owner:
                return False
            if entries:
                kept.entries.extend(entries)
            else:
                kept.run = replace(kept.run, lease=lease, updated_at=time.time())
            return True

    async def settle(
        self, run_id: str, lease: Lease, status: StoredStatus, outcome: bytes | None
    ) -> bool:
        with self._lock:
            kept = self._runs.get(run_id)
            if kept is None or _owner(kept.run) != lease.owner:
                return False
            kept.run = replace(
                kept.run, status=status, outcome=outcome, lease=None, updated_at=time.time()
            )
            return True

    async def stored_runs(self) -> Sequence[StoredRun]:
        with self._lock:
            self._drop_old()
            return [kept.run for kept in self._runs.values()]

    async def prune(self, before: float, *, unsettled: bool = False) -> int:
        with self._lock:
            return self._forget(before, unsettled)

    async def aclose(self) -> None:
        """Nothing is held open; the runs stay."""

    def forget_entries(self, run_id: str) -> None:
        """Forget the log of that run."""
        with self._lock:
            if run_id in self._runs:
                self._runs[run_id].entries.clear()

    def forget_settled(self, run_id: str) -> None:
        """Forget the run of that id if it is over."""
        with self._lock:
            kept = self._runs.get(run_id)
            if kept is not None and kept.run.status in SETTLED:
                del self._runs[run_id]

    def _drop_old(self) -> None:
        self._forget(time.time() - self._keep_s, unsettled=True)

    def _make_room(self) -> None:
        if len(self._runs) < self._max_runs:
            return
        self._drop_old()
        excess = len(self._runs) - self._max_runs + 1
        if excess <= 0:
            return
        idle = [kept.run for kept in self._runs.values() if not kept.run.leased]
        idle.sort(key=lambda run: (run.status not in SETTLED, run.updated_at))
        for run in idle[:excess]:
            del self._runs[run.run_id]

    def _forget(self, before: float, unsettled: bool) -> int:
        old = [
            run_id for run_id, kept in self._runs.items() if may_prune(kept.run, before, unsettled)
        ]
        for run_id in old:
            del self._runs[run_id]
        return len(old)


def _owner(run: StoredRun) -> str | None:
    return run.lease.owner if run.lease else None
