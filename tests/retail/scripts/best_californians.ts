// Who are the five customers in California that spent most on delivered orders?
// Name, e-mail and cents, largest first.
const users = await Promise.all(
  (await tools.list_user_ids({ state: "CA" })).map((user_id) => tools.get_user({ user_id })),
);
const spent = await Promise.all(
  users.map(async (user) => {
    const orders = await Promise.all(user.orders.map((order_id) => tools.get_order({ order_id })));
    const cents = orders
      .filter((order) => order.status === "delivered")
      .flatMap((order) => order.items)
      .reduce((sum, item) => sum + Math.round(item.price * 100), 0);
    return { name: `${user.name.first_name} ${user.name.last_name}`, email: user.email, cents };
  }),
);
return spent.sort((a, b) => b.cents - a.cents || (a.email < b.email ? -1 : 1)).slice(0, 5);
