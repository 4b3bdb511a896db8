// A customer names orders that were a mistake. Cancel what can be cancelled; for the others say why
// not. One number is wrong, and one order is named twice.
const named = ["#W5199551", "#W9218746", "#W0000000", "#W2611340", "#W5199551"];
const outcome: Record<string, string> = {};
for (const order_id of new Set(named)) {
  try {
    const order = await tools.cancel_order({ order_id, reason: "ordered by mistake" });
    outcome[order_id] = order.status;
  } catch (error) {
    outcome[order_id] = (error as Error).message;
  }
}
return outcome;
