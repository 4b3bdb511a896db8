async function pages(get: (page: number) => Promise<any>) {
  const all: any[] = [];
  for (let page = 1; ; page++) {
    const items: any[] = await get(page);
    all.push(...items);
    if (items.length < 100) return all;
  }
}
const pulls = (await pages((page) => tools.list_pull_requests({ owner: "acme", repo: "shopfront", state: "open", base: "main", perPage: 100, page, fields: ["number", "draft", "base"] })))
  .filter((p) => !p.draft && p.base.ref === "main");
const checked = await Promise.all(pulls.map(async (p) => {
  const runs = await pages(async (page) => ((await tools.pull_request_read({ method: "get_check_runs", owner: "acme", repo: "shopfront", pullNumber: p.number, perPage: 100, page })) as any).check_runs);
  return { number: p.number as number, green: runs.length > 0 && runs.every((r) => r.status === "completed" && r.conclusion === "success") };
}));
const merged: number[] = [];
for (const { number } of checked.filter((c) => c.green).sort((a, b) => a.number - b.number)) {
  try {
    await tools.merge_pull_request({ owner: "acme", repo: "shopfront", pullNumber: number, merge_method: "squash" });
    merged.push(number);
  } catch (e: any) {
    console.log(`#${number} not merged: ${e.message}`);
  }
}
return merged;
