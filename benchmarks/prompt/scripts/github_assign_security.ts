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
const issues = (await listIssues({ repo: "shopfront", labels: ["security"], fields: ["number", "assignees"] })).filter((i) => (i.assignees ?? []).length === 0);
await Promise.all(issues.map(async (i) => {
  await tools.issue_write({ method: "update", owner: "acme", repo: "shopfront", issue_number: i.number, assignees: ["ben-k"] });
  await tools.add_issue_comment({ owner: "acme", repo: "shopfront", issue_number: i.number, body: "Ben, please look." });
}));
return issues.map((i) => i.number).sort((a, b) => a - b);
