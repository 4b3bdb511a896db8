const user_id = await tools.find_user_by_name_and_zip({ first_name: "Emma", last_name: "Santos", zip: "78228" });
if (user_id === null) throw new Error("user not found");
const user = await tools.get_user({ user_id });
const orders = await Promise.all(user.orders.map((order_id) => tools.get_order({ order_id })));
return orders.map((o) => ({
  order_id: o.order_id,
  status: o.status,
  total: Math.round(o.items.reduce((s, i) => s + i.price, 0) * 100) / 100,
}));
