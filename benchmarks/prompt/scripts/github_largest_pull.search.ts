const p: any = await tools.list_pull_requests({ owner: "acme", repo: "shopfront", state: "open", perPage: 100, fields: ["number", "additions", "deletions", "changed_files"] });
const list: any[] = Array.isArray(p) ? p : p.pull_requests ?? p.pullRequests ?? p.items ?? [];
const n = list[0]?.number;
const [f, g] = n ? await Promise.all([
  tools.pull_request_read({ method: "get_files", owner: "acme", repo: "shopfront", pullNumber: n, perPage: 3 }),
  tools.pull_request_read({ method: "get", owner: "acme", repo: "shopfront", pullNumber: n }),
]) : [null, null];
return { p, f, g };
