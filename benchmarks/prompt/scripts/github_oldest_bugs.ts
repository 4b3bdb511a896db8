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
const bugs = await listIssues({ repo: "shopfront", labels: ["bug"], orderBy: "CREATED_AT", direction: "ASC", fields: ["number", "created_at"] });
bugs.sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
return { count: bugs.length, oldest: bugs.slice(0, 5).map((i) => i.number) };
