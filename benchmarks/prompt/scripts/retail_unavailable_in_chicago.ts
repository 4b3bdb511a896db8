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

const ids = await tools.list_user_ids({ city: "Chicago" });
const users = await pool(ids, (user_id) => tools.get_user({ user_id }));
const orders = await pool(users.flatMap((u) => u.orders), (order_id) => tools.get_order({ order_id }));
const pending = orders.filter((o) => o.status === "pending");
const productIds = [...new Set(pending.flatMap((o) => o.items.map((i) => i.product_id)))];
const products = await pool(productIds, (product_id) => tools.get_product({ product_id }));
const byId = new Map(productIds.map((id, i) => [id, products[i]] as const));
const cmp = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
return pending
  .flatMap((o) => o.items
    .filter((i) => !byId.get(i.product_id)?.variants[i.item_id]?.available)
    .map((i) => ({ order_id: o.order_id, item_id: i.item_id })))
  .sort((a, b) => cmp(a.order_id, b.order_id) || cmp(a.item_id, b.item_id));
