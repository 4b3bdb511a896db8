"""Reported cases about what the model reads back, and what a person sees meanwhile."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.cases.reported.support import reported, run, tools_of
from tests.cases.support import Case
from tests.conftest import SHARED
from toolscript import CodeMode, CodeModeTool, Namespace, Tool
from toolscript.events import CallCompleted, CallStarted, Event, Progress


def catalogue(limit: int | None = None) -> list[Namespace]:
    """Tools of real MCP servers, a namespace each."""
    path = SHARED / "data" / "mcp_catalogs" / "live_servers.json"
    found: list[Namespace] = []
    left = limit
    for number, server in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        specs = server["tools"][:left]
        tools = [
            Tool(
                spec["name"],
                spec.get("description") or "",
                spec["inputSchema"],
                spec.get("outputSchema"),
                lambda args, context: None,
            )
            for spec in specs
        ]
        if tools:
            found.append(Namespace(f"server{number}", tools))
        if left is not None:
            left -= len(specs)
    return found


@reported("C119")
async def test_values_are_compact_json(case: Case) -> None:
    limit = case["input"]["config"]["max_result_chars"]
    result = await run([], case["input"]["script"])
    text = result.text(max_tokens=limit // 4)
    assert json.loads(text) == result.value
    assert len(text) <= limit


@reported("C120")
async def test_a_shortened_value_says_that_only_the_text_is_short(case: Case) -> None:
    limit = case["input"]["config"]["max_result_chars"]
    result = await run(tools_of(case), case["input"]["script"])
    text = result.text(max_tokens=limit // 4)
    assert "900000" in text
    assert len(text) <= limit
    assert "complete" in text
    assert "return less" in text


@reported("C121")
async def test_the_script_is_not_echoed(case: Case) -> None:
    comment = "a long comment " * 200
    result = await run([], f"/* {comment} */ return 1;")
    assert result.text() == "1"


@reported("C122")
async def test_a_tools_own_description_can_be_kept_short(case: Case) -> None:
    limit = case["input"]["config"]["max_description_chars"]
    tools = catalogue(60)
    tool = CodeModeTool(tools, declarations="system", prompt_tokens=2_000)
    assert len(tool.description) <= limit
    assert "codemode.search" in tool.system_prompt


@reported("C123")
async def test_a_large_catalogue_fits_a_budget_and_says_what_is_missing(case: Case) -> None:
    budget = case["input"]["config"]["max_declaration_tokens"]
    codemode = CodeMode(catalogue())
    prompt = codemode.prompt(max_tokens=budget)
    assert len(prompt) <= budget * 4
    assert "codemode.search" in prompt
    assert "codemode.describe" in prompt
    # Says whether the index is complete: so many of so many, or every name with its namespace.
    assert re.search(r"complete|partial|\d+ of \d+ tools", prompt)
    async with codemode:
        found = await codemode.run("return await codemode.search('stock price history')")
    assert found.ok, found.text()
    assert "get_price_history" in found.text()


@reported("C125")
async def test_events_come_in_order_while_the_script_runs(case: Case) -> None:
    seen: list[Any] = []

    def watch(event: Event) -> None:
        match event:
            case CallStarted(call=call):
                seen.append(("start", call.args["i"]))
            case CallCompleted(call=call):
                seen.append(("end", call.args["i"]))
            case Progress(message=message):
                seen.append(("progress", message))
            case _:
                pass

    script = case["input"]["script"].replace(
        "progress(i,3,'step '+i)", "progress('step ' + i, i / 3)"
    )
    async with CodeMode(tools_of(case)) as codemode:
        result = await codemode.run(script, on_event=watch)
    assert result.value == "ok", result.text()
    assert seen == [
        step for i in (1, 2, 3) for step in (("start", i), ("end", i), ("progress", f"step {i}"))
    ]
