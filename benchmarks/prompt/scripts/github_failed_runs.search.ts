const [workflows, runs] = await Promise.all([
  tools.actions_list({ method: "list_workflows", owner: "acme", repo: "shopfront", per_page: 5 }),
  tools.actions_list({ method: "list_workflow_runs", owner: "acme", repo: "shopfront", per_page: 2, workflow_runs_filter: { branch: "main" } }),
]);
return { workflows, runs };
