async function pages(get: (page: number) => Promise<any>) {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const items: any[] = await get(page);
    all.push(...items);
    if (items.length < 100) return all;
  }
}
const pulls = await pages((page) => tools.list_pull_requests({ owner: "acme", repo: "shopfront", state: "open", perPage: 100, page, fields: ["number", "draft"] }));
const ready = await Promise.all(pulls.filter((p) => !p.draft).map(async (p) => {
  const reviews = await pages((page) => tools.pull_request_read({ method: "get_reviews", owner: "acme", repo: "shopfront", pullNumber: p.number, perPage: 100, page }));
  const ok = reviews.some((r) => r.state === "APPROVED") && !reviews.some((r) => r.state === "CHANGES_REQUESTED");
  return ok ? p.number : null;
}));
return ready.filter((n) => n !== null).sort((a, b) => a - b);
