const t = async (f: () => Promise<any>) => { try { const r = await f(); return JSON.stringify(r).slice(0, 6000); } catch (e: any) { return { error: e.message, code: e.code, details: e.details }; } };

const [d1, d2, d3, d4, a, b, c, d] = await Promise.all([
  codemode.describe("tools.get_team_members"),
  codemode.describe("tools.list_issues"),
  codemode.describe("tools.search_issues"),
  codemode.describe("tools.issue_read"),
  t(() => tools.get_team_members({ org: "acme", team_slug: "payments" })),
  t(() => tools.list_issues({ owner: "acme", repo: "shopfront", state: "OPEN", perPage: 5 })),
  t(() => tools.search_issues({ query: "repo:acme/shopfront is:issue is:open", perPage: 3 })),
  t(async () => {
    const l: any = await tools.list_issues({ owner: "acme", repo: "shopfront", state: "OPEN", perPage: 1 });
    const n = (l.issues ?? l)[0].number;
    return await tools.issue_read({ method: "get", owner: "acme", repo: "shopfront", issue_number: n });
  }),
]);
return { d1, d2, d3, d4, a, b, c, d };
