"""What `redact` hides: from records, events, lists and texts, and not from whoever decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolscript import (
    Approve,
    CodeMode,
    Event,
    MemoryJournal,
    Pending,
    RunResult,
    SQLiteJournal,
    ToolOptions,
    tool_from,
)
from toolscript.cli import main
from toolscript.cli.exit_codes import DONE
from toolscript.events import CallFailed, CallPending, RunEnded

SECRET = "hunter2"
SCRIPT = f'return await tools.login({{ token: "{SECRET}" }});'


def login(token: str) -> str:
    """Log in."""
    return "in"


def refuse(token: str) -> str:
    """Refuse."""
    raise ValueError(f"bad {token}")


CAREFUL = tool_from(login, options=ToolOptions(requires_approval=True))


def red(tool: str, value: Any) -> Any:
    return "RED"


def hushed(tool: str, value: Any) -> Any:
    raise RuntimeError(SECRET)


def by_key(tool: str, value: dict[str, Any]) -> Any:
    """Knows arguments only, and fails at everything else."""
    return {**value, "token": "…"}


REDACTS = [red, hushed, by_key]


@pytest.mark.parametrize("redact", REDACTS)
async def test_whoever_decides_sees_what_they_decide_about(redact: Any) -> None:
    asked: list[Pending] = []

    def approve(pending: Pending) -> Approve:
        asked.append(pending)
        return Approve()

    result = await CodeMode([CAREFUL], approve=approve, redact=redact).run(SCRIPT)
    assert result.value == "in"
    assert [pending.args for pending in asked] == [{"token": SECRET}]
    codemode = CodeMode([CAREFUL], redact=redact)
    paused = await codemode.run(SCRIPT)
    # To be asked again in another process: the question as it stands on record.
    asked_again = await codemode.resume(paused.run_id)
    for question in (paused, asked_again, RunResult.from_json(paused.to_json())):
        assert question.pending[0].args == {"token": SECRET}


@pytest.mark.parametrize("redact", REDACTS)
async def test_nobody_else_sees_it(
    redact: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[Event] = []
    path = str(tmp_path / "runs.db")
    codemode = CodeMode([CAREFUL], redact=redact, journal=SQLiteJournal(path))
    paused = await codemode.run(SCRIPT, on_event=heard.append)
    assert {type(event) for event in heard} >= {CallPending, RunEnded}
    assert SECRET not in repr(heard)
    assert SECRET not in repr(codemode.list_runs())
    assert SECRET not in repr(paused.calls)
    assert SECRET not in paused.text()
    for options in ([], ["--json"]):
        # A command has a loop of its own.
        assert await asyncio.to_thread(main, ["trace", path, paused.run_id, *options]) == DONE
    shown = capsys.readouterr().out
    assert "login" in shown
    assert SECRET not in shown


@pytest.mark.parametrize("redact", REDACTS)
@pytest.mark.parametrize("caught", [True, False])
async def test_records_and_events_do_not_repeat_what_a_tools_error_says(
    redact: Callable[[str, Any], Any], caught: bool
) -> None:
    heard: list[Event] = []
    script = f'await tools.refuse({{ token: "{SECRET}" }})'
    if caught:
        script = f"try {{ {script} }} catch (error) {{ console.log('caught') }}"
    result = await CodeMode([refuse], redact=redact).run(script, on_event=heard.append)
    [call] = result.calls
    assert call.error is not None
    assert (call.error.code, call.error.type) == ("failed", "ValueError")
    assert SECRET not in repr(result.calls)
    assert SECRET not in repr([event for event in heard if isinstance(event, CallFailed)])
    # What the script itself does not catch is its answer, and goes to the model like any other.
    assert (result.error is None) == caught


async def test_without_a_hook_everybody_sees_the_question() -> None:
    codemode = CodeMode([CAREFUL])
    paused = await codemode.run(SCRIPT)
    assert codemode.list_runs()[0].pending == paused.pending
    assert paused.as_shown() == paused
    assert SECRET in paused.text()


async def test_what_a_journal_keeps_to_show_of_a_call_is_redacted() -> None:
    journal = MemoryJournal()
    await CodeMode([login], redact=red, journal=journal).run(SCRIPT, run_id="r")
    stored = await journal.load("r")
    assert stored is not None
    heads = b"".join(entry.partition(b"\n")[0] for entry in stored.entries)
    assert b"RED" in heads
    assert SECRET.encode() not in heads
