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
async function allOrders(status?: Order["status"]): Promise<Order[]> {
  const ids: string[] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const page: { order_ids: string[]; next_offset: number | null } =
      await tools.list_order_ids({ status: status ?? null, offset, limit: 200 });
    ids.push(...page.order_ids);
    offset = page.next_offset;
  }
  return pool(ids, (order_id) => tools.get_order({ order_id }));
}
const cents = (x: number) => Math.round(x * 100) / 100;

const totals: { [key: string]: number } = {};
for (const order of await allOrders("delivered")) {
  for (const item of order.items) totals[order.user_id] = (totals[order.user_id] ?? 0) + item.price;
}
return Object.entries(totals)
  .map(([user_id, total]) => ({ user_id, total: cents(total) }))
  .sort((a, b) => b.total - a.total)
  .slice(0, 5);
