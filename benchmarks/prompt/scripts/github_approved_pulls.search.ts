const pulls: any = await tools.list_pull_requests({ owner: "acme", repo: "shopfront", state: "open", perPage: 100, fields: ["number", "draft", "state"] });
const list: any[] = Array.isArray(pulls) ? pulls : pulls.pull_requests ?? pulls.items ?? [];
const reviews = await Promise.all(list.slice(0, 8).map(async (p) => ({ number: p.number, reviews: await tools.pull_request_read({ method: "get_reviews", owner: "acme", repo: "shopfront", pullNumber: p.number, perPage: 3 }) })));
return { isArray: Array.isArray(pulls), keys: Array.isArray(pulls) ? null : Object.keys(pulls), count: list.length, first: Array.isArray(pulls) ? pulls.slice(0, 2) : pulls, reviews };
