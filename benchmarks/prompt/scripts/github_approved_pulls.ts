async function listPulls(repo: string, fields: any[]): Promise<any[]> {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const part: any = await tools.list_pull_requests({ owner: "acme", repo, state: "open", perPage: 100, page, fields });
    all.push(...part);
    if (part.length < 100) return all;
  }
}
async function readAll(method: any, pullNumber: number): Promise<any[]> {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const part: any = await tools.pull_request_read({ method, owner: "acme", repo: "shopfront", pullNumber, perPage: 100, page });
    all.push(...part);
    if (part.length < 100) return all;
  }
}
const pulls = (await listPulls("shopfront", ["number", "draft"])).filter((p) => !p.draft);
const checked = await Promise.all(pulls.map(async (p) => ({ number: p.number, states: (await readAll("get_reviews", p.number)).map((r) => r.state) })));
return checked
  .filter((p) => p.states.includes("APPROVED") && !p.states.includes("CHANGES_REQUESTED"))
  .map((p) => p.number)
  .sort((a, b) => a - b);
