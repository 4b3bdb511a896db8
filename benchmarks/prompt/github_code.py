"""The mocked tools for repositories, commits, files and releases."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from benchmarks.prompt.github_base import (
    Args,
    GithubError,
    chosen,
    page,
    repository,
    url,
    user,
)
from benchmarks.prompt.github_world import ME, NOW, Data


def _repository(repo: Data) -> Data:
    return {
        "id": int(hashlib.sha1(repo["full_name"].encode()).hexdigest()[:6], 16),
        "name": repo["name"],
        "full_name": repo["full_name"],
        "description": repo["description"],
        "html_url": url(repo),
        "language": repo["language"],
        "stargazers_count": repo["stargazers_count"],
        "forks_count": 0,
        "open_issues_count": sum(
            item["state"] == "open" for kind in ("issues", "pulls") for item in repo[kind].values()
        ),
        "private": False,
        "fork": False,
        "archived": repo["archived"],
        "default_branch": repo["default_branch"],
    }


def _commit(world: Data, repo: Data, commit: Data) -> Data:
    name = world["users"][commit["login"]]["name"]
    person = {"name": name, "email": f"{commit['login']}@acme.example", "date": commit["date"]}
    return {
        "sha": commit["sha"],
        "html_url": url(repo, "commit", commit["sha"]),
        "commit": {"message": commit["message"], "author": person, "committer": person},
        "author": user(world, commit["login"]),
        "committer": user(world, commit["login"]),
    }


def _history(repo: Data, ref: str | None) -> list[Data]:
    """The commits that a branch, a tag or a commit begins with, the newest first."""
    ref = (ref or repo["default_branch"]).removeprefix("refs/heads/").removeprefix("refs/tags/")
    tags = {release["tag_name"]: release["sha"] for release in repo["releases"]}
    sha = repo["branches"].get(ref) or tags.get(ref) or ref
    for at, commit in enumerate(repo["commits"]):
        if commit["sha"] == sha:
            return repo["commits"][at:]
    raise GithubError(f"GET /repos/{repo['full_name']}/commits/{ref}: 404 Not Found []")


def list_commits(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    rows = [
        commit
        for commit in _history(repo, args.get("sha"))
        if args.get("author", commit["login"]).split("@")[0] == commit["login"]
        and commit["date"] >= args.get("since", "")
        and commit["date"] <= args.get("until", NOW)
        and ("path" not in args or args["path"] in [file["filename"] for file in commit["files"]])
    ]
    return [chosen(_commit(world, repo, commit), args) for commit in page(rows, args)]


def get_commit(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    commit = _history(repo, args["sha"])[0]
    found = _commit(world, repo, commit)
    if args.get("detail", "stats") == "none":
        return found
    files = [file | {"changes": file["additions"] + file["deletions"]} for file in commit["files"]]
    totals = {
        name: sum(file[name] for file in files) for name in ("additions", "deletions", "changes")
    }
    totals["total"] = totals.pop("changes")
    return found | {"stats": totals, "files": files}


def search_commits(world: Data, args: Args) -> Any:
    words = [word.lower() for word in args["query"].split() if ":" not in word]
    wanted = [word.split(":", 1) for word in args["query"].split() if ":" in word]
    rows = [
        _commit(world, repo, commit) | {"repository": repo["full_name"]}
        for repo in world["repos"].values()
        for commit in repo["commits"]
        if all(word in commit["message"].lower() for word in words)
        and all(
            {"repo": repo["full_name"], "author": commit["login"]}.get(name, value) == value
            for name, value in wanted
        )
    ]
    return {"total_count": len(rows), "incomplete_results": False, "items": page(rows, args)}


def list_branches(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    rows = [
        {"name": name, "sha": sha, "protected": name == repo["default_branch"]}
        for name, sha in repo["branches"].items()
    ]
    return page(rows, args)


def create_branch(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    if args["branch"] in repo["branches"]:
        raise GithubError("422 Reference already exists []")
    source = args.get("from_branch", repo["default_branch"])
    if source not in repo["branches"]:
        raise GithubError(f"GET git/ref/heads/{source}: 404 Not Found []")
    sha = repo["branches"][source]
    repo["branches"][args["branch"]] = sha
    return {"ref": f"refs/heads/{args['branch']}", "object": {"type": "commit", "sha": sha}}


def list_releases(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    rows = [_release(world, repo, release) for release in repo["releases"]]
    return [chosen(row, args) for row in page(rows, args)]


def _release(world: Data, repo: Data, release: Data) -> Data:
    shown = {name: value for name, value in release.items() if name != "sha"}
    return shown | {
        "html_url": url(repo, "releases", "tag", release["tag_name"]),
        "author": user(world, release["author"]),
    }


def get_latest_release(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    final = [release for release in repo["releases"] if not release["prerelease"]]
    return _release(world, repo, final[0])


def get_release_by_tag(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    for release in repo["releases"]:
        if release["tag_name"] == args["tag"]:
            return _release(world, repo, release)
    raise GithubError(f"GET releases/tags/{args['tag']}: 404 Not Found []")


def list_tags(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    rows = [
        {"name": release["tag_name"], "commit": {"sha": release["sha"]}}
        for release in repo["releases"]
    ]
    return page(rows, args)


def get_tag(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    sha = _history(repo, args["tag"])[0]["sha"]
    return {"tag": args["tag"], "sha": sha, "message": "", "object": {"type": "commit", "sha": sha}}


def get_file_contents(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    path = args.get("path", "/").strip("/")
    entries: list[Data] = [
        {"type": "file", "name": name.split("/")[-1], "path": name, "size": len(text)}
        | {"sha": hashlib.sha1(text.encode()).hexdigest()}
        for name, text in repo["files"].items()
    ]
    if path in repo["files"]:
        entry = next(entry for entry in entries if entry["path"] == path)
        return entry | {"encoding": "utf-8", "content": repo["files"][path]}
    inside = [entry for entry in entries if not path or entry["path"].startswith(f"{path}/")]
    if not inside:
        raise GithubError(f"GET /repos/{repo['full_name']}/contents/{path}: 404 Not Found []")
    return [chosen(entry, args) for entry in inside]


def get_repository_tree(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    names = [name for name in repo["files"] if name.startswith(args.get("path_filter", ""))]
    tree = [{"path": name, "type": "blob", "size": len(repo["files"][name])} for name in names]
    return {"sha": repo["branches"]["main"], "truncated": False, "tree": tree, "count": len(tree)}


def write_files(world: Data, args: Args) -> Any:
    """One file or several, in a commit that the answer names."""
    repo = repository(world, args)
    if args["branch"] not in repo["branches"]:
        raise GithubError(f"GET git/ref/heads/{args['branch']}: 404 Not Found []")
    files = args.get("files", [args])
    for file in files:
        if "content" in file:
            repo["files"][file["path"]] = file["content"]
        elif repo["files"].pop(file["path"], None) is None:
            raise GithubError(f"GET contents/{file['path']}: 404 Not Found []")
    sha = hashlib.sha1(args["message"].encode()).hexdigest()
    return {"commit": {"sha": sha, "message": args["message"]}, "content": {"sha": sha}}


def search_code(world: Data, args: Args) -> Any:
    words = [word.strip('"').lower() for word in args["query"].split() if ":" not in word]
    rows = [
        {"name": path.split("/")[-1], "path": path, "repository": repo["full_name"]}
        for repo in world["repos"].values()
        for path, text in repo["files"].items()
        if all(word in text.lower() for word in words)
    ]
    return {"total_count": len(rows), "incomplete_results": False, "items": page(rows, args)}


def search_repositories(world: Data, args: Args) -> Any:
    words = [word.lower() for word in args["query"].split() if ":" not in word]
    rows = [
        _repository(repo)
        for repo in world["repos"].values()
        if all(word in f"{repo['full_name']} {repo['description']}".lower() for word in words)
    ]
    keys = {"stars": "stargazers_count", "forks": "forks_count"}
    key = keys.get(args.get("sort", ""))
    if key:
        rows.sort(key=lambda row: row[key], reverse=args.get("order", "desc") == "desc")
    return {"total_count": len(rows), "incomplete_results": False, "items": page(rows, args)}


def create_repository(world: Data, args: Args) -> Any:
    owner = args.get("organization", ME)
    return {
        "id": "1",
        "url": f"https://github.example/{owner}/{args.get('name', args.get('repo'))}",
    }


def star(world: Data, args: Args) -> Any:
    name = repository(world, args)["full_name"]
    if name not in world["starred"]:
        world["starred"] = sorted({*world["starred"], name})
    return f"Successfully starred repository {name}"


def unstar(world: Data, args: Args) -> Any:
    name = repository(world, args)["full_name"]
    world["starred"] = [one for one in world["starred"] if one != name]
    return f"Successfully unstarred repository {name}"


TOOLS: dict[str, Callable[[Data, Args], Any]] = {
    "list_commits": list_commits,
    "get_commit": get_commit,
    "search_commits": search_commits,
    "list_branches": list_branches,
    "create_branch": create_branch,
    "list_releases": list_releases,
    "get_latest_release": get_latest_release,
    "get_release_by_tag": get_release_by_tag,
    "list_tags": list_tags,
    "get_tag": get_tag,
    "get_file_contents": get_file_contents,
    "get_file_blame": lambda world, args: {"ranges": [], "commits": {}, "total_ranges": 0},
    "get_repository_tree": get_repository_tree,
    "create_or_update_file": write_files,
    "delete_file": write_files,
    "push_files": write_files,
    "search_code": search_code,
    "search_repositories": search_repositories,
    "create_repository": create_repository,
    "fork_repository": create_repository,
    "delete_repository": lambda world, args: (
        world["repos"].pop(repository(world, args)["full_name"], None) and "deleted"
    ),
    "star_repository": star,
    "unstar_repository": unstar,
    "list_starred_repositories": lambda world, args: [
        _repository(world["repos"][name]) for name in page(world["starred"], args)
    ],
}
