const t = async (f: () => Promise<any>) => { try { const r = await f(); return JSON.stringify(r).slice(0, 6000); } catch (e: any) { return { error: e.message, code: e.code, details: e.details }; } };

const [d1, d2, d3, d4, d5, d6, d7, a, b, c, d, e, f] = await Promise.all([
  codemode.describe("tools.create_branch"),
  codemode.describe("tools.issue_write"),
  codemode.describe("tools.create_issue"),
  codemode.describe("tools.get_me"),
  codemode.describe("tools.list_branches"),
  codemode.describe("tools.issue_read"),
  codemode.describe("tools.update_issue_assignees"),
  t(() => tools.get_me({})),
  t(() => tools.list_branches({ owner: "acme", repo: "shopfront", perPage: 100 })),
  t(() => tools.get_label({ owner: "acme", repo: "shopfront", name: "bug" })),
  t(() => tools.get_commit({ owner: "acme", repo: "shopfront", sha: "release" })),
  t(() => tools.list_issues({ owner: "acme", repo: "shopfront", perPage: 2 })),
  t(() => tools.issue_read({ method: "get", owner: "acme", repo: "shopfront", issue_number: 1 })),
]);
return { d1, d2, d3, d4, d5, d6, d7, a, b, c, d, e, f };
