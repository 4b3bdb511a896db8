const repos = ["shopfront", "billing-api", "mobile-app", "docs-site"];

async function urgent(repo: string) {
  const found: { repo: string; number: number; package: string; severity: string }[] = [];
  let after: string | undefined;
  while (true) {
    const page = (await tools.list_dependabot_alerts({
      owner: "acme", repo, state: "open", perPage: 100, ...(after ? { after } : {}),
    })) as any;
    for (const alert of page.alerts) {
      const severity = alert.security_advisory.severity;
      if (severity === "high" || severity === "critical") {
        found.push({ repo, number: alert.number, package: alert.dependency.package.name, severity });
      }
    }
    if (!page.pageInfo?.hasNextPage) return found;
    after = page.pageInfo.endCursor;
  }
}

const all = (await Promise.all(repos.map(urgent))).flat();
return all.sort((a, b) => (a.repo < b.repo ? -1 : a.repo > b.repo ? 1 : a.number - b.number));
