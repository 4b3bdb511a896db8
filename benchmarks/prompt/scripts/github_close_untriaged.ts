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
const issues = (await listIssues({ repo: "shopfront", labels: ["needs-triage"], fields: ["number", "comments"] })).filter((i) => i.comments === 0);
await Promise.all(issues.map((i) => tools.issue_write({ method: "update", owner: "acme", repo: "shopfront", issue_number: i.number, state: "closed", state_reason: "not_planned" })));
return issues.map((i) => i.number).sort((a, b) => a - b);
