"""Runs of the command line that outlive their process."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from toolscript.cli import main

TOOLS = '''
from toolscript import ToolOptions, tool_from

def note(text: str) -> str:
    """Write down."""
    with open("notes.txt", "a") as file:
        file.write(text + "\\n")
    return text

def refund(order: int) -> str:
    """Pay an order back."""
    return note(f"paid {order}")

TOOLS = [note, tool_from(refund, options=ToolOptions(requires_approval=True))]
'''

SCRIPT = """
await tools.note({ text: "begun" });
const both = await Promise.allSettled([
  tools.refund({ order: 1 }),
  tools.refund({ order: 2 }),
]);
return both.map((one) => one.value ?? one.reason.message);
"""


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


class Terminal:
    """Gives commands in a folder; in this process, which is quicker, or in one of their own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        (folder / "tools.py").write_text(TOOLS, encoding="utf-8")
        (folder / "script.ts").write_text(SCRIPT, encoding="utf-8")

    def __call__(self, *words: str) -> Done:
        self._capsys.readouterr()
        code = main(words)
        printed = self._capsys.readouterr()
        return Done(code, printed.out, printed.err)

    def apart(self, *words: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "toolscript", *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def notes(self) -> str:
        return (self.folder / "notes.txt").read_text(encoding="utf-8")


@pytest.fixture
def command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Terminal:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "tools", raising=False)
    return Terminal(tmp_path, capsys)


KEPT = ("--tools", "tools.py", "--journal", "runs.db")


PAUSES = ("run", "script.ts", *KEPT, "--run-id", "r")


def test_a_pause_outlives_the_process(command: Terminal) -> None:
    first = command.apart(*PAUSES)
    assert first.returncode == 3, first.stderr
    assert 'call 2: refund({"order": 1})' in first.stderr
    listed = command("runs", "--journal", "runs.db", "--json")
    [run] = json.loads(listed.stdout)
    assert (run["run_id"], run["status"], len(run["pending"])) == ("r", "paused", 2)
    assert "refund (call 3)" in command("runs", "--journal", "runs.db").stdout

    answers = ("--approve", "2", "--reject", run["pending"][1], "--reason", "not that one")
    done = command.apart("resume", "r", *KEPT, *answers)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["paid 1", "not that one"]
    assert command.notes() == "begun\npaid 1\n"


def test_what_is_not_answered_goes_on_waiting(command: Terminal) -> None:
    assert command(*PAUSES).returncode == 3
    half = command("resume", "r", *KEPT, "--approve", "2")
    assert half.returncode == 3
    assert "call 3: refund" in half.stderr
    assert "call 2" not in half.stderr
    # What it advises is what goes on with it.
    advised = next(line for line in half.stderr.splitlines() if "go on with it by:" in line)
    words = advised.partition("toolscript ")[2].split()
    done = command(*words)
    assert done.returncode == 0, done.stderr
    assert command.notes() == "begun\npaid 1\npaid 2\n"


def test_a_run_with_input_goes_on(command: Terminal) -> None:
    (command.folder / "script.ts").write_text("return await tools.refund({ order: input.order })")
    command(*PAUSES, "--input", '{"order": 7}')
    done = command("resume", "r", *KEPT, "--approve", "1", "--json")
    assert json.loads(done.stdout)["value"] == "paid 7"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("r", *KEPT, "--approve", "9"), "waiting: 2 (refund), 3 (refund)"),
        (("r", *KEPT, "--approve", "2", "--reject", "2"), "call 2 (refund) takes one answer"),
        (("r", *KEPT, "--approve", "2", "--reason", "x"), "--reason goes with --reject"),
        (("other", *KEPT), "no run 'other'"),
        (("r", "--tools", "tools.py", "--journal", "gone.db"), "no journal at gone.db"),
        (("r", "--tools", "tools.py:note", "--journal", "runs.db"), "the tools changed"),
    ],
)
def test_what_cannot_be_answered_is_told_and_changes_nothing(
    command: Terminal, words: tuple[str, ...], told: str
) -> None:
    assert command(*PAUSES).returncode == 3
    done = command("resume", *words)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not (command.folder / "gone.db").exists()
    [run] = json.loads(command("runs", "--journal", "runs.db", "--json").stdout)
    assert run["status"] == "paused"
    assert command.notes() == "begun\n"


def test_a_damaged_journal_is_told_of(command: Terminal) -> None:
    (command.folder / "runs.db").write_text("no journal at all")
    done = command("runs", "--journal", "runs.db")
    assert done.returncode == 2
    assert "runs.db cannot be used" in done.stderr
