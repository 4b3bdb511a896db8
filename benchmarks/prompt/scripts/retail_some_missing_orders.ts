const ids = ["#W2611340", "#W0000001", "#W4817420", "#W9999999", "#W5918442"];
const results = await Promise.all(ids.map(async (order_id) => {
  try {
    return (await tools.get_order({ order_id })).status;
  } catch (e) {
    return null;
  }
}));
const found: { [key: string]: string } = {};
const missing: string[] = [];
ids.forEach((id, i) => {
  const status = results[i];
  if (status === null) missing.push(id);
  else found[id] = status;
});
return { found, missing };
