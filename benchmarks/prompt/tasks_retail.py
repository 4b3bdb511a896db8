"""Twenty-four tasks over the retail shop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from benchmarks.prompt.task import Data, Task

TASKS: list[Task] = []
Expected = Callable[[Data], Any]


def task(text: str) -> Callable[[Expected], Expected]:
    """The task whose expected answer the decorated function computes."""

    def add(expected: Expected) -> Expected:
        TASKS.append(
            Task(f"retail_{expected.__name__}", "retail", " ".join(text.split()), expected)
        )
        return expected

    return add


def _cents(dollars: float) -> int:
    return round(dollars * 100)


def _total(order: Data) -> int:
    return sum(_cents(item["price"]) for item in order["items"])


def _orders_of(data: Data, user_id: str) -> list[Data]:
    return [data["orders"][order_id] for order_id in data["users"][user_id]["orders"]]


def _available(product: Data) -> list[Data]:
    return [variant for variant in product["variants"].values() if variant["available"]]


def _product(data: Data, name: str) -> Data:
    return next(product for product in data["products"].values() if product["name"] == name)


@task("""Who are our five best customers? Add up the item prices of each customer's delivered
    orders. Return a list of { user_id, total }, highest total first, totals in dollars.""")
def best_customers(data: Data) -> Any:
    spent: Counter[str] = Counter()
    for order in data["orders"].values():
        if order["status"] == "delivered":
            spent[order["user_id"]] += _total(order)
    return [{"user_id": user, "total": cents / 100} for user, cents in spent.most_common(5)]


@task("""How many pending orders are to be shipped to each state? Return an object from the
    state's two letters to the number of orders, without states that have none.""")
def pending_by_state(data: Data) -> Any:
    orders = data["orders"].values()
    return dict(Counter(o["address"]["state"] for o in orders if o["status"] == "pending"))


@task("""Which products have fewer than 5 available variants? Return a list of
    { name, available }, where available is the number of available variants, sorted by name.""")
def scarce_products(data: Data) -> Any:
    counts = {product["name"]: len(_available(product)) for product in data["products"].values()}
    return [{"name": name, "available": n} for name, n in sorted(counts.items()) if n < 5]


@task("""What is the cheapest available variant of the Laptop, of the Tablet and of the Smart
    Watch? Return an object with those three names as keys, each with { item_id, price }.""")
def cheapest_variants(data: Data) -> Any:
    found: Data = {}
    for name in ("Laptop", "Tablet", "Smart Watch"):
        best = min(_available(_product(data, name)), key=lambda variant: variant["price"])
        found[name] = {"item_id": best["item_id"], "price": best["price"]}
    return found


@task("""Emma Santos, zip code 78228, wants an overview of her orders. Return a list of
    { order_id, status, total } in the order in which her profile lists them; the total is the sum
    of the item prices in dollars.""")
def overview_for_emma(data: Data) -> Any:
    return [
        {"order_id": o["order_id"], "status": o["status"], "total": _total(o) / 100}
        for o in _orders_of(data, "emma_santos_9753")
    ]


@task("""Do we know these people: sofia.rossi2645@example.com, nobody@example.com,
    liam.kovacs5432@example.com, Harper.Kim4003@EXAMPLE.com? Return an object from each address,
    spelled as I did, to the user id, or to the text "unknown" if there is none.""")
def known_addresses(data: Data) -> Any:
    ids = {user["email"].lower(): user_id for user_id, user in data["users"].items()}
    asked = (
        "sofia.rossi2645@example.com",
        "nobody@example.com",
        "liam.kovacs5432@example.com",
        "Harper.Kim4003@EXAMPLE.com",
    )
    return {address: ids.get(address.lower(), "unknown") for address in asked}


@task("""Somebody sent me these order numbers: #W2611340, #W0000001, #W4817420, #W9999999,
    #W5918442. Some may not exist. Return { found, missing }: found maps each existing number to
    the order's status, missing lists the others in the order given.""")
def some_missing_orders(data: Data) -> Any:
    asked = ["#W2611340", "#W0000001", "#W4817420", "#W9999999", "#W5918442"]
    orders = data["orders"]
    return {
        "found": {number: orders[number]["status"] for number in asked if number in orders},
        "missing": [number for number in asked if number not in orders],
    }


@task("""Evelyn Kovacs (evelyn.kovacs5369@example.com) no longer needs her small orders: cancel
    all her pending orders whose items cost less than 200 dollars together. Return the cancelled
    order ids, sorted.""")
def cancel_small_orders(data: Data) -> Any:
    cancelled: list[str] = []
    for order in _orders_of(data, "evelyn_kovacs_6742"):
        if order["status"] == "pending" and _total(order) < 20_000:
            _cancel(data, order, "no longer needed")
            cancelled.append(order["order_id"])
    return sorted(cancelled)


