const t = async (f: () => Promise<any>) => { try { const r = await f(); return JSON.stringify(r).slice(0, 6000); } catch (e: any) { return { error: e.message, code: e.code, details: e.details }; } };

const [d1, a, b] = await Promise.all([
  codemode.describe("tools.list_dependabot_alerts"),
  t(() => tools.list_dependabot_alerts({ owner: "acme", repo: "shopfront" })),
  t(() => tools.list_dependabot_alerts({ owner: "acme", repo: "docs-site", state: "open", severity: "high" })),
]);
return { d1, a, b };
