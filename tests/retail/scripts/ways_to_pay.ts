// Over all orders: how many were paid by which kind of payment method, what is the median order in
// cents, and which state spends most for each order on average, rounded to a cent?
const ids: string[] = [];
for (let offset: number | null = 0; offset !== null; ) {
  const page = await tools.list_order_ids({ offset, limit: 200 });
  ids.push(...page.order_ids);
  offset = page.next_offset;
}
const [orders, users] = await Promise.all([
  Promise.all(ids.map((order_id) => tools.get_order({ order_id }))),
  tools.list_user_ids().then(async (found) => {
    const profiles = await Promise.all(found.map((user_id) => tools.get_user({ user_id })));
    return new Map(found.map((user_id, index) => [user_id, profiles[index]]));
  }),
]);
const total = (order: (typeof orders)[number]) =>
  order.items.reduce((sum, item) => sum + Math.round(item.price * 100), 0);
const kinds: Record<string, number> = {};
const states: Record<string, { orders: number; cents: number }> = {};
for (const order of orders) {
  const method = users.get(order.user_id)!.payment_methods[order.payment_history[0].payment_method_id];
  kinds[method.source] = (kinds[method.source] ?? 0) + 1;
  const state = (states[order.address.state] ??= { orders: 0, cents: 0 });
  state.orders += 1;
  state.cents += total(order);
}
const sorted = orders.map(total).sort((a, b) => a - b);
const middle = sorted.length / 2;
const [best] = Object.entries(states).sort(
  (a, b) => b[1].cents / b[1].orders - a[1].cents / a[1].orders,
);
return {
  kinds,
  median: (sorted[middle - 1] + sorted[middle]) / 2,
  best: { state: best[0], average: Math.round(best[1].cents / best[1].orders) },
};
