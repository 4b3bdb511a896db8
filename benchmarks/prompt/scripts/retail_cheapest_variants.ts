const list = await tools.list_products();
const names = ["Laptop", "Tablet", "Smart Watch"];
const entries = await Promise.all(names.map(async (name) => {
  const product = await tools.get_product({ product_id: list[name] });
  const best = Object.values(product.variants)
    .filter((v) => v.available)
    .sort((a, b) => a.price - b.price)[0];
  return [name, { item_id: best.item_id, price: best.price }] as const;
}));
return Object.fromEntries(entries);
