"""Paused, killed and gone on with, each time in a new process on the same SQLite checkpointer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills a process by a signal")

ROOT = Path(__file__).parents[2]


class Steps:
    def __init__(self, folder: Path):
        self.database, self.noted = folder / "graph.db", folder / "effects"

    def run(self, step: str, answer: Any = None) -> dict[str, Any] | None:
        """What the process printed; None if it was killed."""
        command = [sys.executable, "-m", "tests.langchain.restart_agent"]
        command += [str(self.database), str(self.noted), step]
        command += [] if answer is None else [json.dumps(answer)]
        ended = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
        )
        if ended.returncode < 0:
            return None
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    @property
    def effects(self) -> list[str]:
        return sorted(self.noted.read_text().splitlines())


def test_each_step_in_a_process_of_its_own(tmp_path: Path) -> None:
    steps = Steps(tmp_path)
    paused = steps.run("start")
    assert paused is not None
    assert set(paused["asked"]) == {"nut", "bolt"}
    assert steps.effects == ["count nut"]
    again = steps.run("answer", {paused["asked"]["bolt"]: "yes"})
    assert again is not None
    assert again["asked"] == {"nut": paused["asked"]["nut"]}
    assert steps.effects == ["count nut", "order bolt 1 yes"]
    ended = steps.run("answer", {paused["asked"]["nut"]: "sure"})
    assert ended is not None
    (status, content) = ended["said"][0]
    assert status == "success", content
    value = json.loads(content)
    assert (value["stock"], value["first"], value["second"]) == (4, "nut: sure", "bolt: yes")
    assert steps.effects == ["count nut", "order bolt 1 yes", "order nut 6 sure"]


def test_killed_while_a_call_was_under_way(tmp_path: Path) -> None:
    steps = Steps(tmp_path)
    paused = steps.run("start")
    assert paused is not None
    first, second = paused["asked"]["nut"], paused["asked"]["bolt"]
    assert steps.run("answer", {first: "die", second: "no"}) is None
    done = [line for line in steps.effects if line.startswith("order nut")]
    assert done == ["order nut 6 die"]
    ended = steps.run("again")
    assert ended is not None
    (status, content) = ended["said"][0]
    assert status == "error"
    assert "order" in content
    assert [line for line in steps.effects if line.startswith("order nut")] == done
