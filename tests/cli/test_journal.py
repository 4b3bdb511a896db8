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


def receipts(command: Terminal) -> list[list[tuple[str, str]]]:
    """Who decided what, call by call."""
    shown = json.loads(command("trace", "runs.db", "r", "--json").stdout)
    return [[(made["kind"], made["who"]) for made in call["decisions"]] for call in shown["calls"]]


def test_other_arguments_and_a_name_go_on_the_receipt(command: Terminal) -> None:
    assert command(*PAUSES).returncode == 3
    wrong = command("resume", "r", *KEPT, "--edit", '2={"order": "x"}', "--who", "bo")
    assert wrong.returncode == 3
    assert "call 2 (refund) could not be used: " in wrong.stderr
    assert "order must be an integer" in wrong.stderr
    answers = ("--edit", '2={"order": 5}', "--approve", "3", "--who", "bo")
    done = command("resume", "r", *KEPT, *answers)
    assert done.returncode == 0, done.stderr
    # The two payments are made at the same time.
    assert sorted(command.notes().splitlines()) == ["begun", "paid 2", "paid 5"]
    assert receipts(command) == [[], [("edit", "bo")], [("approve", "bo")]]
    assert "call 2 (refund): person: edit, bo" in command("trace", "runs.db", "r").stdout


def test_what_happened_is_said_right_after_the_crash(command: Terminal) -> None:
    (command.folder / "tools.py").write_text(
        "import os\n\n"
        "def pay(order: int) -> int:\n"
        '    """Pay."""\n'
        "    if not os.path.exists('alive'):\n"
        "        os._exit(9)\n"
        "    return order\n",
        encoding="utf-8",
    )
    (command.folder / "script.ts").write_text("return await tools.pay({ order: 4 });")
    assert command.apart(*PAUSES).returncode == 9
    (command.folder / "alive").touch()
    shown = command("trace", "runs.db", "r").stdout
    assert "r: interrupted" in shown
    assert "call 1 (pay): under way when the last of it was recorded" in shown
    wrong = command("resume", "r", *KEPT, "--happened", '1="yes"')
    assert wrong.returncode == 3
    assert "no result of this tool" in wrong.stderr
    assert "--happened CALL=JSON" in wrong.stderr
    trace = command("trace", "runs.db", "r").stdout
    assert "r: undecided" in trace
    assert "call 1 (pay): under way when its process died: its outcome is unknown" in trace
    assert "not begun" not in trace
    done = command("resume", "r", *KEPT, "--happened", "1=7", "--who", "al")
    assert (done.returncode, done.stdout) == (0, "7\n")
    assert receipts(command) == [[("happened", "al")]]
    over = command(*PAUSES)
    assert (over.returncode, over.stdout) == (0, "7\n")
    assert "nothing was run now" in over.stderr
    late = command("resume", "r", *KEPT, "--approve", "1")
    assert late.returncode == 2
    assert "is over (completed)" in late.stderr
