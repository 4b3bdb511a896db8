"""The README is true: its Python runs and prints what it says, its commands exist."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.agent import CallsOnce
from toolscript import CodeMode, SQLiteJournal

README = Path(__file__).resolve().parents[1] / "README.md"


def python_blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)


def commands() -> list[str]:
    return re.findall(r"^    (\S.*)$", README.read_text(encoding="utf-8"), re.M)


def execute(block: str, names: dict[str, Any]) -> str:
    """Runs a block as a file would; what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, "README.md", "exec"), names)
    return printed.getvalue()


def test_every_block_runs_and_prints_what_it_says() -> None:
    names: dict[str, Any] = {"model": CallsOnce(code="return 1")}
    blocks = python_blocks()
    assert len(blocks) >= 4
    for block in blocks:
        printed = execute(block, names)
        for comment in re.findall(r"^ *print\(.*\)  # (.*)$", block, re.M):
            if re.match(r"[a-z]+ ", comment) and "{" not in comment:
                # Says in words what is printed.
                continue
            assert comment in printed.splitlines(), (comment, printed)

    state = names["agent"].invoke({"messages": [("user", "go")]})
    assert state["messages"][-2].text == "1"


@pytest.mark.parametrize("name", ["prompt", "check", "run", "mcp", "trace"])
def test_a_command_that_it_shows_exists(tmp_path: Path, name: str) -> None:
    if name == "mcp" and version("mcp") < "2":
        pytest.skip("the MCP SDK here is older than the extra asks for")
    (tmp_path / "my_tools.py").write_text("def one() -> int:\n    'One.'\n    return 1\n")
    (tmp_path / "script.ts").write_text("return await tools.one();\n")
    journal = SQLiteJournal(tmp_path / "runs.db")
    CodeMode([], journal=journal).run_sync("return 1", run_id="RUN")
    [line] = [line for line in commands() if line.startswith(f"toolscript {name} ")]
    words = shlex.split(line.split("   ")[0].replace("[RUN]", "RUN"))[1:]
    # Nothing comes in: there the server of `mcp` is done too.
    done = subprocess.run(
        [sys.executable, "-m", "toolscript", *words],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or name == "mcp"


def test_it_names_every_extra() -> None:
    project = tomllib.loads((README.parent / "pyproject.toml").read_text(encoding="utf-8"))
    text = README.read_text(encoding="utf-8")
    for extra in project["project"]["optional-dependencies"]:
        assert f"`{extra}`" in text, extra


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert (README.parent / link).exists(), link


def test_ci_calls_what_it_says() -> None:
    ci = (README.parent / ".ci" / "run").read_text(encoding="utf-8")
    [tests] = [line for line in commands() if line.endswith("pytest -q")]
    for part in ("install -q -U pip", "install -q -e . --group test", "-m pytest -q"):
        assert part in tests
        assert part in ci
