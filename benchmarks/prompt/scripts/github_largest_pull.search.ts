const pulls: any = await tools.list_pull_requests({ owner: "acme", repo: "shopfront", state: "open", perPage: 100, fields: ["number", "additions", "deletions", "changed_files"] });
const list: any[] = Array.isArray(pulls) ? pulls : pulls.pull_requests ?? pulls.items ?? [];
const files = list.length ? await tools.pull_request_read({ method: "get_files", owner: "acme", repo: "shopfront", pullNumber: list[0].number, perPage: 2 }) : null;
return { isArray: Array.isArray(pulls), count: list.length, first: Array.isArray(pulls) ? pulls.slice(0, 3) : pulls, files };
