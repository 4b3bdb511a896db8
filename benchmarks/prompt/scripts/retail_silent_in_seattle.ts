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

const ids = await tools.list_user_ids({ city: "Seattle" });
const users = await pool(ids, (user_id) => tools.get_user({ user_id }));
return users.filter((u) => u.orders.length === 0).map((u) => u.email).sort();
