async function pool<T, R>(list: T[], fn: (one: T) => Promise<R>): Promise<R[]> {
  const out: R[] = new Array(list.length);
  let next = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (next < list.length) {
      const i = next++;
      out[i] = await fn(list[i]);
    }
  }));
  return out;
}

const products = await tools.list_products();
const all = await pool(Object.values(products), (product_id) => tools.get_product({ product_id }));
return all
  .map((p) => ({ name: p.name, available: Object.values(p.variants).filter((v) => v.available).length }))
  .filter((p) => p.available < 5)
  .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
