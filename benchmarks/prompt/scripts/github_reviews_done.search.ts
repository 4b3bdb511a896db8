const t = async (f: () => Promise<any>) => { try { const r = await f(); return JSON.stringify(r).slice(0, 6000); } catch (e: any) { return { error: e.message, code: e.code, details: e.details }; } };

const [d1, d2, d3, a, b] = await Promise.all([
  codemode.describe("tools.list_notifications"),
  codemode.describe("tools.dismiss_notification"),
  codemode.describe("tools.mark_all_notifications_read"),
  t(() => tools.list_notifications({ filter: "include_read_notifications", perPage: 100 })),
  t(() => tools.list_notifications({})),
]);
return { d1, d2, d3, a, b };
