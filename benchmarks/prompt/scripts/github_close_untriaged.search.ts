return await tools.list_issues({ owner: "acme", repo: "shopfront", state: "OPEN", labels: ["needs-triage"], perPage: 5, fields: ["number", "state", "labels", "comments"] });
