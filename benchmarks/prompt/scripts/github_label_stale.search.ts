const [issues, labels] = await Promise.all([
  tools.list_issues({ owner: "acme", repo: "mobile-app", state: "OPEN", perPage: 5, fields: ["number", "state", "labels", "assignees"] }),
  tools.list_label({ owner: "acme", repo: "mobile-app" }),
]);
return { issues, labels };
