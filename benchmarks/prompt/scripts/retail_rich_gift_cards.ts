const ids = await tools.list_user_ids();
const users = await Promise.all(ids.map(async (user_id) => ({ user_id, user: await tools.get_user({ user_id }) })));
const rows: Array<{ user_id: string; balance: number }> = [];
for (const { user_id, user } of users) {
  for (const [id, method] of Object.entries(user.payment_methods)) {
    if (!id.startsWith("gift_card") && method.source !== "gift_card") continue;
    const balance = Number(method.balance);
    if (balance >= 95) rows.push({ user_id, balance });
  }
}
return rows.sort((a, b) => b.balance - a.balance || (a.user_id < b.user_id ? -1 : a.user_id > b.user_id ? 1 : 0));
