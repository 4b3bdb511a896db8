"""The README is true: its Python runs and prints what it says, its commands exist."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
import shlex
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from tests.agent import CallsOnce
from toolscript.cli import main

README = Path(__file__).resolve().parents[1] / "README.md"


def python_blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)


def commands() -> list[str]:
    return re.findall(r"^    (\S.*)$", README.read_text(encoding="utf-8"), re.M)


async def execute(block: str, names: dict[str, Any]) -> str:
    """Runs a block as a notebook would, top-level `await` too; what it printed."""
    code = compile(block, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert isinstance(code, CodeType)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        done = eval(code, names)
        if inspect.isawaitable(done):
            await done
    return printed.getvalue()


async def test_every_block_runs_and_prints_what_it_says() -> None:
    names: dict[str, Any] = {"model": CallsOnce(code="return 1")}
    blocks = python_blocks()
    assert len(blocks) >= 4
    for block in blocks:
        printed = await execute(block, names)
        for comment in re.findall(r"^ *print\(.*\)  # (.*)$", block, re.M):
            if re.match(r"[a-z]+ ", comment) and "{" not in comment:
                # Says in words what is printed.
                continue
            assert comment in printed.splitlines(), (comment, printed)

    state = await names["agent"].ainvoke({"messages": [("user", "go")]})
    assert state["messages"][-2].text == "1"


def test_the_commands_that_it_shows_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_tools.py").write_text("def one() -> int:\n    'One.'\n    return 1\n")
    (tmp_path / "script.ts").write_text("return await tools.one();\n")
    shown = [line for line in commands() if line.startswith("toolscript ")]
    assert len(shown) == 3
    for line in shown:
        arguments = shlex.split(line.split("   ")[0])[1:]
        assert main(arguments) == 0, line
    assert capsys.readouterr().out


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
