"""A FastMCP server that shows one code tool in the place of all that it and others offer.

Middleware, mounted servers and authorization stay as they are: each call of a script goes through
the server's own `call_tool`.

    python cookbook/fastmcp_orders.py                  # an in-memory client
    fastmcp run cookbook/fastmcp_orders.py:server      # for a client of yours

Needs: pip install "toolscript[fastmcp]"
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from fastmcp import Client, Context, FastMCP
from fastmcp.server.middleware import Middleware
from pydantic import BaseModel

from toolscript_adapters.fastmcp import CodeTransform


class Order(BaseModel):
    id: int
    country: str
    grams: int


class Count(Middleware):
    """Counts every call of a tool, from a client or from a script."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        self.calls[context.message.name] += 1
        return await call_next(context)


freight: FastMCP[Any] = FastMCP("freight")
count = Count()
server: FastMCP[Any] = FastMCP("orders", transforms=[CodeTransform()], middleware=[count])
server.mount(freight, namespace="freight")


@server.tool
def open_orders() -> list[Order]:
    """Orders that are not sent yet."""
    return [
        Order(id=number, country=("FR", "DE", "NO")[number % 3], grams=number * 90)
        for number in range(1, 31)
    ]


@freight.tool
async def quote(country: str, grams: int, context: Context) -> float:
    """Price of a parcel in euros."""
    await context.report_progress(1, 1)
    return {"FR": 4.0, "DE": 3.5, "NO": 9.0}[country] + grams * 0.002


SCRIPT = """
const orders = await tools.open_orders();
const heavy = orders.filter((order) => order.grams > 2000);
const prices = await Promise.all(
  heavy.map(({ country, grams }) => tools.freight_quote({ country, grams })),
);
const worst = heavy.map((order, place) => ({ id: order.id, euros: prices[place] }))
  .sort((a, b) => b.euros - a.euros)[0];
return `order ${worst.id} costs most to send: ${worst.euros.toFixed(2)} euros`;
"""


async def main() -> None:
    async with Client(server) as client:
        tools = await client.list_tools()
        print("the client sees:", ", ".join(tool.name for tool in tools))
        result = await client.call_tool("run_code", {"code": SCRIPT})
        print(result.content[0].text)
        print("middleware saw:", dict(count.calls))


if __name__ == "__main__":
    asyncio.run(main())
