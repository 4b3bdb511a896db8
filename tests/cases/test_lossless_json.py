"""`lossless_json.json`: what may cross in the profile of seed 002, and what must not."""

from __future__ import annotations

from typing import Any

from tests.cases.support import Case, each_case, same
from toolscript import CodeMode, ErrorKind, Tool, ToolContext


@each_case("lossless_json.json")
async def test_lossless_json(case: Case) -> None:
    received: list[Any] = []

    async def echo(args: Any, context: ToolContext) -> Any:
        received.append(args)
        return args

    # Seed 002 lets any value be an argument, not only objects.
    tool = Tool("echo", "Returns its argument.", True, None, echo)
    async with CodeMode([tool], profile="seam") as codemode:
        returned = await codemode.run(f"return {case['js_expression']}")
        echoed = await codemode.run(f"return await tools.echo({case['js_expression']})")

    if case["accepted"]:
        assert returned.ok, returned.text()
        assert echoed.ok, echoed.text()
        assert same(echoed.value, returned.value)
        if "value" in case:
            assert same(returned.value, case["value"])
    else:
        assert returned.error is not None
        assert returned.error.kind == ErrorKind.INVALID_OUTPUT, returned.error
        assert echoed.error is not None
        assert received == []
        assert echoed.error.tool == "echo", echoed.error
