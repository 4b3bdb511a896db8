const i: any = await tools.list_issues({ owner: "acme", repo: "shopfront", state: "OPEN", labels: ["needs-triage"], perPage: 10, fields: ["number", "state", "labels", "comments"] });
return i;
