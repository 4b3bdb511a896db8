const r: any = await tools.list_issues({ owner: "acme", repo: "shopfront", state: "OPEN", labels: ["bug"], orderBy: "CREATED_AT", direction: "ASC", perPage: 3, fields: ["number", "state", "labels", "created_at"] });
const r2: any = await tools.list_issues({ owner: "acme", repo: "shopfront", perPage: 2 });
return { r, r2 };
