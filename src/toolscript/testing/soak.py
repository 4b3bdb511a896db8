"""Many runs under load while workers are killed at random; counts what is left behind.

python -m toolscript.testing.soak --runs 10000 --at-once 20 --kill-every 50
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from toolscript.sandbox.frames import CallFrame, EndFrame
from toolscript.sandbox.quickjs import QuickJSRuntime, WorkerExecution
from toolscript.sandbox.runtime import Program
from toolscript.testing.guest_host import surface

WARM_UP: Final = 200
CODE: Final = """
let sum = 0;
for (let i = 0; i < 5; i++) sum += (await tools.echo({ n: i + SEED })).n;
const all = await Promise.all([1, 2, 3].map((n) => tools.echo({ n: n + SEED })));
return [SEED, sum, all.map(({ n }) => n - SEED)];
"""


@dataclass(slots=True)
class Report:
    """What a soak found. Memory in bytes; growth is counted after a warm-up."""

    runs: int = 0
    right: int = 0
    killed: int = 0
    wrong: list[str] = field(default_factory=list[str])
    memory_growth: int = 0
    descriptor_growth: int = 0
    children_left: int = 0
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        clean = self.descriptor_growth <= 0 and self.children_left == 0
        return not self.wrong and clean and self.right + self.killed == self.runs


async def soak(runs: int, at_once: int, kill_every: int, seed: int = 1) -> Report:
    """Run scripts with calls, `at_once` at a time; kill the worker of one in `kill_every` runs.

    Every run that was not killed must give its own answer, every killed one must end as
    `worker_exit`, and nothing may be left at the end.
    """
    chance = random.Random(seed)
    report = Report()
    shown = surface(["echo"])
    children = _children()
    runtime = QuickJSRuntime(max_workers=min(at_once, 8), max_runs=500)

    async def one(number: int) -> None:
        kill_at = chance.randrange(8) if kill_every and number % kill_every == 7 else -1
        program = Program(code=CODE.replace("SEED", str(number)), surface=shown, cpu_s=20.0)
        execution = await runtime.open(program)
        assert isinstance(execution, WorkerExecution)
        killed, end = False, None
        try:
            while end is None:
                for frame in await execution.receive():
                    if isinstance(frame, EndFrame):
                        end = frame
                    elif isinstance(frame, CallFrame):
                        if frame.seq == kill_at + 1:
                            os.kill(execution.worker_pid, signal.SIGKILL)
                            killed = True
                        await asyncio.sleep(0)
                        execution.resolve(frame.seq, frame.args.decode())
        finally:
            await execution.aclose()
        report.runs += 1
        expected = f"[{number},{10 + 5 * number},[1,2,3]]".encode()
        if killed and end.outcome == "worker_exit":
            report.killed += 1
        elif not killed and end.value == expected:
            report.right += 1
        else:
            report.wrong.append(f"run {number}: killed={killed} {end.outcome} {end.message}")

    async def batch(first: int, count: int) -> None:
        turn = asyncio.Semaphore(at_once)

        async def in_turn(number: int) -> None:
            async with turn:
                await one(number)

        await asyncio.gather(*(in_turn(first + i) for i in range(count)))

    await batch(0, min(WARM_UP, runs))
    began = time.monotonic()
    memory, descriptors = _resident_bytes(), _descriptors()
    for first in range(WARM_UP, runs, 1000):
        await batch(first, min(1000, runs - first))
    report.seconds = time.monotonic() - began
    await runtime.aclose()
    # A killed process is there until the system has collected it.
    for _ in range(100):
        if not _children() - children:
            break
        await asyncio.sleep(0.1)
    report.memory_growth = _resident_bytes() - memory
    report.descriptor_growth = _descriptors() - descriptors
    report.children_left = len(_children() - children)
    return report


def _resident_bytes() -> int:
    gc.collect()
    if sys.platform != "linux":
        return 0
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0


def _children() -> set[int]:
    """Processes that this one started and that are there, zombies too."""
    if sys.platform != "linux":
        return set()
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    found = set(map(int, path.read_text().split())) if path.exists() else set[int]()
    for task in Path("/proc/self/task").iterdir():
        children = task / "children"
        if children.exists():
            found |= set(map(int, children.read_text().split()))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=20)
    parser.add_argument("--kill-every", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    report = asyncio.run(soak(chosen.runs, chosen.at_once, chosen.kill_every, chosen.seed))
    print(report)
    sys.exit(0 if report.ok else 1)


if __name__ == "__main__":
    main()
