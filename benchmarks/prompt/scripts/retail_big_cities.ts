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

const ids = await tools.list_user_ids();
const users = await pool(ids, (user_id) => tools.get_user({ user_id }));
const counts: { [key: string]: number } = {};
for (const user of users) counts[user.address.city] = (counts[user.address.city] ?? 0) + 1;
return Object.entries(counts)
  .map(([city, customers]) => ({ city, customers }))
  .filter((row) => row.customers > 28)
  .sort((a, b) => b.customers - a.customers || (a.city < b.city ? -1 : 1));
