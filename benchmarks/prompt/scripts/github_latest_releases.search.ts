return await Promise.all(["shopfront", "warehouse", "mobile-app", "docs-site"].map((repo) =>
  tools.get_latest_release({ owner: "acme", repo }).then((r) => ({ repo, r }), (e: any) => ({ repo, code: e.code, message: e.message, details: e.details }))));
