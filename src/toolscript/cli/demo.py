"""`toolscript demo`: the whole story over a small shop, with no key and no network."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, cast

from rich.console import Console
from rich.markup import escape
from rich.syntax import Syntax
from rich.table import Table

from toolscript import CodeMode, render_declarations, tool_from
from toolscript.cli import shop
from toolscript.cli.exit_codes import DONE, FAILED
from toolscript.cli.live import LiveRun
from toolscript.cli.receipts import receipts_table
from toolscript.result import Call, RunResult

_QUESTION: Final = (
    "Which VIP customers get their parcel more than a week late? Pay their shipping fee back, "
    "write to each in their own language, and tell me what it cost."
)

_SCRIPT: Final = files("toolscript.cli").joinpath("demo_script.ts").read_text(encoding="utf-8")

_INSTALL: Final = 'pip install "toolscript[langchain]"'


@dataclass(frozen=True, slots=True)
class _Story:
    """What happened: the run, what the model read of it, and its closing sentence."""

    result: RunResult
    read_back: str
    answer: str


def main(arguments: argparse.Namespace) -> int:
    console = Console(file=arguments.output)
    codemode = CodeMode(shop.TOOLS)
    has_langchain = importlib.util.find_spec("langchain") is not None
    console.print("The model is scripted and offline here; all that it calls is real.")
    _head(console, "The question", escape(_QUESTION))
    _head(console, f"What the model reads of the shop's {len(shop.TOOLS)} tools")
    console.print(_typescript(render_declarations([tool_from(item) for item in shop.TOOLS])))
    _head(console, "What it writes: one script instead of a call at a time")
    console.print(_typescript(_SCRIPT, line_numbers=True))
    _head(console, "What happens: the script runs in the sandbox, your functions answer")
    with LiveRun(console) as live:
        story = asyncio.run(_in_an_agent(live) if has_langchain else _alone(codemode, live))
    _head(console, "What the model reads back", escape(story.read_back))
    _head(console, "What it answers", f"[bold]{escape(story.answer)}[/]")
    _head(console, "The receipts, kept by the host")
    console.print(receipts_table(story.result.calls, console.width))
    _head(console, "Characters that pass through the model's context")
    console.print(_costs(codemode.prompt(), story))
    if not has_langchain:
        console.print(f"\nTo see the same inside a LangChain agent: {escape(_INSTALL)}")
    return DONE if story.result.ok else FAILED


def _head(console: Console, title: str, text: str = "") -> None:
    console.print()
    console.rule(f"[bold]{title}[/]", align="left")
    if text:
        console.print(text, highlight=False)


def _typescript(code: str, line_numbers: bool = False) -> Syntax:
    return Syntax(
        code.rstrip(),
        "typescript",
        line_numbers=line_numbers,
        word_wrap=True,
        background_color="default",
    )


async def _in_an_agent(live: LiveRun) -> _Story:
    """A LangChain agent, of which only the model is not real."""
    from langchain import agents
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool

    from toolscript import CodeModeTool
    from toolscript.cli.nested_calls import NestedCalls
    from toolscript.cli.scripted_model import ScriptedModel

    code_tool = CodeModeTool([tool(function) for function in shop.TOOLS])
    model = ScriptedModel(script=_SCRIPT, answer=_answer)
    # The types of `create_agent` are not complete enough for a strict checker.
    agent = cast("Any", agents).create_agent(model, tools=[code_tool])
    state = await agent.ainvoke(
        {"messages": [HumanMessage(_QUESTION)]},
        {"callbacks": [NestedCalls(code_tool.name, live.on_event)]},
    )
    [read_back] = [item for item in state["messages"] if isinstance(item, ToolMessage)]
    result = RunResult.from_json(json.dumps(read_back.artifact))
    return _Story(result, read_back.text, state["messages"][-1].text)


async def _alone(codemode: CodeMode, live: LiveRun) -> _Story:
    """The same without an agent around it."""
    async with codemode:
        result = await codemode.run(_SCRIPT, on_event=live.on_event)
    answer = _answer(result.value) if result.ok else f"The script failed: {result.text()}"
    return _Story(result, result.text(), answer)


def _answer(value: Any) -> str:
    late = ", ".join(
        f"{row['name']} ({row['order']}, {row['late']:.0f} days)" for row in value["customers"]
    )
    return (
        f"{len(value['customers'])} VIP customers: {late}. Each has the shipping fee back and a "
        f"letter; it cost {value['cost']:.2f} EUR."
    )


def _costs(prompt: str, story: _Story) -> Table:
    """Every payload counted once. A real agent sends what it has so far again at each turn."""
    definitions = _characters([_definition(tool) for tool in shop.TOOLS])
    spoken = sum(_characters(call.args) for call in story.result.calls)
    heard = sum(_heard(call) for call in story.result.calls)
    rows = (
        ("tools, as the model is told of them", definitions, len(prompt)),
        ("what the model writes", spoken, len(_SCRIPT)),
        ("what it reads back", heard, len(story.read_back)),
    )
    table = Table()
    table.add_column("")
    table.add_column("tool by tool", justify="right")
    table.add_column("one script", justify="right")
    for title, direct, code in rows:
        table.add_row(title, f"{direct:,}", f"{code:,}")
    table.add_section()
    table.add_row(
        "together",
        f"{sum(row[1] for row in rows):,}",
        f"[bold]{sum(row[2] for row in rows):,}[/]",
    )
    table.add_row("tool results seen by the model", str(len(story.result.calls)), "1")
    return table


def _heard(call: Call) -> int:
    return len(call.error.message) if call.error else _characters(call.result)


def _characters(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))


def _definition(tool: Any) -> dict[str, Any]:
    """The tool as agent frameworks send it to a model."""
    from langchain_core.utils.function_calling import convert_to_openai_tool

    return convert_to_openai_tool(tool)
