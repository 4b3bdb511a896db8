return await tools.list_issues({ owner: "acme", repo: "shopfront", state: "OPEN", labels: ["security"], perPage: 5, fields: ["number", "state", "labels", "assignees"] });
