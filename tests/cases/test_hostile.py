"""Hostile scripts: whatever they do, the host survives, in time, and the next run is right.

All scripts run at once, a few at a time, and each test looks at what became of its own.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Final

import pytest

from tests.cases.support import Case, each_case, read_cases
from tests.processes import eventually, needs_proc, worker_pids
from toolscript import CodeMode, QuickJSRuntime, RunResult

AT_ONCE: Final = 3
WALL_S: Final = 2.0
LIMITS: Final = {"wall_s": WALL_S, "cpu_s": 0.5, "memory_bytes": 64 * 1024 * 1024}

pytestmark = pytest.mark.timeout(900)


@dataclass(frozen=True)
class Seen:
    """How one script ended, how long it took, and what the next run on its engine gave."""

    result: RunResult
    seconds: float
    next: RunResult


async def run_all(cases: list[Case]) -> tuple[dict[str, Seen], set[int]]:
    """What became of every script, and the workers that were left when the pool was closed."""
    seen: dict[str, Seen] = {}
    before = worker_pids()
    runtime = QuickJSRuntime(max_workers=AT_ONCE + 1)
    turn = asyncio.Semaphore(AT_ONCE)

    async def run(case: Case) -> None:
        async with turn, CodeMode([], runtime=runtime, limits=LIMITS) as codemode:
            began = time.monotonic()
            result = await codemode.run(case["source"])
            seconds = time.monotonic() - began
            seen[case["id"]] = Seen(result, seconds, await codemode.run("return 1 + 1", timeout=60))

    await asyncio.gather(*map(run, cases))
    await runtime.aclose()
    eventually(lambda: not (worker_pids() - before))
    return seen, worker_pids() - before


@pytest.fixture(scope="module")
def outcomes() -> tuple[dict[str, Seen], set[int]]:
    return asyncio.run(run_all(read_cases("hostile.json")))


@needs_proc
@each_case("hostile.json")
def test_hostile(case: Case, outcomes: tuple[dict[str, Seen], set[int]]) -> None:
    seen, left = outcomes
    mine = seen[case["id"]]
    assert mine.result.status in ("completed", "failed")
    # Many times what the rule says: a busy machine must not make a failure.
    assert mine.seconds < 15 * WALL_S, mine.result.text()
    assert mine.next.value == 2, mine.next.text()
    assert left == set()
