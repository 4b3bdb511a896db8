// ava.nguyen2868@example.com moves to 12 Harbor Street, Suite 4, Seattle, WA 98101, USA.
// Change the profile and whatever has not been sent yet. Which orders keep the old address, and why?
const user_id = await tools.find_user_by_email({ email: "ava.nguyen2868@example.com" });
if (user_id === null) throw new Error("no such customer");
const address = {
  address1: "12 Harbor Street",
  address2: "Suite 4",
  city: "Seattle",
  country: "USA",
  state: "WA",
  zip: "98101",
};
const user = await tools.change_user_address({ user_id, address });
const outcomes = await Promise.allSettled(
  user.orders.map((order_id) => tools.change_order_address({ order_id, address })),
);
const kept: Record<string, string> = {};
outcomes.forEach((outcome, index) => {
  if (outcome.status === "rejected") kept[user.orders[index]] = outcome.reason.message;
});
return { changed: user.orders.length - Object.keys(kept).length, kept };
