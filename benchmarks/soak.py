"""`python -m benchmarks.soak`: thousands of runs, workers killed at random, and what is left.

Twenty runs at a time, each with calls; now and then one of the workers is killed. Exactly the runs
on killed workers may fail, as `worker_exit`; memory, descriptors and processes must stay level.
Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import sys
import time
from collections import Counter

from benchmarks.footprint import children, resident
from benchmarks.tools import TOOLS
from toolscript import CodeMode, ErrorKind, QuickJSRuntime, RunResult

_AT_ONCE = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--kill-every", type=float, default=2.0, metavar="SECONDS")
    arguments = parser.parse_args()
    return asyncio.run(_soak(arguments.runs, arguments.kill_every))


async def _soak(runs: int, kill_every: float) -> int:
    runtime = QuickJSRuntime()
    codemode = CodeMode(TOOLS, runtime=runtime)
    await _many(codemode, 500)
    memory, descriptors = resident(os.getpid()), len(os.listdir("/proc/self/fd"))
    killed: list[int] = []
    killer = asyncio.create_task(_kill(kill_every, killed))
    began = time.monotonic()
    outcomes = await _many(codemode, runs)
    killer.cancel()
    seconds = time.monotonic() - began
    grown = (resident(os.getpid()) - memory) / 1024 / 1024
    more = len(os.listdir("/proc/self/fd")) - descriptors
    await codemode.aclose()
    await runtime.aclose()
    left = children(os.getpid())
    print(f"{runs} runs in {seconds:.0f} s: {dict(outcomes)}, {len(killed)} workers killed")
    print(f"memory {grown:+.1f} MiB, descriptors {more:+d}, processes left {len(left)}")
    exits = outcomes[str(ErrorKind.WORKER_EXIT)]
    well = outcomes["right"] + exits == runs and exits <= len(killed)
    return 0 if well and grown < 40 and more <= 0 and not left else 1


async def _many(codemode: CodeMode, runs: int) -> Counter[str]:
    outcomes: Counter[str] = Counter()
    numbers = iter(range(runs))

    async def work() -> None:
        for number in numbers:
            outcomes[_outcome(await codemode.run(_script(number)), number)] += 1

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))
    return outcomes


def _script(number: int) -> str:
    return (
        f"const both = await Promise.all([tools.noop({{ i: {number} }}), tools.wait({{ i: 1 }})]);"
        " return both[0] + both[1];"
    )


def _outcome(result: RunResult, number: int) -> str:
    if result.error is not None:
        return str(result.error.kind)
    return "right" if result.value == number + 1 else "wrong"


async def _kill(every: float, killed: list[int]) -> None:
    while True:
        await asyncio.sleep(random.uniform(0.5, 1.5) * every)
        workers = children(os.getpid())
        if workers:
            pid = random.choice(workers)
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)


if __name__ == "__main__":
    sys.exit(main())
