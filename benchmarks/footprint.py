"""What each subject takes before and beside its runs: time to start, memory, and all cores."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.subjects import Subject
from benchmarks.work import WORK

_FRESH = WORK[0]

_FIRST_RESULT = """
import asyncio
from benchmarks.subjects import {kind}
from benchmarks.work import WORK

async def main():
    subject = {kind}()
    await subject.open()
    assert await subject.run(WORK[0]) == 2
    {after}
    await subject.close()

asyncio.run(main())
"""

_MEMORY = """
import gc, os
    from benchmarks.footprint import children, resident
    gc.collect()
    print(resident(os.getpid()), *map(resident, children(os.getpid())), flush=True)
"""


def cold_start(subjects: list[Subject]) -> dict[str, float | None]:
    """Seconds from the start of an interpreter to the first result, above a bare one."""
    bare = median(_seconds("print(flush=True)") for _ in range(5))
    return {
        subject.name: median(_seconds(_program(subject, "print(flush=True)")) for _ in range(5))
        - bare
        for subject in subjects
    }


def worker_memory(subjects: list[Subject]) -> dict[str, float | None]:
    """Resident bytes of the largest child process; None for a subject without any."""
    return {
        subject.name: max(map(float, _memory(subject)[1:]), default=None) for subject in subjects
    }


def idle_memory(subjects: list[Subject]) -> dict[str, float | None]:
    """Resident bytes of the host after one run, above an interpreter with the tools loaded."""
    bare = float(
        _output(
            "import benchmarks.subjects, os\nfrom benchmarks.footprint import resident"
            "\nprint(resident(os.getpid()))"
        )
    )
    return {subject.name: float(_memory(subject)[0]) - bare for subject in subjects}


async def throughput(subjects: list[Subject]) -> dict[str, float | None]:
    """Fresh runs a second with several at once; each subject is given two seconds."""
    found: dict[str, float | None] = {}
    for subject in subjects:
        if subject.name == "langchain-quickjs":
            # One thread a conversation: runs of one registry entry exclude each other.
            found[subject.name] = await _rate(subject, 1)
        else:
            found[subject.name] = await _rate(subject, 2 * (os.cpu_count() or 1))
    return found


async def _rate(subject: Subject, at_once: int) -> float:
    end = time.perf_counter() + 2
    done = 0

    async def work() -> None:
        nonlocal done
        while time.perf_counter() < end:
            await subject.run(_FRESH)
            done += 1

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(at_once)))
    return done / (time.perf_counter() - began)


def resident(pid: int) -> int:
    """Resident bytes of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def children(pid: int) -> list[int]:
    """Processes that a process started."""
    gc.collect()
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in found for child in path.read_text().split()]


def _memory(subject: Subject) -> list[str]:
    return _output(_program(subject, _MEMORY.strip())).split()


def _program(subject: Subject, after: str) -> str:
    return _FIRST_RESULT.format(kind=type(subject).__name__, after=after)


def _seconds(code: str) -> float:
    """Until the program prints its first line; how it ends afterwards is not timed."""
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        if not process.stdout.readline():
            raise RuntimeError(f"this program printed nothing:\n{code}")
        return time.perf_counter() - began


def _output(code: str) -> str:
    """What a program prints. A peer may crash while it is torn down; that is not looked at."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    if not done.stdout:
        raise RuntimeError(f"this program printed nothing:\n{code}\n{done.stderr}")
    return done.stdout
