const ids = ["#W5918442", "#W4817420", "#W5065081", "#W0000002"];
const cancelled: string[] = [];
const failed: { [key: string]: string } = {};
for (const order_id of ids) {
  try {
    await tools.cancel_order({ order_id, reason: "ordered by mistake" });
    cancelled.push(order_id);
  } catch (e) {
    failed[order_id] = (e as Error).message;
  }
}
return { cancelled, failed };
