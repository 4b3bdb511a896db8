"""`python -m benchmarks.bench_journal`: what a journal costs, by the call.

The same scripts run without a journal, with one in memory and with one in SQLite, taking turns,
so that a busy machine is busy for all of them. The cost of a call is a run's time divided by its
calls, less that of the run without a journal; medians are printed.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from toolscript import CodeMode, InlineRuntime, MemoryJournal, SQLiteJournal, Tool, ToolOptions
from toolscript.host.journal import Journal
from toolscript.host.lease import new_lease

CALLS = 200
SCRIPTS = {
    "one after the other": f"for (let i = 0; i < {CALLS}; i++) await tools.TOOL({{ i }});",
    "all at once": f"await Promise.all(Array.from({{ length: {CALLS} }}, (_, i) => tools.TOOL({{ i }})));",
}


def tools() -> list[Tool]:
    async def call(args: Any, context: Any) -> Any:
        return {"id": args["i"], "name": "a customer", "city": "Lisbon"}

    schema = {"type": "object", "properties": {"i": {"type": "integer"}}, "required": ["i"]}
    return [
        Tool("read", "Reads.", schema, None, call, ToolOptions(read_only=True)),
        Tool("pay", "Pays.", schema, None, call),
    ]


async def measure(repeats: int, folder: Path) -> dict[str, dict[str, float]]:
    journals: dict[str, Journal | None] = {
        "none": None,
        "memory": MemoryJournal(),
        "sqlite": SQLiteJournal(folder / "normal.db"),
        "sqlite, full": SQLiteJournal(folder / "full.db", synchronous="full"),
    }
    engines = {
        name: CodeMode(tools(), journal=journal, runtime=InlineRuntime())
        for name, journal in journals.items()
    }
    seconds: dict[str, dict[str, list[float]]] = {}
    for _ in range(repeats):
        for title, script in SCRIPTS.items():
            for tool in ("read", "pay"):
                for name, engine in engines.items():
                    began = time.perf_counter()
                    result = await engine.run(script.replace("TOOL", tool))
                    spent = time.perf_counter() - began
                    assert result.ok, result.error
                    seconds.setdefault(f"{tool}, {title}", {}).setdefault(name, []).append(spent)
    return {
        title: {name: median(all_) / CALLS * 1e6 for name, all_ in row.items()}
        for title, row in seconds.items()
    }


async def commits(folder: Path) -> tuple[float, float]:
    """Microseconds of one commit on the event loop, and handed to a thread and back."""
    journal, lease = SQLiteJournal(folder / "commits.db"), new_lease()
    await journal.create("run", b"", lease)
    loop = asyncio.get_running_loop()
    here: list[float] = []
    there: list[float] = []
    with ThreadPoolExecutor(1) as thread:
        for _ in range(2_000):
            began = time.perf_counter()
            await journal.append("run", lease, [b"x" * 300])
            here.append(time.perf_counter() - began)
            began = time.perf_counter()
            work = journal.append("run", lease, [b"x" * 300])
            await loop.run_in_executor(thread, _finish, work)
            there.append(time.perf_counter() - began)
    return median(here) * 1e6, median(there) * 1e6


def _finish(work: Coroutine[Any, Any, bool]) -> None:
    """Run a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration:
        return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(measure(parser.parse_args().repeats, Path(folder)))
        here, there = asyncio.run(commits(Path(folder)))
    table = Table(title=f"microseconds a call, of {CALLS} in a run")
    table.add_column("calls")
    for name in next(iter(rows.values())):
        table.add_column(name, justify="right")
    table.add_column("sqlite - memory", justify="right")
    for title, row in rows.items():
        more = row["sqlite"] - row["memory"]
        table.add_row(title, *(f"{figure:,.0f}" for figure in row.values()), f"{more:,.0f}")
    Console().print(table)
    print(f"one commit: {here:.0f} µs on the event loop, {there:.0f} µs by way of a thread")


if __name__ == "__main__":
    main()
