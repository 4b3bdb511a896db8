"""docs/adapters.md names what there is, and its example runs as it stands."""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
EXTRAS = set(
    tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
)
EXAMPLES = re.findall(r"```python\n(.+?)```", PAGE, re.DOTALL)
SERVER = '''
import os

from mcp.server import MCPServer

server = MCPServer("stock")


@server.tool()
def count(item: str) -> int:
    """How many there are: the letters of the item, or of what a key in the environment opens."""
    return len(os.environ.get("STOCK_KEY", item))


server.run()
'''
OTHERS = {"typecheck", "langchain", "otel"}


def test_the_table_has_a_row_for_each_framework() -> None:
    rows = re.findall(r"^\| \[.+?\]\((.+?)\) \| `toolscript\[(.+?)\]` \|", PAGE, re.MULTILINE)
    assert sorted(extra for _, extra in rows) == sorted(EXTRAS - OTHERS)
    for recipe, _ in rows:
        assert (ROOT / "docs" / recipe).is_file()


def test_a_server_is_connected_by_its_command_url_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "servers").mkdir()
    for folder in (tmp_path, tmp_path / "servers"):
        (folder / "stock_server.py").write_text(SERVER)
    scope: dict[str, Any] = {"__name__": "page"}
    exec(compile(EXAMPLES[0], "docs/adapters.md", "exec"), scope)
    places, count = scope["PLACES"], scope["count"]
    assert asyncio.run(count(places["by_command"])) == "3"
    assert asyncio.run(count(places["with_environment"])) == "1"
    assert places["by_url"].startswith("https://")


def test_the_example_runs() -> None:
    example = EXAMPLES[1]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(example, "docs/adapters.md", "exec"), {"__name__": "page"})
    assert printed.getvalue().splitlines()[-1] == "6"
