const user_id = await tools.find_user_by_email({ email: "harper.kim4003@example.com" });
if (user_id === null) throw new Error("user not found");
const address = { address1: "12 Lake Road", address2: "Apt 4", city: "Austin", country: "USA", state: "TX", zip: "78701" };
const user = await tools.get_user({ user_id });
const orders = await Promise.all(user.orders.map((order_id) => tools.get_order({ order_id })));
const pending = orders.filter((o) => o.status === "pending").map((o) => o.order_id);
await Promise.all([
  tools.change_user_address({ user_id, address }),
  ...pending.map((order_id) => tools.change_order_address({ order_id, address })),
]);
return pending.sort();
