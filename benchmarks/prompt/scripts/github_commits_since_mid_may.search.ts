const [a, b]: any[] = await Promise.all([
  tools.list_commits({ owner: "acme", repo: "billing-api", sha: "main", since: "2025-05-15T00:00:00Z", perPage: 3 }),
  tools.list_commits({ owner: "acme", repo: "billing-api", sha: "main", since: "2025-05-15T00:00:00Z", perPage: 100, fields: ["author", "commit"] }),
]);
return { a, n: Array.isArray(b) ? b.length : Object.keys(b), b: Array.isArray(b) ? b.slice(-3) : b };
