const [i, l, g]: any[] = await Promise.all([
  tools.list_issues({ owner: "acme", repo: "mobile-app", state: "OPEN", perPage: 6 }),
  tools.list_label({ owner: "acme", repo: "mobile-app" }),
  tools.list_issues({ owner: "acme", repo: "mobile-app", state: "OPEN", perPage: 3, fields: ["number", "labels", "assignees"] }),
]);
const n = (i.issues ?? i)[0]?.number;
const one = n ? await tools.issue_read({ method: "get", owner: "acme", repo: "mobile-app", issue_number: n }) : null;
return { i, l, g, one };
