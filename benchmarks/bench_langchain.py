"""`python -m benchmarks.bench_langchain`: what a nested call costs over calling the tool itself.

One LangChain tool is called directly with `ainvoke`, then as often from one script of an agent:
through `CodeModeTool`, `CodeModeMiddleware` and, where it is installed, the middleware of
`langchain-quickjs`. All take turns, so that a busy machine is busy for each. What is printed is
the time of a call less that of a direct one, in microseconds, at the median.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from statistics import median
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import tool
from rich.console import Console
from rich.table import Table

from tests.langchain.model import code, done, scripted
from toolscript import CodeModeMiddleware, CodeModeTool

CALLS = 200
ONE_BY_ONE = f"let sum = 0; for (let i = 0; i < {CALLS}; i++) sum += await tools.price({{ n: i }});"
ALL_AT_ONCE = (
    f"const all = await Promise.all(Array.from({{ length: {CALLS} }}, (_, n) => tools.price({{ n }})));"
    "const sum = all.reduce((a, b) => a + b, 0);"
)
EXPECTED = str(sum(range(CALLS)))


@tool
async def price(n: int) -> int:
    """Price of the thing of that number."""
    return n


async def direct() -> None:
    for n in range(CALLS):
        await price.ainvoke({"name": "price", "args": {"n": n}, "id": "1", "type": "tool_call"})


def agent_run(script: str, name: str, **parts: Any) -> Callable[[], Awaitable[None]]:
    agent = create_agent(scripted(code(script, name=name), done()), **parts)

    async def run() -> None:
        result = await agent.ainvoke({"messages": [("user", "go")]})
        content = str(result["messages"][2].content)
        assert EXPECTED in content, content

    return run


def subjects(script: str) -> dict[str, Callable[[], Awaitable[None]]]:
    limits = {"calls": None}
    body = f"{script} return sum;"
    found = {
        "CodeModeTool": agent_run(body, "run_code", tools=[CodeModeTool([price], limits=limits)]),
        "CodeModeMiddleware": agent_run(
            body, "run_code", tools=[price], middleware=[CodeModeMiddleware(limits=limits)]
        ),
    }
    if find_spec("langchain_quickjs") is not None:
        from langchain_quickjs import CodeInterpreterMiddleware

        middleware = CodeInterpreterMiddleware(ptc=["price"], max_ptc_calls=None, timeout=300)
        expression = f"await (async () => {{ {body} }})()"
        found["langchain-quickjs"] = agent_run(
            expression, "eval", tools=[price], middleware=[middleware]
        )
    return found


async def measure(repeats: int) -> dict[str, dict[str, float]]:
    rows: dict[str, dict[str, float]] = {}
    for title, script in (("one after the other", ONE_BY_ONE), ("all at once", ALL_AT_ONCE)):
        runs = {"direct": direct, **subjects(script)}
        seconds: dict[str, list[float]] = {name: [] for name in runs}
        for repeat in range(repeats + 1):
            for name, run in runs.items():
                began = time.perf_counter()
                await run()
                if repeat:
                    seconds[name].append(time.perf_counter() - began)
        calls = {name: median(spent) / CALLS * 1e6 for name, spent in seconds.items()}
        rows[title] = {"direct": calls["direct"]} | {
            name: spent - calls["direct"] for name, spent in calls.items() if name != "direct"
        }
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    rows = asyncio.run(measure(parser.parse_args().repeats))
    table = Table(title=f"microseconds a call beyond a direct one, of {CALLS} in a script")
    table.add_column("calls")
    for name in next(iter(rows.values())):
        table.add_column(name, justify="right")
    for title, row in rows.items():
        table.add_row(title, *(f"{spent:,.0f}" for spent in row.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
