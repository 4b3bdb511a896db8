const where = { owner: "acme", repo: "shopfront" };

const [me, branches] = (await Promise.all([
  tools.get_me({}),
  tools.list_branches({ ...where, perPage: 100 }),
])) as any[];
const release = branches.find((b: any) => b.name === "release");
if (!release) throw new Error("no branch release");

const [branch, issue] = (await Promise.all([
  tools.create_branch({ ...where, branch: "hotfix-1", from_branch: "release" }),
  tools.issue_write({ ...where, method: "create", title: "Hotfix 1", labels: ["bug"], assignees: [me.login] }),
])) as any[];

let url = issue?.html_url ?? issue?.url;
if (!url) {
  const recent = (await tools.list_issues({
    ...where, state: "OPEN", orderBy: "CREATED_AT", direction: "DESC", perPage: 100,
  })) as any;
  url = recent.issues.find((i: any) => i.title === "Hotfix 1")?.html_url;
}
return { sha: branch?.object?.sha ?? release.sha, url };
