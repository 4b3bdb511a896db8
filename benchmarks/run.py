"""`python -m benchmarks.run`: the same work in toolscript and its peers, as ratios."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.footprint import cold_start, idle_memory, throughput, worker_memory
from benchmarks.subjects import Subject, installed
from benchmarks.work import WORK, Work

Figures = dict[str, float | None]
"""Median seconds (or bytes, or runs a second) of each subject, by name."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="keys of the work to do, joined by commas")
    parser.add_argument("--quick", action="store_true", help="a third of the repeats")
    parser.add_argument("--json", action="store_true", help="print numbers for a program")
    arguments = parser.parse_args()
    chosen = set(arguments.only.split(",")) if arguments.only else None
    rows = asyncio.run(_measure(chosen, 3 if arguments.quick else 1))
    if arguments.json:
        print(json.dumps({title: figures for title, _, figures in rows}, indent=2))
    else:
        _print(rows)


async def _measure(chosen: set[str] | None, divide: int) -> list[tuple[str, str, Figures]]:
    subjects = installed()
    rows: list[tuple[str, str, Figures]] = []

    def wanted(key: str) -> bool:
        return chosen is None or key in chosen

    if wanted("cold"):
        rows.append(("cold start, first result", "s", cold_start(subjects)))
    for subject in subjects:
        await subject.open()
    for work in WORK:
        if wanted(work.key):
            rows.append((work.title, "s", await _times(subjects, work, divide)))
    if wanted("throughput"):
        rows.append(("runs a second, all cores", "/s", await throughput(subjects)))
    for subject in subjects:
        await subject.close()
    if wanted("memory"):
        rows.append(("memory of a worker", "B", worker_memory(subjects)))
        rows.append(("memory of an idle engine, host", "B", idle_memory(subjects)))
    return rows


async def _times(subjects: list[Subject], work: Work, divide: int) -> Figures:
    """Median seconds for each unit. The subjects take turns, after one run each to warm up."""
    taking = [subject for subject in subjects if subject.name not in work.skip]
    times: dict[str, list[float]] = {subject.name: [] for subject in taking}
    repeats = max(3, work.repeats // divide)
    for turn in range(repeats + 1):
        for subject in taking:
            if turn > 3 and sum(times[subject.name]) > 60:
                # Three runs that took a minute are enough for a median.
                continue
            began = time.perf_counter()
            value = await subject.run(work)
            seconds = time.perf_counter() - began
            if value != subject.expected(work):
                raise AssertionError(f"{subject.name}, {work.key}: {value!r}")
            if turn or seconds > 5:
                times[subject.name].append(seconds / work.units)
    return {
        subject.name: median(times[subject.name]) if subject.name in times else None
        for subject in subjects
    }


def _print(rows: list[tuple[str, str, Figures]]) -> None:
    names = list(rows[0][2])
    table = Table(title="medians, and in brackets how many times toolscript's figure")
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right")
    for title, unit, figures in rows:
        ours = figures[names[0]]
        table.add_row(title, *(_cell(figures[name], ours, unit) for name in names))
    Console(width=110).print(table)


def _cell(figure: float | None, ours: float | None, unit: str) -> str:
    if figure is None:
        return "-"
    ratio = f"  ({figure / ours:.2f}×)" if ours and figure != ours else ""
    return f"{_shown(figure, unit)}{ratio}"


def _shown(figure: float, unit: str) -> str:
    if unit == "s":
        return f"{figure * 1000:.3f} ms" if figure < 1 else f"{figure:.2f} s"
    if unit == "B":
        return f"{figure / 1024 / 1024:.1f} MiB"
    return f"{figure:.0f} {unit}"


if __name__ == "__main__":
    main()
