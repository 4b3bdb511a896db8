const user_id = await tools.find_user_by_email({ email: "evelyn.kovacs5369@example.com" });
if (user_id === null) throw new Error("user not found");
const user = await tools.get_user({ user_id });
const orders = await Promise.all(user.orders.map((order_id) => tools.get_order({ order_id })));
const small = orders.filter((o) =>
  o.status === "pending" && Math.round(o.items.reduce((s, i) => s + i.price, 0) * 100) < 20000);
await Promise.all(small.map((o) => tools.cancel_order({ order_id: o.order_id, reason: "no longer needed" })));
return small.map((o) => o.order_id).sort();
