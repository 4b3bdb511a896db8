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

const result: { [key: string]: { refunds: number; amount: number } } = {};
for (const order of await allOrders("cancelled")) {
  for (const p of order.payment_history) {
    if (p.transaction_type !== "refund") continue;
    const kind = p.payment_method_id.replace(/_\d+$/, "");
    const row = (result[kind] ??= { refunds: 0, amount: 0 });
    row.refunds++;
    row.amount += p.amount;
  }
}
for (const row of Object.values(result)) row.amount = cents(row.amount);
return result;
