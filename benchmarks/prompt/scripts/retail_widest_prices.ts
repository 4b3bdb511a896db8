const list = await tools.list_products();
const products = await Promise.all(Object.values(list).map((product_id) => tools.get_product({ product_id })));
const rows = products.flatMap((p) => {
  const prices = Object.values(p.variants).filter((v) => v.available).map((v) => v.price);
  return prices.length ? [{ name: p.name, lowest: Math.min(...prices), highest: Math.max(...prices) }] : [];
});
return rows.sort((a, b) => (b.highest - b.lowest) - (a.highest - a.lowest))[0];
