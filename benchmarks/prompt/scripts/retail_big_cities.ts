const ids = await tools.list_user_ids();
const users = await Promise.all(ids.map((user_id) => tools.get_user({ user_id })));
const counts = new Map<string, number>();
for (const u of users) counts.set(u.address.city, (counts.get(u.address.city) ?? 0) + 1);
return [...counts]
  .map(([city, customers]) => ({ city, customers }))
  .filter((c) => c.customers > 28)
  .sort((a, b) => b.customers - a.customers || (a.city < b.city ? -1 : 1));
