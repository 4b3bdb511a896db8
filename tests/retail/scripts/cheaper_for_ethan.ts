// Ethan Lopez (ethan.lopez8943@example.com) wants every item of his pending orders replaced by the
// cheapest available variant of the same product, where that is cheaper. Money comes back to the
// method that paid the order. What does he save, in cents, order by order?
const user_id = await tools.find_user_by_email({ email: "ethan.lopez8943@example.com" });
if (user_id === null) throw new Error("no such customer");
const { orders } = await tools.get_user({ user_id });
const saved: Record<string, number> = {};
for (const order_id of orders) {
  const order = await tools.get_order({ order_id });
  if (order.status !== "pending") continue;
  const swaps = await Promise.all(
    order.items.map(async (item) => {
      const { variants } = await tools.get_product({ product_id: item.product_id });
      const best = Object.values(variants)
        .filter((variant) => variant.available)
        .sort((a, b) => a.price - b.price || (a.item_id < b.item_id ? -1 : 1))[0];
      return { item, best };
    }),
  );
  const better = swaps.filter(({ item, best }) => best !== undefined && best.price < item.price);
  if (better.length === 0) continue;
  await tools.modify_items({
    order_id,
    item_ids: better.map(({ item }) => item.item_id),
    new_item_ids: better.map(({ best }) => best.item_id),
    payment_method_id: order.payment_history[0].payment_method_id,
  });
  saved[order_id] = better.reduce(
    (sum, { item, best }) => sum + Math.round(item.price * 100) - Math.round(best.price * 100),
    0,
  );
}
return saved;
