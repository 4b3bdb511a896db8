async function openIssues() {
  const issues: any[] = [];
  let after: string | undefined;
  while (true) {
    const page = (await tools.list_issues({
      owner: "acme", repo: "shopfront", state: "OPEN", perPage: 100, ...(after ? { after } : {}),
    })) as any;
    issues.push(...page.issues);
    if (!page.pageInfo.hasNextPage) return issues;
    after = page.pageInfo.endCursor;
  }
}

const [members, issues] = await Promise.all([
  tools.get_team_members({ org: "acme", team_slug: "payments" }) as Promise<any>,
  openIssues(),
]);
const load: Record<string, number> = {};
for (const login of members as string[]) {
  load[login] = issues.filter((issue) => (issue.assignees ?? []).includes(login)).length;
}
return load;
