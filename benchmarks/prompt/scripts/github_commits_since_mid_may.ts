const counts: Record<string, number> = {};
for (let page = 1; ; page++) {
  const commits: any = await tools.list_commits({ owner: "acme", repo: "billing-api", sha: "main", since: "2025-05-15T00:00:00Z", perPage: 100, page, fields: ["author", "commit"] });
  for (const c of commits) {
    const login = c.author?.login ?? c.commit.author.name;
    counts[login] = (counts[login] ?? 0) + 1;
  }
  if (commits.length < 100) break;
}
return counts;
