const order = await tools.get_order({ order_id: "#W4172216" });
const item = order.items.find((i) => i.name === "Skateboard");
if (!item) throw new Error("no skateboard in the order");
const payment = order.payment_history.find((p) => p.transaction_type === "payment");
if (!payment) throw new Error("no payment");
const product = await tools.get_product({ product_id: item.product_id });
const best = Object.values(product.variants)
  .filter((v) => v.available)
  .sort((a, b) => a.price - b.price)[0];
await tools.modify_items({
  order_id: order.order_id,
  item_ids: [item.item_id],
  new_item_ids: [best.item_id],
  payment_method_id: payment.payment_method_id,
});
return { old_price: item.price, new_price: best.price };
