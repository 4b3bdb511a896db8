async function openIssues(repo: string, fields: any, labels?: string[]) {
  const all: any[] = [];
  let after: string | undefined;
  while (true) {
    const page: any = await tools.list_issues({ owner: "acme", repo, state: "OPEN", perPage: 100, fields, ...(labels ? { labels } : {}), ...(after ? { after } : {}) });
    all.push(...page.issues);
    if (!page.pageInfo.hasNextPage) return all;
    after = page.pageInfo.endCursor;
  }
}
const issues = (await openIssues("shopfront", ["number", "assignees"], ["security"])).filter((i) => i.assignees.length === 0);
await Promise.all(issues.map(async (i) => {
  await tools.update_issue_assignees({ owner: "acme", repo: "shopfront", issue_number: i.number, assignees: ["ben-k"] });
  await tools.add_issue_comment({ owner: "acme", repo: "shopfront", issue_number: i.number, body: "Ben, please look." });
}));
return issues.map((i) => i.number).sort((a, b) => a - b);
