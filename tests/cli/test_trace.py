"""`toolscript trace`: what an operator sees of a journal."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from toolscript import CodeMode, SQLiteJournal, Tool, ToolOptions
from toolscript.cli import main
from toolscript.cli.exit_codes import DONE, MISUSE


async def pay(args: Any, context: Any) -> str:
    return f"paid {args['amount']}"


@pytest.fixture
def journal(tmp_path: Path) -> str:
    """A journal with one run that ended and one that waits."""
    path = tmp_path / "runs.db"

    async def fill() -> None:
        tools = [
            Tool("look", "", True, None, lambda args, context: 1),
            Tool("pay", "", True, None, pay, options=ToolOptions(requires_approval=True)),
        ]
        codemode = CodeMode(tools, journal=SQLiteJournal(path))
        await codemode.run("return await tools.look()", run_id="done")
        await codemode.run("await tools.look(); await tools.pay({ amount: 5 })", run_id="waiting")

    asyncio.run(fill())
    return str(path)


def test_runs_are_listed_with_what_they_wait_for(
    journal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", journal]) == DONE
    shown = capsys.readouterr().out
    assert "2 runs" in shown
    assert "completed" in shown
    assert "paused" in shown
    assert "pay (call 2)" in shown
    assert main(["trace", journal, "--json"]) == DONE
    listed = json.loads(capsys.readouterr().out)
    assert [(run["run_id"], run["status"]) for run in listed] == [
        ("done", "completed"),
        ("waiting", "paused"),
    ]


def test_one_run_shows_its_receipts_and_its_result(
    journal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", journal, "waiting"]) == DONE
    shown = capsys.readouterr().out
    assert "look" in shown
    assert 'pay({"amount":5})' in shown
    assert main(["trace", journal, "done", "--json"]) == DONE
    assert json.loads(capsys.readouterr().out)["value"] == 1


@pytest.mark.parametrize(
    ("arguments", "words"), [(["nowhere.db"], "no journal"), (["{}", "nobody"], "no run 'nobody'")]
)
def test_mistakes_get_a_sentence(
    journal: str, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", *(part.format(journal) for part in arguments)]) == MISUSE
    assert words in capsys.readouterr().err
