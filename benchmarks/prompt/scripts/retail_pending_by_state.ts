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

const counts: { [key: string]: number } = {};
for (const order of await allOrders("pending")) {
  counts[order.address.state] = (counts[order.address.state] ?? 0) + 1;
}
return counts;
