"""Reported cases about where tools come from."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pydantic.v1
from langchain_core.tools import StructuredTool, tool

from tests.cases.reported.mcp import mcp_tools_of
from tests.cases.reported.support import declarations, must_accept, must_reject, reported, run
from tests.cases.support import Case


class Currency(Enum):
    EUR = "EUR"
    USD = "USD"


def convert(
    amount: int,
    currency: Currency,
    p: Path,
    m: Literal["a", "b"],
    note: str | None = None,
) -> str:
    """Convert."""
    return f"{amount} {currency.value} {p} {m} {note}"


@reported("C041")
async def test_annotations_that_are_strings(case: Case) -> None:
    call = "await tools.convert({ amount: 1, currency: 'EUR', p: '/a', m: 'b' })"
    await must_accept([convert], call)
    await must_reject([convert], call.replace("'b'", "'c'"), call.replace("'EUR'", "'GBP'"))
    result = await run([convert], f"return {call}")
    assert result.value == f"1 EUR {Path('/a')} b None", result.text()


@reported("C043")
async def test_models_of_pydantic_1(case: Case) -> None:
    class One(pydantic.v1.BaseModel):
        x: int = pydantic.v1.Field(description="d")

    class Two(pydantic.BaseModel):
        x: int = pydantic.Field(description="d")

    def double(x: int) -> int:
        """Double."""
        return x * 2

    tools = [StructuredTool.from_function(double, args_schema=schema) for schema in (One, Two)]
    one, two = (declarations([item]) for item in tools)
    assert one == two
    result = await run([tools[0]], "return await tools.double({ x: 4 })")
    assert result.value == 8, result.text()
    refused = await run([tools[0]], "return await tools.double({ x: 'four' })")
    assert refused.calls[0].error is not None
    assert refused.calls[0].error.code == "invalid_args"


@reported("C048")
async def test_structured_content_without_content(case: Case) -> None:
    result = await run(mcp_tools_of(case), case["input"]["script"])
    assert result.value == "a", result.text()


@reported("C049")
async def test_an_mcp_error_keeps_its_structured_content(case: Case) -> None:
    result = await run(mcp_tools_of(case), case["input"]["script"])
    assert result.value == ["ToolError", "r", "RATE_LIMITED"], result.text()


@reported("C051")
async def test_an_mcp_output_schema_is_the_return_type(case: Case) -> None:
    spec = case["input"]["tools"][0]
    tools = mcp_tools_of(case)
    await must_accept(tools, "const a: string = (await tools.s({})).a; return a")
    await must_reject(tools, "const a: number = (await tools.s({})).a; return a")

    # The LangChain adapter for MCP hands the schema on in the metadata, or not at all.
    def answer() -> Any:
        """Answer."""
        return spec["returns"]

    untyped = tool(answer)
    untyped.name = "s"
    await must_accept([untyped], "const a = (await tools.s({})) as { a: string }; return a.a")
