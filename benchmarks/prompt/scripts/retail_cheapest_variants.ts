const products = await tools.list_products();
const names = ["Laptop", "Tablet", "Smart Watch"];
const found = await Promise.all(names.map((name) => tools.get_product({ product_id: products[name] })));
const result: { [key: string]: { item_id: string; price: number } } = {};
found.forEach((product, i) => {
  const best = Object.values(product.variants)
    .filter((v) => v.available)
    .sort((a, b) => a.price - b.price)[0];
  result[names[i]] = { item_id: best.item_id, price: best.price };
});
return result;
