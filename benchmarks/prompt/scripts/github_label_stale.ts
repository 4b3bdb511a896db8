async function listIssues(args: any): Promise<any[]> {
  const all: any[] = [];
  let after: string | undefined;
  while (true) {
    const page: any = await tools.list_issues({ owner: "acme", state: "OPEN", perPage: 100, ...args, ...(after ? { after } : {}) });
    all.push(...page.issues);
    if (!page.pageInfo?.hasNextPage) return all;
    after = page.pageInfo.endCursor;
  }
}
const issues = (await listIssues({ repo: "mobile-app", fields: ["number", "labels", "assignees"] })).filter((i) => (i.assignees ?? []).length === 0);
await tools.label_write({ method: "create", owner: "acme", repo: "mobile-app", name: "stale", color: "cccccc", description: "Nobody works on it" });
await Promise.all(issues.map((i) => tools.issue_write({ method: "update", owner: "acme", repo: "mobile-app", issue_number: i.number, labels: [...(i.labels ?? []), "stale"] })));
return issues.map((i) => i.number).sort((a, b) => a - b);
