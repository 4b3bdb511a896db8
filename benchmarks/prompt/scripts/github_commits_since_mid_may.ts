async function pages(get: (page: number) => Promise<any>) {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const items: any[] = await get(page);
    all.push(...items);
    if (items.length < 100) return all;
  }
}
const commits = await pages((page) => tools.list_commits({ owner: "acme", repo: "billing-api", sha: "main", since: "2025-05-15T00:00:00Z", perPage: 100, page, fields: ["sha", "commit", "author"] }));
const out: Record<string, number> = {};
for (const c of commits) {
  const login = c.author?.login ?? c.commit.author.name;
  out[login] = (out[login] ?? 0) + 1;
}
return out;
