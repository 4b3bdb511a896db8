// How many pending orders go to addresses in Texas, what are they worth together in cents, and
// which three cities of them wait for the most orders (ties by name)?
const ids: string[] = [];
for (let offset: number | null = 0; offset !== null; ) {
  const page = await tools.list_order_ids({ status: "pending", offset, limit: 150 });
  ids.push(...page.order_ids);
  offset = page.next_offset;
}
const orders = await Promise.all(ids.map((order_id) => tools.get_order({ order_id })));
const texan = orders.filter((order) => order.address.state === "TX");
const cents = texan
  .flatMap((order) => order.items)
  .reduce((sum, item) => sum + Math.round(item.price * 100), 0);
const byCity = new Map<string, number>();
for (const { address } of texan) byCity.set(address.city, (byCity.get(address.city) ?? 0) + 1);
const cities = [...byCity]
  .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  .slice(0, 3)
  .map(([city, count]) => ({ city, count }));
return { count: texan.length, cents, cities };
