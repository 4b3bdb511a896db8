const userIds = await tools.list_user_ids({ city: "Chicago" });
const users = await Promise.all(userIds.map((user_id) => tools.get_user({ user_id })));
const orders = await Promise.all(users.flatMap((u) => u.orders).map((order_id) => tools.get_order({ order_id })));
const pending = orders.filter((o) => o.status === "pending");
const productIds = [...new Set(pending.flatMap((o) => o.items.map((i) => i.product_id)))];
const products = new Map(await Promise.all(productIds.map(async (product_id) =>
  [product_id, await tools.get_product({ product_id })] as const)));
const cmp = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
return pending
  .flatMap((o) => o.items
    .filter((i) => !products.get(i.product_id)?.variants[i.item_id]?.available)
    .map((i) => ({ order_id: o.order_id, item_id: i.item_id })))
  .sort((a, b) => cmp(a.order_id, b.order_id) || cmp(a.item_id, b.item_id));
