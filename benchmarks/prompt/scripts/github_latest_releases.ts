const repos = ["shopfront", "warehouse", "mobile-app", "docs-site"];
const rows = await Promise.all(repos.map(async (repo) => {
  try {
    const release: any = await tools.get_latest_release({ owner: "acme", repo });
    return [`acme/${repo}`, release.tag_name] as const;
  } catch (e: any) {
    if (!/404/.test(String(e.message))) throw e;
    return [`acme/${repo}`, null] as const;
  }
}));
return Object.fromEntries(rows);
