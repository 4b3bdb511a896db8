// Chen Silva of Indianapolis sends back everything above 400 dollars from the delivered orders, to
// the method that paid. If that was a gift card, to any other method of the profile.
// Which items, and how many cents?
const candidates = await tools.list_user_ids({ city: "Indianapolis" });
const users = await Promise.all(candidates.map((user_id) => tools.get_user({ user_id })));
const user = users.find(({ name }) => name.first_name === "Chen" && name.last_name === "Silva");
if (!user) throw new Error("no such customer");
const others = Object.values(user.payment_methods).filter((method) => method.source !== "gift_card");

const returned: string[] = [];
let cents = 0;
for (const order_id of user.orders) {
  const order = await tools.get_order({ order_id });
  const items = order.items.filter((item) => item.price > 400);
  if (order.status !== "delivered" || items.length === 0) continue;
  const paid = order.payment_history[0].payment_method_id;
  const byCard = user.payment_methods[paid].source === "gift_card";
  await tools.return_items({
    order_id,
    item_ids: items.map((item) => item.item_id),
    payment_method_id: byCard && others.length > 0 ? others[0].id : paid,
  });
  returned.push(...items.map((item) => item.item_id));
  cents += items.reduce((sum, item) => sum + Math.round(item.price * 100), 0);
}
return { returned: returned.sort(), cents };
