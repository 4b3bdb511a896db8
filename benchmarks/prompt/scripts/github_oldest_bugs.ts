const page: any = await tools.list_issues({ owner: "acme", repo: "shopfront", state: "OPEN", labels: ["bug"], orderBy: "CREATED_AT", direction: "ASC", perPage: 100, fields: ["number", "created_at"] });
return { count: page.totalCount, oldest: page.issues.slice(0, 5).map((i: any) => i.number) };
