"""`contract.json`: a module is checked against its contract, and nothing runs."""

from __future__ import annotations

import json
from typing import Any

from tests.cases.support import Case, each_case
from tests.conftest import SHARED
from toolscript import CodeMode, Tool


@each_case("contract.json")
async def test_contract(case: Case) -> None:
    judge: dict[str, Any] = json.loads((SHARED / "cases" / "contract.json").read_text())["judge"]

    def never(args: Any, context: Any) -> Any:
        raise AssertionError("validation runs nothing")

    tool = judge["tool"]
    codemode = CodeMode(
        [
            Tool(
                name=tool["name"],
                description=tool["description"],
                input_schema=tool["input_schema"],
                output_schema=tool["output_schema"],
                call=never,
            )
        ],
        profile="contract",
        check="types",
        input_schema=judge["input_schema"] if case["input_bearing"] else None,
    )
    found = [each for each in await codemode.validate(case["source"]) if each.severity == "error"]
    assert (not found) == case["valid"], [str(each) for each in found]
