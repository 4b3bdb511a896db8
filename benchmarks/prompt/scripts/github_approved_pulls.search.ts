const p: any = await tools.list_pull_requests({ owner: "acme", repo: "shopfront", state: "open", perPage: 100, fields: ["number", "state", "draft"] });
const list: any[] = Array.isArray(p) ? p : p.pull_requests ?? p.pullRequests ?? p.items ?? [];
const reviews = await Promise.all(list.map(async (x: any) => ({ number: x.number, reviews: await tools.pull_request_read({ method: "get_reviews", owner: "acme", repo: "shopfront", pullNumber: x.number, perPage: 5 }) })));
return { p, reviews: reviews.slice(0, 8) };
