"""`toolscript trace`: what an operator sees of a journal."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from toolscript import (
    Approve,
    Call,
    CallDecision,
    CodeMode,
    Event,
    Pending,
    SQLiteJournal,
    Tool,
    ToolOptions,
)
from toolscript.cli import main
from toolscript.cli.exit_codes import DONE, MISUSE
from toolscript.cli.receipts import call_text
from toolscript.events import CallPending


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


@pytest.fixture
def interrupted(tmp_path: Path) -> str:
    """A journal with a run whose task was cancelled in the middle of its calls."""
    path = tmp_path / "cut.db"
    under_way = asyncio.Event()

    async def look(args: Any, context: Any) -> int:
        if args["n"] == 2:
            raise ValueError("the secret is hunter2")
        return 1

    async def slow(args: Any, context: Any) -> None:
        under_way.set()
        await asyncio.Event().wait()

    async def allow(pending: Pending) -> Approve:
        await asyncio.Event().wait()
        return Approve()

    async def fill() -> None:
        codemode = CodeMode(
            [
                Tool("look", "", True, None, look, options=ToolOptions(idempotent=True)),
                Tool("slow", "", True, None, slow),
                Tool("pay", "", True, None, pay, options=ToolOptions(requires_approval=True)),
            ],
            journal=SQLiteJournal(path),
            approve=allow,
        )
        script = """
            await tools.look({ n: 1 });
            await tools.look({ n: 2 }).catch(() => null);
            await Promise.all([tools.pay({ amount: 5 }), tools.slow({ big: "x".repeat(2_000) })]);
        """
        asked = asyncio.Event()

        def hear(event: Event) -> None:
            if isinstance(event, CallPending):
                asked.set()

        run = asyncio.create_task(codemode.run(script, run_id="cut", on_event=hear))
        await under_way.wait()
        await asked.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(fill())
    return str(path)


def test_a_run_without_an_outcome_shows_what_is_on_record_of_it(
    interrupted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", interrupted, "cut", "--json"]) == DONE
    shown = json.loads(capsys.readouterr().out)
    assert (shown["run_id"], shown["status"]) == ("cut", "interrupted")
    calls = shown["calls"]
    assert [(call["seq"], call["tool"], call["status"]) for call in calls] == [
        (1, "look", "ok"),
        (2, "look", "error"),
        (3, "pay", "pending"),
        (4, "slow", "pending"),
    ]
    assert calls[0]["args"] == {"n": 1}
    assert calls[1]["error"]["type"] == "ValueError"
    assert calls[2]["started_at"] is None
    assert calls[3]["started_at"] > 0
    assert calls[3]["args"].endswith("…")

    assert main(["trace", interrupted, "cut"]) == DONE
    text = capsys.readouterr().out
    assert "cut: interrupted" in text
    assert "call 3 (pay): waits for a person" in text
    assert "call 4 (slow): under way" in text
    assert "`toolscript resume` goes on" in text
    assert "hunter2" not in text


def test_so_does_one_that_a_process_is_at_work_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "runs.db"
    codes: list[int] = []

    async def look(args: Any, context: Any) -> None:
        codes.append(await asyncio.to_thread(main, ["trace", str(path), "now"]))

    codemode = CodeMode([Tool("look", "", True, None, look)], journal=SQLiteJournal(path))
    codemode.run_sync("await tools.look()", run_id="now").unwrap()
    assert codes == [DONE]
    text = capsys.readouterr().out
    assert "now: running" in text
    assert "call 1 (look): under way" in text


def test_a_receipt_says_who_decided() -> None:
    decisions = (
        CallDecision("policy", "ask", id="D7", policy_version="v1"),
        CallDecision("person", "approve", who="bo"),
    )
    call = Call(1, "pay", "ok", args={"amount": 5}, decisions=decisions)
    assert call_text(call) == 'pay({"amount": 5})  policy: ask D7, person: approve, bo'
