const counts: Record<string, number> = {};
for (let page = 1; ; page++) {
  const part: any = await tools.actions_list({ method: "list_workflow_runs", owner: "acme", repo: "shopfront", per_page: 100, page, workflow_runs_filter: { branch: "main" } });
  const runs: any[] = part.workflow_runs ?? [];
  for (const r of runs) {
    if (r.head_branch === "main" && r.conclusion === "failure") counts[r.name] = (counts[r.name] ?? 0) + 1;
  }
  if (runs.length < 100) break;
}
return counts;
