"""`toolscript run` with calls that need a person's word."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = '''
from toolscript import ToolOptions, tool_from

def refund(order: int) -> str:
    """Pay an order back."""
    return f"paid {order}"

TOOLS = [tool_from(refund, options=ToolOptions(requires_approval=True))]
'''

SCRIPT = """
const [one, two] = await Promise.allSettled([
  tools.refund({ order: 1 }),
  tools.refund({ order: 2 }),
]);
return [one.value, two.status];
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "script.ts").write_text(SCRIPT, encoding="utf-8")
    return tmp_path


RUN = ("run", "script.ts")


def command(*more: str, begin: tuple[str, ...] = RUN) -> list[str]:
    return [sys.executable, "-m", "toolscript", *begin, "--tools", "tools.py", *more]


def in_a_terminal(
    folder: Path, typed: bytes, *more: str, begin: tuple[str, ...] = RUN, interrupted: bool = False
) -> tuple[int, str, str]:
    """Exit code, standard output, and what stood on the terminal.

    With `interrupted`, the question gets Ctrl-C for an answer.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(*more, begin=begin),
        cwd=folder,
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        text=True,
    )
    os.close(theirs)
    assert process.stdout is not None
    shown = b""
    answers = list(typed.splitlines(keepends=True))
    asked = 0
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            # Linux ends a terminal whose other side is closed with an error.
            break
        if not part:
            break
        shown += part
        while asked < min(shown.count(b"[y/N]"), len(answers)):
            os.write(ours, answers[asked])
            asked += 1
        if interrupted and b"[y/N]" in shown:
            interrupted = False
            process.send_signal(signal.SIGINT)
    printed = process.stdout.read()
    process.stdout.close()
    code = process.wait(timeout=240)
    os.close(ours)
    return code, printed, shown.decode()


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_person_is_asked_for_each_call(folder: Path, more: tuple[str, ...]) -> None:
    code, printed, shown = in_a_terminal(folder, b"y\nn\n", *more)
    assert code == 0, shown
    assert '"paid 1"' in printed
    assert '"rejected"' in printed
    assert shown.count("[y/N]") == 2
    assert '{"order": 1}' in shown
    assert '{"order": 2}' in shown


def test_only_a_yes_approves(folder: Path) -> None:
    code, printed, shown = in_a_terminal(folder, b"\nperhaps\n")
    assert code == 0, shown
    assert "paid" not in printed


def test_an_interrupt_at_the_question_approves_nothing(folder: Path) -> None:
    code, printed, shown = in_a_terminal(
        folder, b"", "--journal", "runs.db", "--run-id", "r", interrupted=True
    )
    assert code == 130, shown
    assert not printed
    assert "toolscript resume r --journal runs.db --tools tools.py" in shown
    assert "Traceback" not in shown
    code, printed, shown = in_a_terminal(
        folder, b"y\nn\n", "--journal", "runs.db", begin=("resume", "r")
    )
    assert code == 0, shown
    assert '"paid 1"' in printed


def test_without_a_terminal_the_run_waits_and_says_what_to_do(folder: Path) -> None:
    done = subprocess.run(
        command(),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 3
    assert "run it in a terminal" in done.stderr.splitlines()[-1]
