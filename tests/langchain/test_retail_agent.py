"""A whole agent over the retail shop: one script, a person who approves refunds, one refund."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command
from pydantic import BaseModel

from tests.langchain.model import code, done, scripted
from tests.langchain.test_agent import tool_messages
from toolscript import CodeModeMiddleware

SCRIPT = """
const orders = await tools.list_orders({ status: "delivered" });
const totals = new Map<string, number>();
for (const order of orders) {
  totals.set(order.user_id, (totals.get(order.user_id) ?? 0) + order.total);
}
const [best] = [...totals].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
const user = await tools.get_user({ user_id: best[0] });
const theirs = orders.filter((o) => o.user_id === best[0]).sort((a, b) => b.total - a.total);
const refund = await tools.refund_order({ order_id: theirs[0].order_id, amount: theirs[0].total });
const after = await tools.get_order({ order_id: theirs[0].order_id });
return { email: user.email, spent: Math.round(best[1] * 100), refund, status: after.status };
"""


class Order(BaseModel):
    order_id: str
    user_id: str
    status: str
    total: float


class Shop:
    def __init__(self, folder: Path):
        self.users: dict[str, Any] = json.loads((folder / "users.json").read_text())
        self.orders: dict[str, Any] = json.loads((folder / "orders.json").read_text())
        self.refunds: list[tuple[str, float]] = []

    def order(self, data: dict[str, Any]) -> Order:
        total = round(sum(item["price"] for item in data["items"]), 2)
        return Order(**{k: data[k] for k in ("order_id", "user_id", "status")}, total=total)

    def tools(self) -> list[Any]:
        @tool
        def list_orders(status: str) -> list[Order]:
            """All orders of one status."""
            return [self.order(one) for one in self.orders.values() if one["status"] == status]

        @tool
        async def get_order(order_id: str) -> Order:
            """One order."""
            return self.order(self.orders[order_id])

        @tool
        async def get_user(user_id: str) -> dict[str, Any]:
            """One customer."""
            return self.users[user_id]

        @tool
        def refund_order(order_id: str, amount: float) -> dict[str, Any]:
            """Pay money back to the customer of an order."""
            self.refunds.append((order_id, amount))
            self.orders[order_id]["status"] = "refunded"
            return {"order_id": order_id, "refunded": amount}

        return [list_orders, get_order, get_user, refund_order]


async def test_paused_approved_with_an_edit_and_refunded_once(shared: Path, tmp_path: Path) -> None:
    shop = Shop(shared / "data" / "retail")
    spent: dict[str, float] = {}
    for one in shop.orders.values():
        if one["status"] == "delivered":
            total = shop.order(one).total
            spent[one["user_id"]] = spent.get(one["user_id"], 0) + total
    best = min(spent, key=lambda user: (-spent[user], user))
    theirs = [
        o for o in shop.orders.values() if o["user_id"] == best and o["status"] == "delivered"
    ]
    dearest = max(theirs, key=lambda one: shop.order(one).total)

    config: RunnableConfig = {"configurable": {"thread_id": "refund"}}

    def agent(saver: Any) -> Any:
        return create_agent(
            scripted(code(SCRIPT), done("refunded")),
            tools=shop.tools(),
            middleware=[HumanInTheLoopMiddleware({"refund_order": True}), CodeModeMiddleware()],
            checkpointer=saver,
        )

    database = str(tmp_path / "graph.db")
    async with AsyncSqliteSaver.from_conn_string(database) as saver:
        paused = await agent(saver).ainvoke({"messages": [("user", "thank our best one")]}, config)
    (asked,) = paused["__interrupt__"]
    (request,) = asked.value["action_requests"]
    assert request["name"] == "refund_order"
    assert request["args"] == {
        "order_id": dearest["order_id"],
        "amount": shop.order(dearest).total,
    }
    assert shop.refunds == []

    smaller = {"name": "refund_order", "args": {"order_id": dearest["order_id"], "amount": 10.0}}
    answer = {"decisions": [{"type": "edit", "edited_action": smaller}]}
    async with AsyncSqliteSaver.from_conn_string(database) as saver:
        result = await agent(saver).ainvoke(Command(resume=answer), config)
    (message,) = tool_messages(result)
    assert message.artifact["value"] == {
        "email": shop.users[best]["email"],
        "spent": round(spent[best] * 100),
        "refund": {"order_id": dearest["order_id"], "refunded": 10},
        "status": "refunded",
    }
    assert shop.refunds == [(dearest["order_id"], 10.0)]
    assert [call["replayed"] for call in message.artifact["calls"]] == [True, True, False, False]
    assert len(str(message.content)) < 400
