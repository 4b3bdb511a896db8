"""The code of docs/langchain.md runs, in order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from langchain.agents import create_agent

from tests.langchain.model import code, done, scripted

PAGE = Path(__file__).resolve().parents[2] / "docs" / "langchain.md"


def test_the_examples_run() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 3
    script = "return (await tools.get_order({ order_id: 2 })).total;"
    scope: dict[str, Any] = {"model": scripted(code(script), done())}
    exec(blocks[0], scope)
    result = scope["agent"].invoke({"messages": [("user", "go")]})
    assert result["messages"][2].content == "19"
    exec(blocks[1], scope)
    exec(blocks[2], scope)
    assert "get_order" in scope["system_prompt"]
    assert create_agent(scope["model"], tools=[scope["run_code"]])
