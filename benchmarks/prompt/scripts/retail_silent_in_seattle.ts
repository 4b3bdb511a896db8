const ids = await tools.list_user_ids({ city: "Seattle" });
const users = await Promise.all(ids.map((user_id) => tools.get_user({ user_id })));
return users.filter((u) => u.orders.length === 0).map((u) => u.email).sort();
