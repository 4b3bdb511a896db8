"""What the machine says of this process and of its children. Linux only; elsewhere tests skip."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from toolscript.sandbox.process import starter

needs_proc = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="needs /proc, which only Linux has"
)


def resident_bytes(pid: int | None = None) -> int:
    """Resident memory of a process."""
    gc.collect()
    pages = Path(f"/proc/{pid or os.getpid()}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def open_descriptors() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def settle_pools() -> None:
    """Wait until the pools of this process have started and ended what they were told to."""
    done = threading.Event()
    starter().submit(done.set)
    assert done.wait(60)


def worker_pids(parent: int | None = None) -> set[int]:
    """The child processes of a process, zombies too."""
    parent = parent or os.getpid()
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[1]) == parent:
                found.add(int(entry.name))
    return found


def is_alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def eventually(condition: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether a condition comes true, within what even a busy machine needs."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()
