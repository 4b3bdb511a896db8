async function pages(get: (page: number) => Promise<any>) {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const items: any[] = await get(page);
    all.push(...items);
    if (items.length < 100) return all;
  }
}
const pulls = await pages((page) => tools.list_pull_requests({ owner: "acme", repo: "shopfront", state: "open", perPage: 100, page, fields: ["number"] }));
const sized = await Promise.all(pulls.map(async (p) => {
  const files = await pages((page) => tools.pull_request_read({ method: "get_files", owner: "acme", repo: "shopfront", pullNumber: p.number, perPage: 100, page }));
  return {
    number: p.number,
    lines: files.reduce((sum, f) => sum + f.additions + f.deletions, 0),
    files: files.map((f) => f.filename).sort(),
  };
}));
return sized.sort((a, b) => b.lines - a.lines)[0];
