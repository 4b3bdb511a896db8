"""The same ten questions, answered straight from the tables, without tools and without scripts.

Each function changes `data` where its question asks for changes, and returns the answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median
from typing import Any

from tests.retail.shop import Data


def texas_backlog(data: Data) -> Any:
    texan = [
        order
        for order in data["orders"].values()
        if order["status"] == "pending" and order["address"]["state"] == "TX"
    ]
    cities = Counter(order["address"]["city"] for order in texan)
    best = sorted(cities.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
    return {
        "count": len(texan),
        "cents": sum(_worth(order["items"]) for order in texan),
        "cities": [{"city": city, "count": count} for city, count in best],
    }


def best_californians(data: Data) -> Any:
    spent: Counter[str] = Counter()
    for order in data["orders"].values():
        if order["status"] == "delivered":
            spent[order["user_id"]] += _worth(order["items"])
    rows = [
        {
            "name": " ".join(user["name"].values()),
            "email": user["email"],
            "cents": spent[user_id],
        }
        for user_id, user in data["users"].items()
        if user["address"]["state"] == "CA"
    ]
    return sorted(rows, key=lambda row: (-row["cents"], row["email"]))[:5]


def price_spread(data: Data) -> Any:
    rows = []
    for product in data["products"].values():
        offers = [v for v in product["variants"].values() if v["available"]]
        if not offers:
            continue
        low = min(offers, key=lambda v: (v["price"], v["item_id"]))
        high = max(offers, key=lambda v: (v["price"], v["item_id"]))
        row = {
            "name": product["name"],
            "cheapest": low["item_id"],
            "dearest": high["item_id"],
            "missing": sum(not v["available"] for v in product["variants"].values()),
        }
        rows.append((-high["price"] / low["price"], product["name"], row))
    return [row for *_, row in sorted(rows)[:10]]


def small_orders_of_mia(data: Data) -> Any:
    [(user_id, user)] = [
        (user_id, user)
        for user_id, user in data["users"].items()
        if user["name"] == {"first_name": "Mia", "last_name": "Sanchez"}
        and user["address"]["zip"] == "98179"
    ]
    back: Counter[str] = Counter()
    cancelled = []
    for order_id in user["orders"]:
        order = data["orders"][order_id]
        assert order["user_id"] == user_id
        if order["status"] != "pending" or _worth(order["items"]) >= 1000_00:
            continue
        cancelled.append(order_id)
        for payment in order["payment_history"]:
            back[payment["payment_method_id"]] += round(payment["amount"] * 100)
            method = user["payment_methods"][payment["payment_method_id"]]
            if "balance" in method:
                method["balance"] = round(method["balance"] + payment["amount"], 2)
        refunds = [dict(p, transaction_type="refund") for p in order["payment_history"]]
        order["payment_history"] += refunds
        order |= {"status": "cancelled", "cancel_reason": "no longer needed"}
    return {"cancelled": cancelled, "back": dict(back)}


def espresso_exchange(data: Data) -> Any:
    [machine] = [p for p in data["products"].values() if p["name"] == "Espresso Machine"]
    price, target = min(
        (v["price"], v["item_id"])
        for v in machine["variants"].values()
        if v["available"] and v["options"]["capacity"] == "2L"
    )
    answer = []
    for order in data["orders"].values():
        lives_in = data["users"][order["user_id"]]["address"]["state"]
        if order["status"] != "delivered" or lives_in != "CA":
            continue
        found = [
            item
            for item in order["items"]
            if item["name"] == "Espresso Machine" and item["item_id"] != target
        ]
        if not found:
            continue
        difference = round(price - found[0]["price"], 2)
        order["status"] = "exchanging"
        order["exchange"] = {
            "items": [found[0]["item_id"]],
            "new_items": [target],
            "price_difference": difference,
            "payment_method_id": order["payment_history"][0]["payment_method_id"],
        }
        answer.append([order["user_id"], difference])
    return sorted(answer, key=lambda pair: f"{pair[0]},{pair[1]}")


def returns_of_chen(data: Data) -> Any:
    user = data["users"]["chen_silva_7485"]
    cards = [m for m, method in user["payment_methods"].items() if "balance" not in method]
    returned = []
    cents = 0
    for order_id in user["orders"]:
        order = data["orders"][order_id]
        dear = [item for item in order["items"] if item["price"] > 400]
        if order["status"] == "delivered" and dear:
            paid = order["payment_history"][0]["payment_method_id"]
            to = cards[0] if paid.startswith("gift_card") and cards else paid
            ids = sorted(item["item_id"] for item in dear)
            order |= {
                "status": "returning",
                "return_items": ids,
                "return_payment_method_id": to,
            }
            returned += ids
            cents += _worth(dear)
    return {"returned": sorted(returned), "cents": cents}


def ava_moves(data: Data) -> Any:
    user = data["users"]["ava_nguyen_6646"]
    new = {
        "address1": "12 Harbor Street",
        "address2": "Suite 4",
        "city": "Seattle",
        "country": "USA",
        "state": "WA",
        "zip": "98101",
    }
    user["address"] = dict(new)
    kept = {}
    for order_id in user["orders"]:
        order = data["orders"][order_id]
        if order["status"] == "pending":
            order["address"] = dict(new)
        else:
            kept[order_id] = f"order {order_id} is {order['status']}, not pending"
    return {"changed": len(user["orders"]) - len(kept), "kept": kept}


def cheaper_for_ethan(data: Data) -> Any:
    user = data["users"]["ethan_lopez_6291"]
    saved: dict[str, int] = {}
    for order_id in user["orders"]:
        order = data["orders"][order_id]
        if order["status"] != "pending":
            continue
        before = _worth(order["items"])
        for item in order["items"]:
            variants = data["products"][item["product_id"]]["variants"].values()
            offers = [(v["price"], v["item_id"]) for v in variants if v["available"]]
            if offers and min(offers)[0] < item["price"]:
                item["price"], item["item_id"] = min(offers)
                chosen = data["products"][item["product_id"]]["variants"][item["item_id"]]
                item["options"] = dict(chosen["options"])
        difference = before - _worth(order["items"])
        if not difference:
            continue
        method = order["payment_history"][0]["payment_method_id"]
        order["payment_history"].append(
            {
                "transaction_type": "refund",
                "amount": difference / 100,
                "payment_method_id": method,
            }
        )
        account = user["payment_methods"][method]
        if "balance" in account:
            account["balance"] = round(account["balance"] + difference / 100, 2)
        saved[order_id] = difference
    return saved


def ways_to_pay(data: Data) -> Any:
    kinds: Counter[str] = Counter()
    states: defaultdict[str, list[int]] = defaultdict(list)
    for order in data["orders"].values():
        first = order["payment_history"][0]["payment_method_id"]
        kinds[data["users"][order["user_id"]]["payment_methods"][first]["source"]] += 1
        states[order["address"]["state"]].append(_worth(order["items"]))
    average = {state: sum(values) / len(values) for state, values in states.items()}
    best = max(average, key=lambda state: average[state])
    return {
        "kinds": dict(kinds),
        "median": median(value for values in states.values() for value in values),
        "best": {"state": best, "average": round(average[best])},
    }


def ordered_by_mistake(data: Data) -> Any:
    order = data["orders"]["#W5199551"]
    for payment in list(order["payment_history"]):
        order["payment_history"].append({**payment, "transaction_type": "refund"})
        method = data["users"][order["user_id"]]["payment_methods"][payment["payment_method_id"]]
        if "balance" in method:
            method["balance"] = round(method["balance"] + payment["amount"], 2)
    order |= {"status": "cancelled", "cancel_reason": "ordered by mistake"}
    return {
        "#W5199551": "cancelled",
        "#W9218746": "order #W9218746 is delivered, not pending",
        "#W0000000": "order #W0000000 not found",
        "#W2611340": "order #W2611340 is processed, not pending",
    }


ANSWERS = {
    answer.__name__: answer
    for answer in (
        texas_backlog,
        best_californians,
        price_spread,
        small_orders_of_mia,
        espresso_exchange,
        returns_of_chen,
        ava_moves,
        cheaper_for_ethan,
        ways_to_pay,
        ordered_by_mistake,
    )
}


def _worth(items: list[dict[str, Any]]) -> int:
    """Cents."""
    return sum(round(item["price"] * 100) for item in items)
