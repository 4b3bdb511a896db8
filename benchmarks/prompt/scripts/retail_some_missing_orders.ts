const ids = ["#W2611340", "#W0000001", "#W4817420", "#W9999999", "#W5918442"];
const orders = await Promise.all(ids.map(async (order_id) => {
  try {
    return await tools.get_order({ order_id });
  } catch (e) {
    return null;
  }
}));
const found: { [key: string]: string } = {};
const missing: string[] = [];
ids.forEach((id, i) => {
  const order = orders[i];
  if (order) found[id] = order.status;
  else missing.push(id);
});
return { found, missing };
