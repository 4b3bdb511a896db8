const i: any = await tools.list_issues({ owner: "acme", repo: "shopfront", state: "OPEN", labels: ["security"], perPage: 100, fields: ["number", "state", "labels", "assignees"] });
return i;
