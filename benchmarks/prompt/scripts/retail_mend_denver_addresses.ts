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

const ids = await tools.list_user_ids({ city: "Denver" });
const users = await pool(ids, (user_id) => tools.get_user({ user_id }));
const jobs = users.flatMap((u) => u.orders.map((order_id) => ({ order_id, address: u.address })));
const fields = ["address1", "address2", "city", "country", "state", "zip"] as const;
const checked = await pool(jobs, async (job) => {
  const order = await tools.get_order({ order_id: job.order_id });
  return {
    ...job,
    wrong: order.status === "pending" && fields.some((f) => order.address[f] !== job.address[f]),
  };
});
const wrong = checked.filter((c) => c.wrong);
await pool(wrong, (c) => tools.change_order_address({ order_id: c.order_id, address: c.address }));
return wrong.map((c) => c.order_id).sort();
