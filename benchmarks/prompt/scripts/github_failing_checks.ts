async function pages(get: (page: number) => Promise<any>) {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const items: any[] = await get(page);
    all.push(...items);
    if (items.length < 100) return all;
  }
}
const pulls = await pages((page) => tools.list_pull_requests({ owner: "acme", repo: "billing-api", state: "open", perPage: 100, page, fields: ["number"] }));
const out: Record<string, string[]> = {};
await Promise.all(pulls.map(async (p) => {
  const runs = await pages(async (page) => ((await tools.pull_request_read({ method: "get_check_runs", owner: "acme", repo: "billing-api", pullNumber: p.number, perPage: 100, page })) as any).check_runs);
  const failed = runs.filter((r) => r.conclusion === "failure").map((r) => r.name as string);
  if (failed.length) out[p.number] = [...new Set(failed)].sort();
}));
return out;
