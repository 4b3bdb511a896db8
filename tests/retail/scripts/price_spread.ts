// For which ten products do the available variants differ most in price, relative to the cheapest?
// Name, cheapest and dearest item, and how many variants cannot be had.
const products = await Promise.all(
  Object.values(await tools.list_products()).map((product_id) => tools.get_product({ product_id })),
);
const rows = products.flatMap((product) => {
  const variants = Object.values(product.variants);
  const available = variants.filter((variant) => variant.available);
  if (available.length === 0) return [];
  available.sort((a, b) => a.price - b.price || (a.item_id < b.item_id ? -1 : 1));
  const [cheapest, dearest] = [available[0], available[available.length - 1]];
  return {
    name: product.name,
    cheapest: cheapest.item_id,
    dearest: dearest.item_id,
    missing: variants.length - available.length,
    spread: dearest.price / cheapest.price,
  };
});
rows.sort((a, b) => b.spread - a.spread || (a.name < b.name ? -1 : 1));
return rows.slice(0, 10).map(({ spread, ...row }) => row);
