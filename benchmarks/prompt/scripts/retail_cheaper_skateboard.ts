const order = await tools.get_order({ order_id: "#W4172216" });
const item = order.items.find((i) => i.name.toLowerCase() === "skateboard");
if (!item) throw new Error("no skateboard in the order");
const product = await tools.get_product({ product_id: item.product_id });
const best = Object.values(product.variants)
  .filter((v) => v.available)
  .sort((a, b) => a.price - b.price)[0];
const paid = order.payment_history.find((p) => p.transaction_type === "payment")!;
await tools.modify_items({
  order_id: order.order_id,
  item_ids: [item.item_id],
  new_item_ids: [best.item_id],
  payment_method_id: paid.payment_method_id,
});
return { old_price: item.price, new_price: best.price };
