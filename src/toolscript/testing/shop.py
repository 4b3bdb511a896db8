"""A small shop: the tools with which adapters are tested, and what happened to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from pydantic import BaseModel

TOGETHER: Final = 3
"""How many calls of `meet` have to overlap for any of them to return true."""


class Order(BaseModel):
    """An order of the shop."""

    id: int
    customer: str
    total: float


_ORDERS: Final = (
    Order(id=1, customer="ada", total=120.5),
    Order(id=2, customer="bob", total=80.0),
    Order(id=3, customer="ada", total=9.5),
)


class Shop:
    """What the tools read and change. A new one for each test.

    Attributes:
        effects: what was done, in order: `"note hello"`, `"refund 1"`.
        reads: how often orders were read.
        waiting, cancelled: whether a call of `wait` was begun, and was cancelled.
    """

    def __init__(self) -> None:
        self.effects: list[str] = []
        self.reads = 0
        self.waiting = False
        self.cancelled = False
        self._met = 0

    def functions(self) -> Sequence[Callable[..., Any]]:
        """The tools as plain functions with annotations and docstrings.

        `refund` is the one that needs an approval where a test is about approvals.
        """

        def get_order(order_id: int) -> Order:
            """Get an order.

            Args:
                order_id: number of the order
            """
            self.reads += 1
            for order in _ORDERS:
                if order.id == order_id:
                    return order
            raise ValueError(f"there is no order {order_id}")

        def list_orders() -> list[Order]:
            """List all orders."""
            self.reads += 1
            return list(_ORDERS)

        def get_email(customer: str) -> str:
            """Get the address of a customer.

            Args:
                customer: name of the customer
            """
            return f"{customer}@example.com"

        def note(text: str) -> str:
            """Write a note.

            Args:
                text: what to write down
            """
            self.effects.append(f"note {text}")
            return f"noted {text}"

        def refund(order_id: int) -> str:
            """Give the money back.

            Args:
                order_id: number of the order
            """
            self.effects.append(f"refund {order_id}")
            return f"refunded {order_id}"

        async def meet() -> bool:
            """Wait until others are here, too."""
            self._met += 1
            for _ in range(500):
                if self._met >= TOGETHER:
                    return True
                await asyncio.sleep(0.01)
            return False

        async def wait() -> str:
            """Wait for ever."""
            self.waiting = True
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
            return "never"

        return (get_order, list_orders, get_email, note, refund, meet, wait)
