"""Runs a program in a Python process of its own, as a user's application would be."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

PREAMBLE = """
import asyncio, os, signal, sys, threading, time
from toolscript import CodeMode

def add(a: int, b: int) -> int:
    "Add."
    return a + b

def ready() -> None:
    "Tells the test that the run is under way."
    print("ready")

SCRIPT = "return await tools.add({ a: 1, b: 2 })"
"""


# Debug modes of this process would have those speak of what is slow on a busy machine.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("PYTHONASYNCIODEBUG", "PYTHONDEVMODE")
}


def program(tmp_path: Path, body: str) -> Path:
    """A file with the preamble and `body`, which must print what the test looks for."""
    path = tmp_path / "program.py"
    path.write_text(PREAMBLE + textwrap.dedent(body), encoding="utf-8")
    return path


def run_program(tmp_path: Path, body: str) -> str:
    """What the program printed; it must end by itself, well, and say nothing on standard error."""
    return _run(str(program(tmp_path, body)))


def run_code(code: str) -> str:
    """`run_program` for code that wants no preamble."""
    return _run("-c", code)


def _run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=ENVIRONMENT,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return done.stdout.strip()


def start_program(tmp_path: Path, body: str) -> subprocess.Popen[str]:
    """The program as a process that a test talks to."""
    return subprocess.Popen(
        [sys.executable, "-u", str(program(tmp_path, body))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=ENVIRONMENT,
    )
