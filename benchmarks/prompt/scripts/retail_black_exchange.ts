const order = await tools.get_order({ order_id: "#W3113816" });
const items = order.items.filter((i) => ["cycling helmet", "smart thermostat"].includes(i.name.toLowerCase()));
const products = await Promise.all(items.map((i) => tools.get_product({ product_id: i.product_id })));
const new_item_ids = items.map((item, n) => {
  const wanted: { [key: string]: string } = { ...item.options, color: "black" };
  const variant = Object.values(products[n].variants).find(
    (v) => v.available && Object.keys(wanted).every((key) => v.options[key] === wanted[key]),
  );
  if (!variant) throw new Error("no black variant of " + item.name);
  return variant.item_id;
});
const payment_method_id = order.payment_history.find((p) => p.transaction_type === "payment")!.payment_method_id;
const after = await tools.exchange_items({
  order_id: order.order_id,
  item_ids: items.map((i) => i.item_id),
  new_item_ids,
  payment_method_id,
});
console.log(after.exchange);
return Object.values(after.exchange ?? {}).find((v) => typeof v === "number");
