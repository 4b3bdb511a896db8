const orderIds: string[] = [];
let offset = 0;
while (true) {
  const page = await tools.list_order_ids({ limit: 200, offset });
  orderIds.push(...page.order_ids);
  if (page.next_offset === null) break;
  offset = page.next_offset;
}
const orders = await Promise.all(orderIds.map((order_id) => tools.get_order({ order_id })));
const stats: { [key: string]: { orders: number; items: number } } = {};
for (const order of orders) {
  const s = (stats[order.status] ??= { orders: 0, items: 0 });
  s.orders++;
  s.items += order.items.length;
}
return Object.fromEntries(
  Object.entries(stats).map(([status, s]) => [status, Math.round((s.items / s.orders) * 100) / 100]),
);
