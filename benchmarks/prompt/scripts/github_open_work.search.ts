const [issues, pulls, search] = await Promise.all([
  tools.list_issues({ owner: "acme", repo: "shopfront", state: "OPEN", perPage: 2, fields: ["number", "title", "state"] }),
  tools.list_pull_requests({ owner: "acme", repo: "shopfront", state: "open", perPage: 2, fields: ["number", "state"] }),
  tools.search_pull_requests({ query: "repo:acme/shopfront is:open", perPage: 1, fields: ["number", "state"] }).catch((e: any) => ({ code: e.code, message: e.message })),
]);
return { issues, pulls, search };
