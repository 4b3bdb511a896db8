"""`receipts.json`: what the host keeps on record, whatever the script catches (seed 001)."""

from __future__ import annotations

from typing import Any

from tests.cases.support import PROFILE_OF, Case, each_case
from toolscript import CodeMode, Tool, ToolContext, ToolError

_ANYTHING = {"type": "object"}


async def _echo(args: Any, context: ToolContext) -> Any:
    return args


async def _fail(args: Any, context: ToolContext) -> Any:
    raise RuntimeError("boom")


async def _denied(args: Any, context: ToolContext) -> Any:
    raise ToolError("permission denied", code="denied")


async def _big(args: Any, context: ToolContext) -> Any:
    return "x" * (2 * 1024 * 1024 + 1)


async def _read(args: Any, context: ToolContext) -> Any:
    return {"file": {"content": "…", "totalLines": 100, "numLines": 40}}


TOOLS = [
    Tool("Echo", "Gives its arguments. " * 30, _ANYTHING, None, _echo),
    Tool("Fail", "Fails.", _ANYTHING, None, _fail),
    Tool("Denied", "Is denied.", _ANYTHING, None, _denied),
    Tool("Big", "Gives more than two mebibytes.", _ANYTHING, None, _big),
    Tool("Read", "Reads a file.", _ANYTHING, None, _read),
]


def _script(case: Case) -> str:
    script = case["script"]
    if isinstance(script, str):
        return script
    return (script["gen"] * script["pad_to"])[: script["pad_to"]]


@each_case("receipts.json")
async def test_receipts(case: Case) -> None:
    expect = case["expect"]
    async with CodeMode(TOOLS, profile=PROFILE_OF[case["profile"]]) as codemode:
        result = await codemode.run(_script(case))
    assert result.ok == expect["ok"], result.text()
    if "value" in expect:
        assert result.value == expect["value"]
    if "calls" in expect:
        seen = [{"id": c.seq, "tool": c.tool, "status": c.status} for c in result.calls]
        assert seen == expect["calls"]
    if "statuses" in expect:
        assert [call.status for call in result.calls] == expect["statuses"]
    if "output_items" in expect:
        assert len(result.output) == expect["output_items"]


async def test_a_partial_read_nobody_asked_for_is_an_error() -> None:
    async with CodeMode(TOOLS, profile="broker") as codemode:
        result = await codemode.run('return await tools.call("Read", { file_path: "x" })')
    assert not result.ok
    assert [call.status for call in result.calls] == ["error"]
    assert result.error is not None
    assert "40/100" in result.error.message


async def test_a_call_without_arguments_is_denied() -> None:
    async with CodeMode(TOOLS, profile="broker") as codemode:
        result = await codemode.run('try { await tools.call("Echo") } catch {} return 1')
    assert [call.status for call in result.calls] == ["denied"]


async def test_a_call_resolves_to_result_and_text() -> None:
    async with CodeMode(TOOLS, profile="broker") as codemode:
        result = await codemode.run('return await tools.call("Echo", { a: 1 })')
    assert result.value == {"result": {"a": 1}, "text": '{"a":1}'}
