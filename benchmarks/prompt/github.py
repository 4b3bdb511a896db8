"""GitHub's 117 MCP tools over a small, mocked GitHub that the tools' writes change."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any, cast

from benchmarks.prompt import (
    github_actions,
    github_code,
    github_issues,
    github_others,
    github_pulls,
)
from benchmarks.prompt.github_base import Args, GithubError
from benchmarks.prompt.github_world import Data
from toolscript import Tool
from toolscript.mcp import tool_from_mcp

HANDLERS = {
    **github_issues.TOOLS,
    **github_pulls.TOOLS,
    **github_code.TOOLS,
    **github_actions.TOOLS,
    **github_others.TOOLS,
}


class Github:
    """The server of one run: its tools read and change `data`."""

    def __init__(self, data: Data, shared: Path):
        self.data = deepcopy(data)
        self._catalogue = shared / "data" / "mcp_catalogs" / "github.json"

    def tools(self) -> list[Tool]:
        definitions = json.loads(self._catalogue.read_text(encoding="utf-8"))
        return [tool_from_mcp(one, self._answer, server="github") for one in definitions]

    def _answer(self, name: str, arguments: Args) -> dict[str, Any]:
        try:
            answer = HANDLERS[name](self.data, arguments)
        except GithubError as error:
            return {
                "content": [{"type": "text", "text": f"failed to {name}: {error}"}],
                "isError": True,
            }
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}]}


def settled(data: Data) -> Any:
    """The data without what a second way to the same end may leave different: ids and times."""
    return _without(data, frozenset({"id", "updated_at", "closed_at"}))


def _without(value: Any, names: frozenset[str]) -> Any:
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name: _without(one, names) for name, one in fields.items() if name not in names}
    if isinstance(value, list):
        return [_without(one, names) for one in cast("list[Any]", value)]
    return value
