const look = async (name: string, args?: any) => {
  const d: any = await codemode.describe("tools." + name);
  const s = typeof d === "string" ? d : JSON.stringify(d);
  if (!args) return { d };
  // sample a read only with arguments that its declaration has
  if (!Object.keys(args).every((k) => s.includes(k))) return { d, sample: "skipped" };
  try {
    const r = await (tools as any)[name](args);
    return { d, sample: (typeof r === "string" ? r : JSON.stringify(r)).slice(0, 3000) };
  } catch (e: any) {
    return { d, error: e.code + ": " + e.message };
  }
};
return await Promise.all([
  look("get_team_members", { org: "acme", team_slug: "payments" }),
  look("list_issues", { owner: "acme", repo: "shopfront" }),
  look("search_issues"),
  look("issue_read"),
]);
