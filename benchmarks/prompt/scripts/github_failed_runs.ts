async function pages(get: (page: number) => Promise<any>) {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const items: any[] = await get(page);
    all.push(...items);
    if (items.length < 100) return all;
  }
}
const runs = await pages(async (page) => ((await tools.actions_list({ method: "list_workflow_runs", owner: "acme", repo: "shopfront", per_page: 100, page, workflow_runs_filter: { branch: "main" } })) as any).workflow_runs);
const out: Record<string, number> = {};
for (const r of runs) {
  if (r.head_branch === "main" && r.conclusion === "failure") out[r.name] = (out[r.name] ?? 0) + 1;
}
return out;
