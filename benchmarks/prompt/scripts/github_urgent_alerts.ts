const repos = ["shopfront", "billing-api", "mobile-app", "docs-site"];
const perRepo = await Promise.all(repos.map(async (repo) => {
  const rows: { repo: string; number: number; package: string; severity: string }[] = [];
  let after: string | undefined;
  while (true) {
    const r: any = await tools.list_dependabot_alerts({
      owner: "acme", repo, state: "open", perPage: 100, ...(after ? { after } : {}),
    });
    for (const a of r.alerts) {
      const severity = a.security_advisory.severity;
      if (severity === "high" || severity === "critical") {
        rows.push({ repo, number: a.number, package: a.dependency.package.name, severity });
      }
    }
    if (!r.pageInfo?.hasNextPage) break;
    after = r.pageInfo.endCursor;
  }
  return rows;
}));
return perRepo.flat().sort((a, b) =>
  a.repo < b.repo ? -1 : a.repo > b.repo ? 1 : a.number - b.number);
