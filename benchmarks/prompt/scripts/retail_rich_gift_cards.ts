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
const rows: { user_id: string; balance: number }[] = [];
users.forEach((user, i) => {
  for (const [id, method] of Object.entries(user.payment_methods)) {
    if (!id.startsWith("gift_card") && method.source !== "gift_card") continue;
    const balance = Number(method.balance);
    if (balance >= 95) rows.push({ user_id: ids[i], balance });
  }
});
return rows.sort((a, b) => b.balance - a.balance || (a.user_id < b.user_id ? -1 : a.user_id > b.user_id ? 1 : 0));
