"""MCP tools of the reported cases: definitions, and results as servers send them."""

from __future__ import annotations

import json
from typing import Any

from tests.cases.support import Case
from toolscript import Tool
from toolscript.mcp.convert import tool_from_mcp


def mcp_tools_of(case: Case) -> list[Tool]:
    specs = {spec["name"]: spec for spec in case["input"]["tools"]}

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        spec = specs[name]
        if "mcp_result" in spec:
            return spec["mcp_result"]
        return {
            "content": [{"type": "text", "text": json.dumps(spec["returns"])}],
            "structuredContent": spec["returns"],
        }

    return [tool_from_mcp(spec, call) for spec in specs.values()]
