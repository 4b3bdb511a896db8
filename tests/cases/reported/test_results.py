"""Reported cases about what a script gets from a tool."""

from __future__ import annotations

from tests.cases.reported.mcp import mcp_tools_of
from tests.cases.reported.support import must_accept, reported, run, tools_of
from tests.cases.support import Case


@reported("C052")
async def test_json_in_a_text_block(case: Case) -> None:
    result = await run(mcp_tools_of(case), case["input"]["script"])
    issues, number, zipped, empty, markdown = result.unwrap()
    assert (issues, number, zipped, markdown) == (2, "42", "007", "[not json")
    assert empty in (None, "")


@reported("C053")
async def test_boxed_results_are_unboxed(case: Case) -> None:
    tools = mcp_tools_of(case)
    result = await run(tools, case["input"]["script"])
    assert result.value == ["a", 1], result.text()
    await must_accept(tools, "const items: string[] = await tools.get_items({}); return items")


@reported("C055")
async def test_images_do_not_fill_the_context(case: Case) -> None:
    result = await run(mcp_tools_of(case), case["input"]["script"])
    assert result.ok
    blocks = result.value if isinstance(result.value, list) else result.value["content"]
    assert any(block.get("type") == "image" for block in blocks), result.value
    assert "iVBORw0KGgo" not in result.text()


@reported("C058")
async def test_undefined_in_arguments_is_what_stringify_makes_of_it(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.value == {"a": {"y": 1}, "l": [1, None, 2]}, result.text()


@reported("C061")
async def test_results_are_native_objects(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.value == "number", result.text()
