const orderIds: string[] = [];
let offset = 0;
while (true) {
  const page = await tools.list_order_ids({ status: "cancelled", limit: 200, offset });
  orderIds.push(...page.order_ids);
  if (page.next_offset === null) break;
  offset = page.next_offset;
}
const orders = await Promise.all(orderIds.map((order_id) => tools.get_order({ order_id })));
const kinds = ["credit_card", "gift_card", "paypal"];
const result: { [key: string]: { refunds: number; amount: number } } = {};
for (const order of orders) {
  for (const p of order.payment_history) {
    if (p.transaction_type !== "refund") continue;
    const kind = kinds.find((k) => p.payment_method_id.startsWith(k)) ?? p.payment_method_id;
    const row = (result[kind] ??= { refunds: 0, amount: 0 });
    row.refunds++;
    row.amount += p.amount;
  }
}
for (const row of Object.values(result)) row.amount = Math.round(row.amount * 100) / 100;
return result;
