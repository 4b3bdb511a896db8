const orderIds: string[] = [];
let offset = 0;
while (true) {
  const page = await tools.list_order_ids({ status: "pending", limit: 200, offset });
  orderIds.push(...page.order_ids);
  if (page.next_offset === null) break;
  offset = page.next_offset;
}
const orders = await Promise.all(orderIds.map((order_id) => tools.get_order({ order_id })));
const counts: { [key: string]: number } = {};
for (const order of orders) {
  counts[order.address.state] = (counts[order.address.state] ?? 0) + 1;
}
return counts;
