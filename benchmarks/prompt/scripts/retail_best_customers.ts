const orderIds: string[] = [];
let offset = 0;
while (true) {
  const page = await tools.list_order_ids({ status: "delivered", limit: 200, offset });
  orderIds.push(...page.order_ids);
  if (page.next_offset === null) break;
  offset = page.next_offset;
}
const orders = await Promise.all(orderIds.map((order_id) => tools.get_order({ order_id })));
const totals = new Map<string, number>();
for (const order of orders) {
  const sum = order.items.reduce((s, i) => s + i.price, 0);
  totals.set(order.user_id, (totals.get(order.user_id) ?? 0) + sum);
}
return [...totals]
  .map(([user_id, total]) => ({ user_id, total: Math.round(total * 100) / 100 }))
  .sort((a, b) => b.total - a.total)
  .slice(0, 5);
