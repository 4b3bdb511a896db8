"""Who owns a run: one owner at a time, until it lets go, dies, or its time is over.

A lease names the process that holds it so that another process of the same machine can see
that it died, and need not wait. `machine` is the boot of the kernel together with the namespace
of process ids: only there does a process id mean what it meant to its owner, and a start time
tells a process from a later one of the same id. Elsewhere, and on platforms that do not tell
(`machine` is None), a lease ends by time alone.

A lease is only advice about when to take over. What keeps a run safe is that every append names
the owner and is refused once the run has another one: an owner that slept through the end of
its lease can begin no further call.
"""

from __future__ import annotations

import os
import time
import uuid
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

LEASE_S: Final = 30.0
"""Seconds that a lease lasts; it is renewed when a third of them has passed."""

_PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to go on with one run.

    `owner` is new for each holding, also within one process. `expires_at` is seconds since the
    epoch.
    """

    owner: str
    machine: str | None
    pid: int
    started: int | None
    expires_at: float


def new_lease() -> Lease:
    """A lease of this process, from now on."""
    pid = os.getpid()
    return Lease(uuid.uuid4().hex, _machine(), pid, _start_of(pid), time.time() + LEASE_S)


def renewed(lease: Lease) -> Lease:
    """The same lease, lasting its full time from now."""
    return replace(lease, expires_at=time.time() + LEASE_S)


def is_over(lease: Lease) -> bool:
    """Whether a run may be taken from the holder of `lease`."""
    return lease.expires_at <= time.time() or _owner_died(lease)


def _owner_died(lease: Lease) -> bool:
    if lease.machine is None or lease.machine != _machine():
        return False
    if lease.pid == os.getpid():
        return lease.started != _start_of(lease.pid)
    try:
        os.kill(lease.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    started = _start_of(lease.pid)
    return started is not None and started != lease.started


@lru_cache(maxsize=1)
def _machine() -> str | None:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        namespace = (_PROC / "self/ns/pid").stat().st_ino
    except OSError:
        return None
    return f"{boot}/{namespace}"


def _start_of(pid: int) -> int | None:
    """When a process started, in kernel ticks since the boot; 0 for one that has ended.

    A process that was killed but not yet waited for still has an entry, in state Z: it runs
    no more. None where the platform does not tell.
    """
    try:
        stat = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    # The name of the program, in parentheses, may hold anything; fields are counted after it.
    fields = stat[stat.rindex(")") + 2 :].split()
    return 0 if fields[0] in "ZX" else int(fields[19])
