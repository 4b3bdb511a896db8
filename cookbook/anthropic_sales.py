"""A report over four weeks of sales in one script, by the tool runner of the Anthropic SDK.

As single calls this is one for each day, each with all its sales in the context of the model.

    python cookbook/anthropic_sales.py                 # a scripted API, offline
    ANTHROPIC_API_KEY=... python cookbook/anthropic_sales.py

Needs: pip install "toolscript[anthropic]"
"""

from __future__ import annotations

import asyncio
import json
import os
from datetime import date, timedelta
from typing import Any

import httpx2
from anthropic import AsyncAnthropic
from pydantic import BaseModel

from toolscript_adapters.anthropic import code_tool

QUESTION = "Which weekday of the last four weeks sold most, and how much on average?"


class Sale(BaseModel):
    product: str
    pieces: int


def list_days() -> list[date]:
    """The days for which there are sales, the oldest first."""
    return [date(2026, 3, 2) + timedelta(days=place) for place in range(28)]


async def get_sales(day: date) -> list[Sale]:
    """All sales of a day."""
    await asyncio.sleep(0.001)
    busy = 30 if day.weekday() == 5 else 10
    return [Sale(product="lamp", pieces=busy), Sale(product="desk", pieces=day.day % 3)]


SCRIPT = """
    const days = await tools.list_days();
    const sales = await Promise.all(days.map((day) => tools.get_sales({ day })));
    const byWeekday: Record<string, number[]> = {};
    days.forEach((day, place) => {
        const weekday = new Date(day).getUTCDay();
        const pieces = sales[place].reduce((sum, sale) => sum + sale.pieces, 0);
        (byWeekday[weekday] ??= []).push(pieces);
    });
    const means = Object.entries(byWeekday).map(([weekday, all]) => ({
        weekday: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Number(weekday)],
        mean: all.reduce((a, b) => a + b, 0) / all.length,
    }));
    return means.sort((a, b) => b.mean - a.mean)[0];
"""


def scripted(request: httpx2.Request) -> httpx2.Response:
    """Plays the API where no key is set."""
    (*_, last) = json.loads(request.content)["messages"]
    if isinstance(last["content"], str):
        block = {"type": "tool_use", "id": "toolu_1", "name": "run_code", "input": {"code": SCRIPT}}
    else:
        best = json.loads(last["content"][0]["content"])
        said = f"{best['weekday']}, with {best['mean']:.1f} pieces a day."
        block = {"type": "text", "text": said}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [block],
        "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    return httpx2.Response(200, json=message)


def client() -> AsyncAnthropic:
    if os.environ.get("ANTHROPIC_API_KEY"):
        return AsyncAnthropic()
    transport = httpx2.MockTransport(scripted)
    return AsyncAnthropic(api_key="none", http_client=httpx2.AsyncClient(transport=transport))


async def main() -> None:
    runner = client().beta.messages.tool_runner(
        model="claude-sonnet-4-5",
        max_tokens=2000,
        messages=[{"role": "user", "content": QUESTION}],
        tools=[code_tool([list_days, get_sales])],
    )
    async for message in runner:
        for block in message.content:
            shown: Any = block
            print(shown.text if block.type == "text" else shown.input["code"])


if __name__ == "__main__":
    asyncio.run(main())
