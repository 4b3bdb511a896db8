"""What a script sees of MCP results, as a connector sees it and as an agent's script does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases.support import Case, each_case, same
from toolscript.errors import ToolError
from toolscript.mcp import tool_from_mcp, unwrap

DEFINITION = {"name": "tool", "inputSchema": {"type": "object", "properties": {}}}


@each_case("mcp_unwrap.json")
def test_unwrapping(case: Case) -> None:
    _judge(case, lambda result: unwrap(result))


@each_case("mcp_unwrap.json")
def test_unwrapping_by_the_connector(case: Case) -> None:
    def answer(result: Any) -> Any:
        return tool_from_mcp(DEFINITION, lambda name, arguments: result).call({}, None)

    _judge(case, answer)


def _judge(case: Case, answer: Any) -> None:
    expected = case["expect"]
    if "value" in expected:
        wanted = case["result"] if expected["value"] == "raw" else expected["value"]
        assert same(answer(case["result"]), wanted)
        return
    with pytest.raises(ToolError) as failed:
        answer(case["result"])
    assert failed.value.message
    assert expected.get("throws_contains", "") in failed.value.message
