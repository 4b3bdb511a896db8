const out: any = {};
for (const repo of ["shopfront", "warehouse", "mobile-app", "docs-site"]) {
  try { out[repo] = await tools.get_latest_release({ owner: "acme", repo }); }
  catch (e: any) { out[repo] = { error: e.code, message: e.message, details: e.details }; }
  try { out[repo + "_list"] = await tools.list_releases({ owner: "acme", repo, perPage: 5, fields: ["tag_name", "draft", "prerelease", "published_at"] }); }
  catch (e: any) { out[repo + "_list"] = { error: e.code, message: e.message, details: e.details }; }
}
return out;
