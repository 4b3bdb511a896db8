return await tools.list_commits({ owner: "acme", repo: "billing-api", sha: "main", since: "2025-05-15T00:00:00Z", perPage: 3 });
