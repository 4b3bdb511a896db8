const orderIds: string[] = [];
let offset = 0;
while (true) {
  const page = await tools.list_order_ids({ limit: 200, offset });
  orderIds.push(...page.order_ids);
  if (page.next_offset === null) break;
  offset = page.next_offset;
}
const orders = await Promise.all(orderIds.map((order_id) => tools.get_order({ order_id })));
const counts = new Map<string, number>();
for (const order of orders) {
  for (const item of order.items) counts.set(item.name, (counts.get(item.name) ?? 0) + 1);
}
return [...counts]
  .map(([name, count]) => ({ name, count }))
  .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  .slice(0, 5);
