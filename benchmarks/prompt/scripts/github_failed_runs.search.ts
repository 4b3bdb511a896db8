const [w, r]: any[] = await Promise.all([
  tools.actions_list({ method: "list_workflows", owner: "acme", repo: "shopfront" }),
  tools.actions_list({ method: "list_workflow_runs", owner: "acme", repo: "shopfront", per_page: 3, workflow_runs_filter: { branch: "main" } }),
]);
return { w, r };
