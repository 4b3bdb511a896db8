async function listPulls(repo: string, fields: any[]): Promise<any[]> {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const part: any = await tools.list_pull_requests({ owner: "acme", repo, state: "open", perPage: 100, page, fields });
    all.push(...part);
    if (part.length < 100) return all;
  }
}
async function checkRuns(repo: string, pullNumber: number): Promise<any[]> {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const part: any = await tools.pull_request_read({ method: "get_check_runs", owner: "acme", repo, pullNumber, perPage: 100, page });
    const runs = part.check_runs ?? [];
    all.push(...runs);
    if (runs.length < 100) return all;
  }
}
const pulls = (await listPulls("shopfront", ["number", "draft", "base"])).filter((p) => !p.draft && p.base.ref === "main");
const checked = await Promise.all(pulls.map(async (p) => ({ number: p.number as number, runs: await checkRuns("shopfront", p.number) })));
const green = checked
  .filter((p) => p.runs.length > 0 && p.runs.every((r) => r.status === "completed" && r.conclusion === "success"))
  .map((p) => p.number)
  .sort((a, b) => a - b);
for (const pullNumber of green) {
  await tools.merge_pull_request({ owner: "acme", repo: "shopfront", pullNumber, merge_method: "squash" });
}
return green;
