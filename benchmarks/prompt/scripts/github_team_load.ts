const members: any = await tools.get_team_members({ org: "acme", team_slug: "payments" });
const load_: Record<string, number> = {};
for (const m of members) load_[m] = 0;
let after: string | undefined;
while (true) {
  const r: any = await tools.list_issues({
    owner: "acme", repo: "shopfront", state: "OPEN", perPage: 100,
    fields: ["number", "assignees"], ...(after ? { after } : {}),
  });
  for (const issue of r.issues) {
    for (const login of issue.assignees ?? []) {
      if (login in load_) load_[login]++;
    }
  }
  if (!r.pageInfo?.hasNextPage) break;
  after = r.pageInfo.endCursor;
}
return load_;
