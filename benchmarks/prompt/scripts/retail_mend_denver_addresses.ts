const userIds = await tools.list_user_ids({ city: "Denver" });
const users = await Promise.all(userIds.map((user_id) => tools.get_user({ user_id })));
const fields = ["address1", "address2", "city", "country", "state", "zip"] as const;
const changed = await Promise.all(users.flatMap((user) => user.orders.map(async (order_id) => {
  const order = await tools.get_order({ order_id });
  if (order.status !== "pending") return [];
  if (fields.every((f) => order.address[f] === user.address[f])) return [];
  await tools.change_order_address({ order_id, address: user.address });
  return [order_id];
})));
return changed.flat().sort();