def _cancel(data: Data, order: Data, reason: str) -> None:
    methods = data["users"][order["user_id"]]["payment_methods"]
    for payment in list(order["payment_history"]):
        order["payment_history"].append({**payment, "transaction_type": "refund"})
        method = methods[payment["payment_method_id"]]
        if "balance" in method:
            method["balance"] = (_cents(method["balance"]) + _cents(payment["amount"])) / 100
    order |= {"status": "cancelled", "cancel_reason": reason}


@task("""The skateboard in pending order #W4172216 is too dear. Replace it by the cheapest
    available skateboard; the difference goes to the payment method that paid the order. Return
    { old_price, new_price }.""")
def cheaper_skateboard(data: Data) -> Any:
    order = data["orders"]["#W4172216"]
    item = next(item for item in order["items"] if item["name"] == "Skateboard")
    best = min(_available(_product(data, "Skateboard")), key=lambda variant: variant["price"])
    old = item["price"]
    item |= {"item_id": best["item_id"], "price": best["price"], "options": best["options"]}
    order["payment_history"].append(
        {
            "transaction_type": "refund",
            "amount": (_cents(old) - _cents(best["price"])) / 100,
            "payment_method_id": order["payment_history"][0]["payment_method_id"],
        }
    )
    return {"old_price": old, "new_price": best["price"]}


@task("""Harper Kim (harper.kim4003@example.com) has moved to 12 Lake Road, Apt 4, Austin, TX
    78701, USA (address1 is "12 Lake Road", address2 is "Apt 4"). Change the profile and all
    pending orders. Return the ids of the orders that you changed, sorted.""")
def harper_moves(data: Data) -> Any:
    address = {
        "address1": "12 Lake Road",
        "address2": "Apt 4",
        "city": "Austin",
        "country": "USA",
        "state": "TX",
        "zip": "78701",
    }
    data["users"]["harper_kim_2998"]["address"] = address
    changed = [o for o in _orders_of(data, "harper_kim_2998") if o["status"] == "pending"]
    for order in changed:
        order["address"] = dict(address)
    return sorted(order["order_id"] for order in changed)


@task("""The customer of delivered order #W6304490 sends back the most expensive item of it, and
    wants the money where it came from. Ask for the return. Return { item_id, price,
    payment_method_id }.""")
def return_dearest_item(data: Data) -> Any:
    order = data["orders"]["#W6304490"]
    item = max(order["items"], key=lambda item: item["price"])
    method = order["payment_history"][0]["payment_method_id"]
    order |= {
        "status": "returning",
        "return_items": [item["item_id"]],
        "return_payment_method_id": method,
    }
    return {"item_id": item["item_id"], "price": item["price"], "payment_method_id": method}


@task("""In delivered order #W3113816 the customer wants the cycling helmet and the smart
    thermostat in black, with all other options as they are. Ask for one exchange of both, paid by
    the method that paid the order. Return the price difference in dollars that the shop
    reports.""")
def black_exchange(data: Data) -> Any:
    order = data["orders"]["#W3113816"]
    pairs: list[tuple[Data, Data]] = []
    for item in order["items"]:
        if item["name"] in ("Cycling Helmet", "Smart Thermostat"):
            wanted = {**item["options"], "color": "black"}
            variants = _available(data["products"][item["product_id"]])
            pairs.append((item, next(one for one in variants if one["options"] == wanted)))
    difference = sum(_cents(new["price"]) - _cents(old["price"]) for old, new in pairs) / 100
    order["status"] = "exchanging"
    order["exchange"] = {
        "items": sorted(old["item_id"] for old, _ in pairs),
        "new_items": sorted(new["item_id"] for _, new in pairs),
        "price_difference": difference,
        "payment_method_id": order["payment_history"][0]["payment_method_id"],
    }
    return difference


@task("""Which customers hold a gift card with a balance of 95 dollars or more? Return a list of
    { user_id, balance }, highest balance first, equal balances by user id.""")
def rich_gift_cards(data: Data) -> Any:
    rows = [
        {"user_id": user_id, "balance": method["balance"]}
        for user_id, user in data["users"].items()
        for method in user["payment_methods"].values()
        if method["source"] == "gift_card" and method["balance"] >= 95
    ]
    return sorted(rows, key=lambda row: (-row["balance"], row["user_id"]))


@task("""For which product do the prices of the available variants differ most? Return { name,
    lowest, highest }.""")
def widest_prices(data: Data) -> Any:
    def spread(product: Data) -> tuple[float, float]:
        prices = [variant["price"] for variant in _available(product)]
        return min(prices), max(prices)

    product = max(data["products"].values(), key=lambda one: spread(one)[1] - spread(one)[0])
    lowest, highest = spread(product)
    return {"name": product["name"], "lowest": lowest, "highest": highest}


@task("""Of the orders that are processed, how many were paid by each kind of payment method
    (credit_card, gift_card, paypal), and how much money is that? Return an object from kind to
    { orders, amount }, amounts in dollars.""")
