"""A retail shop's tools over a copy of the shared data, as its application would write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, NotRequired

import orjson
from typing_extensions import TypedDict

from toolscript import ToolError

OrderStatus = Literal["pending", "processed", "delivered", "cancelled", "exchanging", "returning"]
CancelReason = Literal["no longer needed", "ordered by mistake"]

Data = dict[str, dict[str, Any]]
"""The three tables: users, orders and products, each by id."""


class Name(TypedDict):
    first_name: str
    last_name: str


class Address(TypedDict):
    address1: str
    address2: str
    city: str
    country: str
    state: str
    zip: str


class User(TypedDict):
    name: Name
    address: Address
    email: str
    payment_methods: dict[str, dict[str, Any]]
    orders: list[str]


class Item(TypedDict):
    name: str
    product_id: str
    item_id: str
    price: float
    options: dict[str, str]


class Payment(TypedDict):
    transaction_type: Literal["payment", "refund"]
    amount: float
    payment_method_id: str


class Order(TypedDict):
    order_id: str
    user_id: str
    address: Address
    items: list[Item]
    fulfillments: list[dict[str, list[str]]]
    status: OrderStatus
    payment_history: list[Payment]
    cancel_reason: NotRequired[CancelReason]
    exchange: NotRequired[dict[str, Any]]
    return_items: NotRequired[list[str]]
    return_payment_method_id: NotRequired[str]


class OrderPage(TypedDict):
    order_ids: list[str]
    next_offset: int | None


class Variant(TypedDict):
    item_id: str
    options: dict[str, str]
    available: bool
    price: float


class Product(TypedDict):
    name: str
    product_id: str
    variants: dict[str, Variant]


def load(shared: Path) -> Data:
    """The three tables as they are in the shared folder."""
    folder = shared / "data" / "retail"
    return {
        table: json.loads((folder / f"{table}.json").read_text(encoding="utf-8"))
        for table in ("users", "orders", "products")
    }


def copy_of(data: Data) -> Data:
    """The same tables anew: they hold only what JSON has, which takes a tenth of a deep copy."""
    return orjson.loads(orjson.dumps(data))


class Shop:
    """The shop of one test: its tools read and change `data`.

    What changes it is async and never waits, so no two changes get into each other's way.
    """

    def __init__(self, data: Data):
        self.data = copy_of(data)

    def tools(self) -> list[Any]:
        return [
            self.find_user_by_email,
            self.find_user_by_name_and_zip,
            self.list_user_ids,
            self.get_user,
            self.list_order_ids,
            self.get_order,
            self.list_products,
            self.get_product,
            self.cancel_order,
            self.modify_items,
            self.change_order_address,
            self.change_user_address,
            self.exchange_items,
            self.return_items,
        ]

    def find_user_by_email(self, email: str) -> str | None:
        """The id of the user with this e-mail address, or null."""
        for user_id, user in self.data["users"].items():
            if user["email"].lower() == email.lower():
                return user_id
        return None

    def find_user_by_name_and_zip(self, first_name: str, last_name: str, zip: str) -> str | None:
        """The id of the user of this name who lives at this zip code, or null."""
        for user_id, user in self.data["users"].items():
            full = (user["name"]["first_name"], user["name"]["last_name"], user["address"]["zip"])
            if full == (first_name, last_name, zip):
                return user_id
        return None

    def list_user_ids(self, state: str | None = None, city: str | None = None) -> list[str]:
        """Ids of all users, or of those who live in a state (two letters) or a city."""
        return [
            user_id
            for user_id, user in self.data["users"].items()
            if state in (None, user["address"]["state"]) and city in (None, user["address"]["city"])
        ]

    async def get_user(self, user_id: str) -> User:
        """A user's profile, payment methods and order ids."""
        return self._find("users", user_id)

    def list_order_ids(
        self, status: OrderStatus | None = None, offset: int = 0, limit: int = 100
    ) -> OrderPage:
        """A page of order ids, at most 200.

        Args:
            status: only orders in this state.
            offset: where the page begins; `next_offset` of the page before.
            limit: size of the page.
        """
        found = [
            order_id
            for order_id, order in self.data["orders"].items()
            if status in (None, order["status"])
        ]
        end = offset + min(limit, 200)
        return {
            "order_ids": found[offset:end],
            "next_offset": end if end < len(found) else None,
        }

    async def get_order(self, order_id: str) -> Order:
        """An order with its items, status, address and payments."""
        return self._find("orders", order_id)

    def list_products(self) -> dict[str, str]:
        """Product ids by product name."""
        return {product["name"]: key for key, product in self.data["products"].items()}

    async def get_product(self, product_id: str) -> Product:
        """A product with all its variants, by item id."""
        return self._find("products", product_id)

    async def cancel_order(self, order_id: str, reason: CancelReason) -> Order:
        """Cancel a pending order; each payment is paid back to where it came from."""
        order = self._in_state(order_id, "pending")
        for payment in list(order["payment_history"]):
            self._book(order, "refund", payment["amount"], payment["payment_method_id"])
        order["status"] = "cancelled"
        order["cancel_reason"] = reason
        return order

    async def modify_items(
        self, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> Order:
        """Replace items of a pending order by other variants of the same products.

        Args:
            order_id: the order.
            item_ids: items of the order to replace.
            new_item_ids: what replaces them, one for one.
            payment_method_id: what pays a higher price, or gets a lower one back.
        """
        order = self._in_state(order_id, "pending")
        self._method(order["user_id"], payment_method_id)
        pairs = self._pairs(order, item_ids, new_item_ids)
        difference = sum(_cents(new["price"]) - _cents(old["price"]) for old, new in pairs)
        for old, new in pairs:
            old.update(item_id=new["item_id"], price=new["price"], options=dict(new["options"]))
        if difference:
            kind = "payment" if difference > 0 else "refund"
            self._book(order, kind, abs(difference) / 100, payment_method_id)
        return order

    async def change_order_address(self, order_id: str, address: Address) -> Order:
        """Send a pending order elsewhere."""
        order = self._in_state(order_id, "pending")
        order["address"] = dict(address)
        return order

    async def change_user_address(self, user_id: str, address: Address) -> User:
        """Change the default address of a user."""
        user = self._find("users", user_id)
        user["address"] = dict(address)
        return user

    async def exchange_items(
        self, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
    ) -> Order:
        """Ask to exchange items of a delivered order for other variants of the same products.

        The order's `exchange` holds both lists, sorted, and the price difference in dollars.
        """
        order = self._in_state(order_id, "delivered")
        self._method(order["user_id"], payment_method_id)
        pairs = self._pairs(order, item_ids, new_item_ids)
        difference = sum(_cents(new["price"]) - _cents(old["price"]) for old, new in pairs)
        order["status"] = "exchanging"
        order["exchange"] = {
            "items": sorted(item_ids),
            "new_items": sorted(new_item_ids),
            "price_difference": difference / 100,
            "payment_method_id": payment_method_id,
        }
        return order

    async def return_items(
        self, order_id: str, item_ids: list[str], payment_method_id: str
    ) -> Order:
        """Ask to return items of a delivered order; `return_items` of the order lists them."""
        order = self._in_state(order_id, "delivered")
        self._method(order["user_id"], payment_method_id)
        for item_id in item_ids:
            self._item(order, item_id)
        order["status"] = "returning"
        order["return_items"] = sorted(item_ids)
        order["return_payment_method_id"] = payment_method_id
        return order

    def _find(self, table: str, key: str) -> Any:
        if key not in self.data[table]:
            raise ToolError(f"{table.removesuffix('s')} {key} not found", details={"id": key})
        return self.data[table][key]

    def _in_state(self, order_id: str, status: OrderStatus) -> Any:
        order = self._find("orders", order_id)
        if order["status"] != status:
            raise ToolError(f"order {order_id} is {order['status']}, not {status}")
        return order

    def _item(self, order: Any, item_id: str) -> Any:
        for item in order["items"]:
            if item["item_id"] == item_id:
                return item
        raise ToolError(f"order {order['order_id']} has no item {item_id}")

    def _pairs(
        self, order: Any, item_ids: list[str], new_item_ids: list[str]
    ) -> list[tuple[Any, Any]]:
        if len(item_ids) != len(new_item_ids):
            raise ToolError("item_ids and new_item_ids must be of one length")
        pairs = []
        for item_id, new_id in zip(item_ids, new_item_ids, strict=True):
            item = self._item(order, item_id)
            variant = self.data["products"][item["product_id"]]["variants"].get(new_id)
            if variant is None or not variant["available"]:
                raise ToolError(f"item {new_id} is no available variant of {item['name']}")
            pairs.append((item, variant))
        return pairs

    def _method(self, user_id: str, payment_method_id: str) -> Any:
        methods = self.data["users"][user_id]["payment_methods"]
        if payment_method_id not in methods:
            raise ToolError(f"user {user_id} has no payment method {payment_method_id}")
        return methods[payment_method_id]

    def _book(self, order: Any, kind: str, amount: float, payment_method_id: str) -> None:
        method = self._method(order["user_id"], payment_method_id)
        if method["source"] == "gift_card":
            sign = 1 if kind == "refund" else -1
            balance = _cents(method["balance"]) + sign * _cents(amount)
            if balance < 0:
                raise ToolError(f"gift card {payment_method_id} does not hold {amount:.2f}")
            method["balance"] = balance / 100
        order["payment_history"].append(
            {
                "transaction_type": kind,
                "amount": amount,
                "payment_method_id": payment_method_id,
            }
        )


def _cents(dollars: float) -> int:
    return round(dollars * 100)
