"""A run whose process is killed again and again does everything once, or says what it cannot know.

`TOOLSCRIPT_CRASHES=500 pytest tests/durable/test_crash.py` does it as often as it takes to be sure.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.durable.crashing import CALLS, ONCE, open_world
from toolscript import ErrorKind, RunResult, SQLiteJournal
from toolscript.host.entries import Finished, entry_from_bytes

CRASHES = int(os.environ.get("TOOLSCRIPT_CRASHES", "50"))

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks its processes")


class Zygote:
    """The process that forks those to be killed."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.durable.crashing"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).resolve().parents[2],
        )

    def fork(self, folder: Path, inline: bool, kill_after: float | None) -> dict[str, Any]:
        command = {
            "journal": str(folder / "runs.db"),
            "world": str(folder / "world.db"),
            "run_id": "crashing",
            "inline": inline,
            "result": str(folder / "result.json"),
            "kill_after": kill_after,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate(timeout=60)


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    made = Zygote()
    yield made
    made.close()


def result_in(folder: Path) -> RunResult:
    return RunResult.from_json((folder / "result.json").read_text())


def effects(folder: Path) -> Counter[tuple[int, str, str]]:
    world = open_world(str(folder / "world.db"))
    rows = Counter(tuple(row) for row in world.execute("SELECT seq, tool, key FROM effects"))
    world.close()
    return rows


def finished(folder: Path) -> set[int]:
    """The places of the calls that are on record as over."""

    async def read() -> set[int]:
        journal = SQLiteJournal(folder / "runs.db")
        stored = await journal.load("crashing")
        await journal.aclose()
        entries = [] if stored is None else [entry_from_bytes(data) for data in stored.entries]
        return {entry.seq for entry in entries if isinstance(entry, Finished)}

    return asyncio.run(read())


@dataclass(frozen=True)
class Undisturbed:
    """What the run comes to when nobody kills it, and how long that takes."""

    result: RunResult
    effects: Counter[tuple[int, str, str]]
    seconds: float


def undisturbed(
    zygote: Zygote, tmp_path_factory: pytest.TempPathFactory, inline: bool
) -> Undisturbed:
    seconds: list[float] = []
    for _ in range(3):
        folder = tmp_path_factory.mktemp("undisturbed")
        report = zygote.fork(folder, inline, None)
        assert report["code"] == 0
        seconds.append(report["seconds"])
    result = result_in(folder)
    assert result.status == "completed"
    assert len(result.calls) == CALLS
    return Undisturbed(result, effects(folder), min(seconds))


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("runtime", ["inline", "pool"])
def test_killed_runs_do_everything_once_or_say_so(
    zygote: Zygote, tmp_path_factory: pytest.TempPathFactory, runtime: str
):
    inline = runtime == "inline"
    crashes = CRASHES * 4 // 5 if inline else CRASHES // 5
    whole = undisturbed(zygote, tmp_path_factory, inline)
    expected = whole.result
    chance = random.Random()
    kills = stopped = 0
    while kills < crashes:
        folder = tmp_path_factory.mktemp("crash")
        while not (folder / "result.json").exists():
            before, recorded = effects(folder), finished(folder)
            last = kills >= crashes or chance.random() < 0.3
            report = zygote.fork(
                folder, inline, None if last else chance.uniform(0, whole.seconds * 1.1)
            )
            assert report["code"] in (0, -9), "the process failed by itself"
            kills += report["code"] == -9
            for row, count in (effects(folder) - before).items():
                assert row[0] not in recorded, f"{row} was on record as over and done {count}x more"
        result, done = result_in(folder), effects(folder)
        for row, count in done.items():
            assert row in whole.effects
            assert row[1] not in ONCE or count == 1, f"{row} was done {count} times"
        if result.status == "completed":
            assert set(done) == set(whole.effects)
            assert result.value == expected.value
            assert result.store_writes == expected.store_writes
            assert [item.text for item in result.output] == [item.text for item in expected.output]
            assert [(call.seq, call.tool, call.args, call.result) for call in result.calls] == [
                (call.seq, call.tool, call.args, call.result) for call in expected.calls
            ]
        else:
            stopped += 1
            assert result.error is not None
            assert result.error.kind is ErrorKind.UNKNOWN_OUTCOME
            assert result.pending
            for pending in result.pending:
                assert pending.tool in ONCE
                assert f"call {pending.seq}" in result.error.message
                assert pending.seq not in finished(folder)
    print(f"\n{kills} kills, {stopped} runs stopped for an unknown outcome")
