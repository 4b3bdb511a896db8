"""Runs the readers' scripts and says which of them did what their task asks.

    python -m benchmarks.prompt.judge SCRIPTS_DIR             judges <task id>.ts
    python -m benchmarks.prompt.judge SCRIPTS_DIR --search    runs <task id>.search.ts

Judging writes `outcomes.json` and `outcomes.md` beside the scripts. A search is a first look by a
reader whose prompt does not tell everything: what it gives is written to `<task id>.search.txt`,
for the reader who then writes the script. Every script meets a fresh copy of the data.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from benchmarks.prompt.github import settled
from benchmarks.prompt.task import Task, same
from benchmarks.prompt.tasks import TASKS, World, expected
from toolscript import RunResult

Verdict = Literal["right", "wrong", "failed", "missing"]
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a script; `kind` is the error's kind of one that failed."""

    task: str
    paper: str
    verdict: Verdict
    kind: str = ""
    detail: str = ""
    calls: int = 0
    searched: bool = False


async def judge(task: Task, folder: Path) -> Outcome:
    """The outcome of a task's script in a folder."""
    script = folder / f"{task.id}.ts"
    if not script.exists():
        return Outcome(task.id, task.paper, "missing")
    world = World(task.paper)
    async with world.engine as engine:
        result = await engine.run(script.read_text(encoding="utf-8"))
    verdict, kind, detail = _verdict(task, result, world)
    return Outcome(
        task.id,
        task.paper,
        verdict,
        kind,
        detail,
        len(result.calls),
        (folder / f"{task.id}.search.ts").exists(),
    )


def _verdict(task: Task, result: RunResult, world: World) -> tuple[Verdict, str, str]:
    if result.error is not None:
        kind = f"{result.error.kind} {result.error.code or ''}".strip()
        return "failed", kind, result.error.message[:_SHOWN]
    answer, data = expected(task)
    if not same(result.value, answer):
        return "wrong", "answer", f"{_short(result.value)} instead of {_short(answer)}"
    if place := _difference(settled(world.data), data, "$"):
        return "wrong", "data", place
    return "right", "", ""


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _difference(one: Any, other: Any, path: str) -> str:
    """Where two values differ first, in words; empty if nowhere."""
    if same(one, other):
        return ""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        left, right = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        places = (_difference(left[name], right[name], f"{path}.{name}") for name in left)
        return next(filter(None, places))
    return f"{path} is {_short(one)} instead of {_short(other)}"


async def search(task: Task, folder: Path) -> None:
    """Runs a task's search script and keeps what its reader gets to see of it."""
    script = folder / f"{task.id}.search.ts"
    async with World(task.paper).engine as engine:
        result = await engine.run(script.read_text(encoding="utf-8"))
    (folder / f"{task.id}.search.txt").write_text(result.text() + "\n", encoding="utf-8")


def table(outcomes: Sequence[Outcome]) -> str:
    """The outcomes in Markdown."""
    counts = Counter(outcome.verdict for outcome in outcomes)
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    lines = [
        "# Outcomes",
        "",
        f"{len(outcomes)} tasks: {summary}.",
        "",
        "| task | paper | outcome | kind | calls | searched first | detail |",
        "|---|---|---|---|---:|---|---|",
    ]
    for one in outcomes:
        detail = one.detail.replace("|", "\\|").replace("\n", " ")
        searched = "yes" if one.searched else ""
        cells = (one.task, one.paper, one.verdict, one.kind, str(one.calls), searched, detail)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


async def judge_all(folder: Path) -> list[Outcome]:
    return [await judge(task, folder) for task in TASKS]


async def search_all(folder: Path) -> None:
    for task in TASKS:
        if (folder / f"{task.id}.search.ts").exists():
            await search(task, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description="Judge the scripts of the prompt experiment.")
    parser.add_argument("scripts", type=Path)
    parser.add_argument("--search", action="store_true", help="run the search scripts only")
    asked = parser.parse_args()
    if asked.search:
        asyncio.run(search_all(asked.scripts))
        return
    outcomes = asyncio.run(judge_all(asked.scripts))
    rows = json.dumps([asdict(one) for one in outcomes], indent=1, ensure_ascii=False)
    (asked.scripts / "outcomes.json").write_text(rows + "\n", encoding="utf-8")
    (asked.scripts / "outcomes.md").write_text(table(outcomes), encoding="utf-8")
    print(table(outcomes))


if __name__ == "__main__":
    main()