def processed_by_payment(data: Data) -> Any:
    sums: dict[str, list[int]] = {}
    for order in data["orders"].values():
        if order["status"] == "processed":
            paid = order["payment_history"][0]
            methods = data["users"][order["user_id"]]["payment_methods"]
            row = sums.setdefault(methods[paid["payment_method_id"]]["source"], [0, 0])
            row[0] += 1
            row[1] += _cents(paid["amount"])
    return {kind: {"orders": n, "amount": cents / 100} for kind, (n, cents) in sums.items()}


@task("""Which parcels are behind the orders of Emma Santos (emma.santos7683@example.com)? Return
    an object from each order id that has been shipped to its list of tracking numbers.""")
def tracking_numbers(data: Data) -> Any:
    return {
        order["order_id"]: [one for part in order["fulfillments"] for one in part["tracking_id"]]
        for order in _orders_of(data, "emma_santos_9753")
        if order["fulfillments"]
    }


@task("""Which customers who live in Seattle have never ordered anything? Return their e-mail
    addresses, sorted.""")
def silent_in_seattle(data: Data) -> Any:
    return sorted(
        user["email"]
        for user in data["users"].values()
        if user["address"]["city"] == "Seattle" and not user["orders"]
    )


@task("""What do people order most? Count every item of every order, whatever its status. Return
    the five products with the most items as a list of { name, count }, most first.""")
def most_ordered(data: Data) -> Any:
    counts = Counter(item["name"] for order in data["orders"].values() for item in order["items"])
    return [{"name": name, "count": count} for name, count in counts.most_common(5)]


@task("""Cancel these orders, which were ordered by mistake: #W5918442, #W4817420, #W5065081,
    #W0000002. Some of them cannot be cancelled; go on with the others. Return { cancelled,
    failed }: the cancelled ids, and an object from each other id to the shop's message.""")
def cancel_what_can_be(data: Data) -> Any:
    for number in ("#W5918442", "#W5065081"):
        _cancel(data, data["orders"][number], "ordered by mistake")
    return {
        "cancelled": ["#W5918442", "#W5065081"],
        "failed": {
            "#W4817420": "order #W4817420 is delivered, not pending",
            "#W0000002": "order #W0000002 not found",
        },
    }


@task("""How many items does an order have on average, by status? Return an object from status to
    the average, rounded to two digits.""")
def items_by_status(data: Data) -> Any:
    counts: dict[str, list[int]] = {}
    for order in data["orders"].values():
        counts.setdefault(order["status"], []).append(len(order["items"]))
    return {status: round(sum(some) / len(some), 2) for status, some in counts.items()}


@task("""In which cities do more than 28 of our customers live? Return a list of { city,
    customers }, most customers first, equal numbers by name of the city.""")
def big_cities(data: Data) -> Any:
    counts = Counter(user["address"]["city"] for user in data["users"].values())
    rows = [{"city": city, "customers": n} for city, n in counts.items() if n > 28]
    return sorted(rows, key=lambda row: (-row["customers"], row["city"]))


@task("""Which items of pending orders of our customers in Chicago are no longer available? An
    item is available if the variant of its product says so. Return a list of { order_id, item_id
    }, sorted by order id, then by item id.""")
def unavailable_in_chicago(data: Data) -> Any:
    rows: list[Data] = []
    for user_id, user in data["users"].items():
        if user["address"]["city"] != "Chicago":
            continue
        for order in _orders_of(data, user_id):
            for item in order["items"] if order["status"] == "pending" else ():
                variants = data["products"][item["product_id"]]["variants"]
                if not variants[item["item_id"]]["available"]:
                    rows.append({"order_id": order["order_id"], "item_id": item["item_id"]})
    return sorted(rows, key=lambda row: (row["order_id"], row["item_id"]))


@task("""Some pending orders of customers who live in Denver go to another address than the one in
    the customer's profile. Send these orders to the address in the profile. Return their ids,
    sorted.""")
def mend_denver_addresses(data: Data) -> Any:
    changed: list[str] = []
    for user_id, user in data["users"].items():
        if user["address"]["city"] == "Denver":
            for order in _orders_of(data, user_id):
                if order["status"] == "pending" and order["address"] != user["address"]:
                    order["address"] = dict(user["address"])
                    changed.append(order["order_id"])
    return sorted(changed)


@task("""How much money did we pay back for cancelled orders to each payment method kind, and in
    how many refunds? Return an object from kind (credit_card, gift_card, paypal) to { refunds,
    amount }, amounts in dollars.""")
def refunds_by_payment(data: Data) -> Any:
    sums: dict[str, list[int]] = {}
    for order in data["orders"].values():
        for payment in order["payment_history"] if order["status"] == "cancelled" else ():
            if payment["transaction_type"] == "refund":
                methods = data["users"][order["user_id"]]["payment_methods"]
                row = sums.setdefault(methods[payment["payment_method_id"]]["source"], [0, 0])
                row[0] += 1
                row[1] += _cents(payment["amount"])
    return {kind: {"refunds": n, "amount": cents / 100} for kind, (n, cents) in sums.items()}
