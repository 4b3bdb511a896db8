"""All tasks, and the world that each paper's scripts run in."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.prompt import tasks_github, tasks_retail
from benchmarks.prompt.github import Github, settled
from benchmarks.prompt.github_world import build_world
from benchmarks.prompt.task import Data, Paper, Task
from tests.retail.shop import Shop, copy_of, load
from toolscript import CodeMode

SHARED = Path(__file__).resolve().parents[3] / "shared"
TASKS: tuple[Task, ...] = (*tasks_retail.TASKS, *tasks_github.TASKS)
PAPERS: dict[Paper, int | None] = {"retail": None, "github": None, "github_discovery": 6_000}
"""The budget of tokens that each paper's prompt has to fit."""

_CALLS = 5_000
"""Some tasks read every order of the shop, more than the default allows."""


class World:
    """A fresh copy of the data, and the engine whose tools read and change it."""

    def __init__(self, paper: Paper):
        server = Shop(_tables()) if paper == "retail" else Github(build_world(), SHARED)
        self.data: Data = server.data
        self.engine = CodeMode(server.tools(), limits={"calls": _CALLS})


def expected(task: Task) -> tuple[Any, Any]:
    """The right answer, and the data as it has to be afterwards."""
    data = copy_of(_tables()) if task.paper == "retail" else build_world()
    answer = task.expected(data)
    return answer, settled(data)


@cache
def _tables() -> Data:
    return load(SHARED)
