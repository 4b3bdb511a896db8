const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

const orders = await tools.list_orders({ status: "shipped" });
const parcels = await Promise.all(
  orders.map(async (order) => {
    const [shipment, customer] = await Promise.all([
      tools.track_shipment({ order_id: order.id }),
      tools.get_customer({ customer_id: order.customer_id }),
    ]);
    return { order, customer, late: shipment ? days(order.promised_on, shipment.expected_on) : 0 };
  }),
);

const subjects = {
  en: "Your parcel is late",
  de: "Ihr Paket kommt zu spät",
  fr: "Votre colis est en retard",
};
const affected = parcels.filter((parcel) => parcel.customer.tier === "vip" && parcel.late > 7);
await Promise.all(
  affected.map(async ({ order, customer, late }) => {
    await tools.refund({ order_id: order.id, amount: order.shipping_fee, reason: "late parcel" });
    await tools.send_message({
      customer_id: customer.id,
      subject: subjects[customer.language],
      body: `${order.id}: ${late} days late, ${order.shipping_fee.toFixed(2)} EUR paid back.`,
    });
  }),
);

return {
  customers: affected.map(({ customer, order, late }) => ({ name: customer.name, order: order.id, late })),
  cost: affected.reduce((sum, { order }) => sum + order.shipping_fee, 0),
};
