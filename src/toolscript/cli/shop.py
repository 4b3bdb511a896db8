"""A small mail-order shop: the tools of `toolscript demo`, and tools to try the other commands on.

The functions are what an application has anyway: typed, documented, some of them async. Each
async one waits a moment, as a service on the network would.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Final, Literal

from pydantic import Field

TODAY: Final = date(2026, 11, 30)

_LATENCY_S: Final = 0.04

OrderStatus = Literal["open", "shipped", "delivered", "cancelled"]


@dataclass(frozen=True, slots=True)
class Customer:
    id: str
    name: str
    email: str
    tier: Literal["standard", "vip"]
    city: str
    language: Literal["en", "de", "fr"]


@dataclass(frozen=True, slots=True)
class Product:
    sku: str
    title: str
    price: float
    weight_g: int
    stock: int


@dataclass(frozen=True, slots=True)
class OrderLine:
    sku: str
    quantity: int
    unit_price: float


@dataclass(frozen=True, slots=True)
class Order:
    id: str
    customer_id: str
    status: OrderStatus
    ordered_on: date
    promised_on: date
    shipping_fee: float
    lines: tuple[OrderLine, ...]
    refunded: float = 0.0


@dataclass(frozen=True, slots=True)
class Shipment:
    order_id: str
    carrier: str
    tracking_number: str
    last_seen: str
    expected_on: date


@dataclass(frozen=True, slots=True)
class Refund:
    order_id: str
    amount: float
    refunded_in_total: float


@dataclass(frozen=True, slots=True)
class Message:
    id: int
    customer_id: str
    subject: str


_CUSTOMERS: Final = {
    customer.id: customer
    for customer in (
        Customer("c-01", "Ada Marsh", "ada.marsh@example.com", "vip", "Leeds", "en"),
        Customer("c-02", "Bruno Keller", "b.keller@example.com", "standard", "Bremen", "de"),
        Customer("c-03", "Chloé Girard", "chloe.girard@example.com", "vip", "Lyon", "fr"),
        Customer("c-04", "Dara Okafor", "d.okafor@example.com", "standard", "Bristol", "en"),
        Customer("c-05", "Emil Sommer", "emil.sommer@example.com", "vip", "Graz", "de"),
        Customer("c-06", "Freya Lund", "freya.lund@example.com", "standard", "Leith", "en"),
    )
}

_PRODUCTS: Final = {
    product.sku: product
    for product in (
        Product("KET-17", "Gooseneck kettle, 1.7 l", 64.0, 1380, 12),
        Product("GRI-02", "Hand grinder, steel burrs", 89.5, 640, 3),
        Product("FIL-100", "Paper filters, 100 pieces", 7.9, 210, 240),
        Product("SCA-01", "Pocket scale, 0.1 g", 24.0, 130, 0),
        Product("BEA-ETH", "Beans, Ethiopia, 500 g", 15.5, 520, 61),
    )
}


def _order(
    number: int,
    customer: str,
    status: OrderStatus,
    ordered: int,
    promised: int,
    fee: float,
    *lines: tuple[str, int],
) -> Order:
    return Order(
        id=f"o-{number}",
        customer_id=customer,
        status=status,
        ordered_on=date(2026, 11, ordered),
        promised_on=date(2026, 11, promised),
        shipping_fee=fee,
        lines=tuple(OrderLine(sku, many, _PRODUCTS[sku].price) for sku, many in lines),
    )


_orders = {
    order.id: order
    for order in (
        _order(1001, "c-01", "delivered", 2, 6, 4.9, ("KET-17", 1)),
        _order(1002, "c-02", "shipped", 12, 17, 4.9, ("GRI-02", 1), ("FIL-100", 2)),
        _order(1003, "c-03", "shipped", 13, 18, 9.5, ("BEA-ETH", 4)),
        _order(1004, "c-01", "shipped", 16, 20, 4.9, ("SCA-01", 1), ("FIL-100", 1)),
        _order(1005, "c-04", "cancelled", 17, 21, 4.9, ("KET-17", 1)),
        _order(1006, "c-05", "shipped", 18, 23, 12.0, ("KET-17", 2), ("GRI-02", 1)),
        _order(1007, "c-06", "shipped", 20, 25, 4.9, ("BEA-ETH", 2)),
        _order(1008, "c-03", "shipped", 23, 27, 9.5, ("FIL-100", 6)),
        _order(1009, "c-05", "open", 27, 29, 6.5, ("SCA-01", 2)),
        _order(1010, "c-02", "shipped", 25, 30, 4.9, ("BEA-ETH", 1)),
        _order(1011, "c-04", "open", 29, 30, 4.9, ("GRI-02", 1)),
        _order(1012, "c-01", "shipped", 26, 30, 4.9, ("BEA-ETH", 3)),
    )
}

_SHIPMENTS: Final = {
    order_id: Shipment(order_id, carrier, f"{carrier[:2].upper()}{order_id[2:]}77", seen, expected)
    for order_id, carrier, seen, expected in (
        ("o-1001", "Parcelwing", "delivered", date(2026, 11, 5)),
        ("o-1002", "Parcelwing", "sorting centre Hannover", date(2026, 12, 2)),
        ("o-1003", "Norpost", "customs, returned to sender's depot", date(2026, 12, 4)),
        ("o-1004", "Norpost", "depot Sheffield", date(2026, 12, 1)),
        ("o-1006", "Parcelwing", "in transit to Graz", date(2026, 12, 3)),
        ("o-1007", "Norpost", "out for delivery", date(2026, 11, 30)),
        ("o-1008", "Norpost", "out for delivery", date(2026, 11, 30)),
        ("o-1010", "Parcelwing", "in transit to Bremen", date(2026, 12, 1)),
        ("o-1012", "Parcelwing", "in transit to Leeds", date(2026, 12, 1)),
    )
}

_messages: list[Message] = []


def list_orders(status: OrderStatus | None = None) -> list[Order]:
    """All orders, oldest first.

    Args:
        status: only orders in this state.
    """
    return [order for order in _orders.values() if status in (None, order.status)]


async def get_customer(customer_id: str) -> Customer:
    """One customer by id.

    Args:
        customer_id: such as "c-01".
    """
    await asyncio.sleep(_LATENCY_S)
    if customer_id not in _CUSTOMERS:
        raise LookupError(f"there is no customer {customer_id!r}")
    return _CUSTOMERS[customer_id]


async def get_product(sku: str) -> Product:
    """One product, with its price and the stock left."""
    await asyncio.sleep(_LATENCY_S)
    if sku not in _PRODUCTS:
        raise LookupError(f"there is no product {sku!r}")
    return _PRODUCTS[sku]


def search_products(words: str) -> list[Product]:
    """Products whose title contains all of the words."""
    wanted = words.casefold().split()
    return [
        item for item in _PRODUCTS.values() if all(word in item.title.casefold() for word in wanted)
    ]


async def track_shipment(order_id: str) -> Shipment | None:
    """Where the parcel of an order is; null while it has not been sent."""
    await asyncio.sleep(_LATENCY_S * 2)
    if order_id not in _orders:
        raise LookupError(f"there is no order {order_id!r}")
    return _SHIPMENTS.get(order_id)


async def refund(order_id: str, amount: Annotated[float, Field(gt=0)], reason: str) -> Refund:
    """Pay back part of an order, at most what the customer paid for it.

    Args:
        order_id: the order to pay back.
        amount: euros.
        reason: shown to the customer.
    """
    await asyncio.sleep(_LATENCY_S)
    order = _orders.get(order_id)
    if order is None:
        raise LookupError(f"there is no order {order_id!r}")
    paid = order.shipping_fee + sum(line.quantity * line.unit_price for line in order.lines)
    total = round(order.refunded + amount, 2)
    if total > paid:
        raise ValueError(f"{order_id} was paid with {paid:.2f}, so {total:.2f} cannot be refunded")
    _orders[order_id] = replace(order, refunded=total)
    return Refund(order_id, amount, total)


async def send_message(customer_id: str, subject: str, body: str) -> Message:
    """Write to a customer by e-mail."""
    await asyncio.sleep(_LATENCY_S)
    if customer_id not in _CUSTOMERS:
        raise LookupError(f"there is no customer {customer_id!r}")
    sent = Message(len(_messages) + 1, customer_id, subject)
    _messages.append(sent)
    return sent


def today() -> date:
    """The shop's calendar date."""
    return TODAY


TOOLS: Final = [
    list_orders,
    get_customer,
    get_product,
    search_products,
    track_shipment,
    refund,
    send_message,
    today,
]
