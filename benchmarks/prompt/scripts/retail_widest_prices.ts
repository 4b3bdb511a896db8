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
const rows = all.flatMap((p) => {
  const prices = Object.values(p.variants).filter((v) => v.available).map((v) => v.price);
  return prices.length ? [{ name: p.name, lowest: Math.min(...prices), highest: Math.max(...prices) }] : [];
});
return rows.sort((a, b) => (b.highest - b.lowest) - (a.highest - a.lowest))[0];
