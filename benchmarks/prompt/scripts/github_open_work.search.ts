const [i, p, s]: any[] = await Promise.all([
  tools.list_issues({ owner: "acme", repo: "docs-site", state: "OPEN", perPage: 3, fields: ["number", "state"] }),
  tools.list_pull_requests({ owner: "acme", repo: "docs-site", state: "open", perPage: 3, fields: ["number", "state"] }),
  tools.search_pull_requests({ query: "is:open", owner: "acme", repo: "docs-site", perPage: 2, fields: ["number", "state"] }).catch((e: any) => ({ code: e.code, message: e.message })),
]);
return { i, p, s };
