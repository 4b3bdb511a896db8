const owner = "acme", repo = "shopfront";
const [me, branches]: any[] = await Promise.all([
  tools.get_me({}),
  tools.list_branches({ owner, repo, perPage: 100 }),
]);
const release = branches.find((b: any) => b.name === "release");
const [branch, issue]: any[] = await Promise.all([
  tools.create_branch({ owner, repo, branch: "hotfix-1", from_branch: "release" }),
  tools.issue_write({
    method: "create", owner, repo, title: "Hotfix 1", labels: ["bug"], assignees: [me.login],
  }),
]);
return { sha: branch?.object?.sha ?? branch?.sha ?? release.sha, url: issue.html_url ?? issue.url };
