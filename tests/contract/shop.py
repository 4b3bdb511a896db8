"""A small shop as tools, for tests of what a model reads."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from toolscript import Namespace, Tool


class Order(BaseModel):
    id: int
    customer_id: int
    total: float


class Customer(BaseModel):
    id: int
    name: str
    email: str
    vip: bool


class Page(BaseModel):
    items: list[Order]
    next: str | None = None


def search_orders(status: Literal["late", "open"], limit: int = 3) -> Page:
    """Find orders by their status. The newest come first.

    Args:
        status: State of the orders.
        limit: Most orders that come back.
    """


def get_customer(id: int) -> Customer:
    """Look up one customer."""


def refund(order_id: int, amount: float) -> bool:
    """Pay money back."""


def plain_tool(name: str, description: str = "", source: str | None = None, **schema: Any) -> Tool:
    """A tool as a server without output schemas lists it."""
    return Tool(
        name=name,
        description=description,
        input_schema={"type": "object", "properties": {}, **schema},
        output_schema=None,
        call=lambda arguments, context: None,
        source=source,
    )


def many(servers: int, tools: int) -> list[Namespace]:
    """Namespaces full of tools that differ in their words."""
    verbs = ["list", "get", "create", "archive", "count"]
    things = ["invoice", "shipment", "review", "coupon", "warehouse", "refund", "parcel"]
    return [
        Namespace(
            f"server_{number}",
            [
                plain_tool(
                    f"{verbs[place % len(verbs)]}_{things[place % len(things)]}_{place}",
                    f"Does the {things[place % len(things)]} thing number {place}. And much more.",
                    source=f"server-{number}",
                    properties={"query": {"type": "string", "description": "What to look for."}},
                    required=["query"],
                )
                for place in range(tools)
            ],
        )
        for number in range(servers)
    ]
