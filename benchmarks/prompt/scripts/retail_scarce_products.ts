const list = await tools.list_products();
const products = await Promise.all(Object.values(list).map((product_id) => tools.get_product({ product_id })));
return products
  .map((p) => ({ name: p.name, available: Object.values(p.variants).filter((v) => v.available).length }))
  .filter((p) => p.available < 5)
  .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
