const order = await tools.get_order({ order_id: "#W6304490" });
const item = [...order.items].sort((a, b) => b.price - a.price)[0];
const payment = order.payment_history.find((p) => p.transaction_type === "payment");
if (!payment) throw new Error("no payment");
const payment_method_id = payment.payment_method_id;
await tools.return_items({ order_id: order.order_id, item_ids: [item.item_id], payment_method_id });
return { item_id: item.item_id, price: item.price, payment_method_id };
