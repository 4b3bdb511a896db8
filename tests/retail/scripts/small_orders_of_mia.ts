// Mia Sanchez (zip 98179) no longer needs what she has ordered for less than 1,000 dollars.
// Cancel it, and say how many cents go back to which payment method.
const user_id = await tools.find_user_by_name_and_zip({
  first_name: "Mia",
  last_name: "Sanchez",
  zip: "98179",
});
if (user_id === null) throw new Error("no such customer");
const user = await tools.get_user({ user_id });
const orders = await Promise.all(user.orders.map((order_id) => tools.get_order({ order_id })));
const small = orders.filter(
  (order) =>
    order.status === "pending" &&
    order.items.reduce((sum, item) => sum + Math.round(item.price * 100), 0) < 100_000,
);
const cancelled = await Promise.all(
  small.map(({ order_id }) => tools.cancel_order({ order_id, reason: "no longer needed" })),
);
const back: Record<string, number> = {};
for (const { payment_history } of cancelled)
  for (const entry of payment_history)
    if (entry.transaction_type === "refund")
      back[entry.payment_method_id] =
        (back[entry.payment_method_id] ?? 0) + Math.round(entry.amount * 100);
return { cancelled: cancelled.map((order) => order.order_id), back };
