async function listPulls(repo: string, fields: any[]): Promise<any[]> {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const part: any = await tools.list_pull_requests({ owner: "acme", repo, state: "open", perPage: 100, page, fields });
    all.push(...part);
    if (part.length < 100) return all;
  }
}
const repos = ["shopfront", "billing-api", "mobile-app", "docs-site"];
const rows = await Promise.all(repos.map(async (repo) => {
  const [issues, pulls]: any[] = await Promise.all([
    tools.list_issues({ owner: "acme", repo, state: "OPEN", perPage: 1, fields: ["number"] }),
    listPulls(repo, ["number"]),
  ]);
  return [repo, { issues: issues.totalCount, pulls: pulls.length }] as const;
}));
return Object.fromEntries(rows);
