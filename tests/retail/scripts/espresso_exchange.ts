// Everybody in California who has a delivered espresso machine swaps it for the cheapest available
// one that holds 2 litres, at the payment method of the order. Who pays or gets how much?
const product_id = (await tools.list_products())["Espresso Machine"];
const product = await tools.get_product({ product_id });
const target = Object.values(product.variants)
  .filter((variant) => variant.available && variant.options.capacity === "2L")
  .reduce((best, variant) => (variant.price < best.price ? variant : best));

const users = await tools.list_user_ids({ state: "CA" });
const profiles = await Promise.all(users.map((user_id) => tools.get_user({ user_id })));
const orders = await Promise.all(
  profiles.flatMap((user) => user.orders).map((order_id) => tools.get_order({ order_id })),
);
const wanted = orders.flatMap((order) => {
  const machine = order.items.find(
    (item) => item.product_id === product_id && item.item_id !== target.item_id,
  );
  return order.status === "delivered" && machine ? [{ order, machine }] : [];
});
const done = await Promise.all(
  wanted.map(({ order, machine }) =>
    tools.exchange_items({
      order_id: order.order_id,
      item_ids: [machine.item_id],
      new_item_ids: [target.item_id],
      payment_method_id: order.payment_history[0].payment_method_id,
    }),
  ),
);
return done.map((order) => [order.user_id, order.exchange?.price_difference]).sort();
