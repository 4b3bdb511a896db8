"""Sixteen tasks over the mocked GitHub; four of them for a prompt that holds no declarations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.prompt.github_world import ME, NOW, OWNER
from benchmarks.prompt.task import Data, Paper, Task

TASKS: list[Task] = []
Expected = Callable[[Data], Any]


def task(text: str, paper: Paper = "github") -> Callable[[Expected], Expected]:
    """The task whose expected answer the decorated function computes."""

    def add(expected: Expected) -> Expected:
        TASKS.append(Task(f"github_{expected.__name__}", paper, " ".join(text.split()), expected))
        return expected

    return add


def _repo(data: Data, name: str) -> Data:
    return data["repos"][f"{OWNER}/{name}"]


def _issues(data: Data, repo: str) -> Iterable[Data]:
    """The open ones."""
    return [one for one in _repo(data, repo)["issues"].values() if one["state"] == "open"]


def _pulls(data: Data, repo: str) -> Iterable[Data]:
    """The open ones."""
    return [one for one in _repo(data, repo)["pulls"].values() if one["state"] == "open"]


def _comment(item: Data, text: str) -> None:
    item["comments"].append({"user": ME, "body": text, "created_at": NOW})


@task("""In acme/shopfront, how many open issues have the label bug, and which five of them were
    created first? Return { count, oldest }, where oldest is a list of issue numbers, the oldest
    first.""")
def oldest_bugs(data: Data) -> Any:
    bugs = [issue for issue in _issues(data, "shopfront") if "bug" in issue["labels"]]
    bugs.sort(key=lambda issue: issue["created_at"])
    return {"count": len(bugs), "oldest": [issue["number"] for issue in bugs[:5]]}


@task("""For each of the repositories shopfront, billing-api, mobile-app and docs-site of acme: how
    many issues are open, and how many pull requests? Return an object from the repository's name
    to { issues, pulls }.""")
def open_work(data: Data) -> Any:
    names = ("shopfront", "billing-api", "mobile-app", "docs-site")
    return {
        name: {"issues": len(list(_issues(data, name))), "pulls": len(list(_pulls(data, name)))}
        for name in names
    }


@task("""Which open pull requests of acme/shopfront are ready to merge: no draft, at least one
    review that approves, and none that requests changes? Return their numbers, sorted.""")
def approved_pulls(data: Data) -> Any:
    ready: list[int] = []
    for pull in _pulls(data, "shopfront"):
        states = {review["state"] for review in pull["reviews"]}
        if not pull["draft"] and "APPROVED" in states and "CHANGES_REQUESTED" not in states:
            ready.append(pull["number"])
    return sorted(ready)


@task("""Which checks fail in the open pull requests of acme/billing-api? Look at the check runs.
    Return an object from the number of each pull request with a failed check run to the sorted
    names of the failed ones.""")
def failing_checks(data: Data) -> Any:
    found: dict[str, list[str]] = {}
    for pull in _pulls(data, "billing-api"):
        names = [check["name"] for check in pull["checks"] if check["conclusion"] == "failure"]
        if names:
            found[str(pull["number"])] = sorted(names)
    return found


@task("""Who wrote the commits on the main branch of acme/billing-api since 15 May 2025, 00:00
    UTC? Return an object from login to number of commits.""")
def commits_since_mid_may(data: Data) -> Any:
    commits = _repo(data, "billing-api")["commits"]
    return dict(Counter(one["login"] for one in commits if one["date"] >= "2025-05-15T00:00:00Z"))


@task("""In acme/mobile-app, make a new label "stale" (colour cccccc, description "Nobody works on
    it") and put it on every open issue that nobody is assigned to; those issues keep the labels
    that they have. Return the numbers of these issues, sorted.""")
def label_stale(data: Data) -> Any:
    repo = _repo(data, "mobile-app")
    about = {"name": "stale", "color": "cccccc", "description": "Nobody works on it"}
    repo["labels"]["stale"] = about
    stale = [issue for issue in _issues(data, "mobile-app") if not issue["assignees"]]
    for issue in stale:
        issue["labels"] = sorted([*issue["labels"], "stale"])
    return sorted(issue["number"] for issue in stale)


@task("""Close the open issues of acme/shopfront that have the label needs-triage and not a single
    comment, as not planned. Return their numbers, sorted.""")
def close_untriaged(data: Data) -> Any:
    closed: list[int] = []
    for issue in _issues(data, "shopfront"):
        if "needs-triage" in issue["labels"] and not issue["comments"]:
            issue |= {"state": "closed", "state_reason": "not_planned"}
            closed.append(issue["number"])
    return sorted(closed)


@task("""Squash and merge all open pull requests of acme/shopfront into main that are no draft and
    whose check runs all succeeded. Leave out those with another base branch. Return the numbers of
    the merged ones, sorted.""")
def merge_green_pulls(data: Data) -> Any:
    merged: list[int] = []
    for pull in _pulls(data, "shopfront"):
        green = all(check["conclusion"] == "success" for check in pull["checks"])
        if green and pull["base"] == "main" and not pull["draft"]:
            pull |= {"state": "closed", "merged": True, "merged_at": NOW, "merge_method": "squash"}
            merged.append(pull["number"])
    return sorted(merged)


@task("""What is the latest release of each of acme/shopfront, acme/warehouse, acme/mobile-app and
    acme/docs-site? Return an object from the full name of the repository to the release's tag, or
    null where the repository cannot be found.""")
def latest_releases(data: Data) -> Any:
    tags: dict[str, str | None] = {}
    for name in ("shopfront", "warehouse", "mobile-app", "docs-site"):
        repo = data["repos"].get(f"{OWNER}/{name}", {"releases": []})
        final = [one["tag_name"] for one in repo["releases"] if not one["prerelease"]]
        tags[f"{OWNER}/{name}"] = final[0] if final else None
    return tags


@task("""Which workflows of acme/shopfront fail on the main branch? Count the workflow runs on main
    whose conclusion is failure. Return an object from the name of the workflow to the number of
    failed runs, without workflows that have none.""")
def failed_runs(data: Data) -> Any:
    runs = _repo(data, "shopfront")["runs"]
    failed = [one for one in runs if one["branch"] == "main" and one["conclusion"] == "failure"]
    return dict(Counter(run["workflow"].removesuffix(".yml") for run in failed))


@task("""Which open pull request of acme/shopfront changes most lines, added and deleted lines
    together over all its files? Return { number, lines, files }, where files is the list of the
    names of the changed files, sorted.""")
def largest_pull(data: Data) -> Any:
    def lines(pull: Data) -> int:
        return sum(file["additions"] + file["deletions"] for file in pull["files"])

    pull = max(_pulls(data, "shopfront"), key=lines)
    names = sorted(file["filename"] for file in pull["files"])
    return {"number": pull["number"], "lines": lines(pull), "files": names}


@task("""In acme/shopfront, assign ben-k to all open issues with the label security that nobody
    is assigned to, and write the comment "Ben, please look." on each of them. Return their
    numbers, sorted.""")
def assign_security(data: Data) -> Any:
    found: list[int] = []
    for issue in _issues(data, "shopfront"):
        if "security" in issue["labels"] and not issue["assignees"]:
            issue["assignees"] = ["ben-k"]
            _comment(issue, "Ben, please look.")
            found.append(issue["number"])
    return sorted(found)


@task(
    """Which open Dependabot alerts of severity high or critical do the repositories shopfront,
    billing-api, mobile-app and docs-site of acme have? Return a list of { repo, number, package,
    severity }, sorted by repo (the short name), then by number.""",
    "github_discovery",
)
def urgent_alerts(data: Data) -> Any:
    rows = [
        {"repo": name, **{key: alert[key] for key in ("number", "package", "severity")}}
        for name in ("billing-api", "docs-site", "mobile-app", "shopfront")
        for alert in _repo(data, name)["alerts"]
        if alert["state"] == "open" and alert["severity"] in ("high", "critical")
    ]
    return sorted(rows, key=lambda row: (row["repo"], row["number"]))


@task(
    """I have reviewed what I was asked for: mark my notifications whose reason is
    review_requested as done, also those that I have read already. Return the titles of their
    subjects, sorted.""",
    "github_discovery",
)
def reviews_done(data: Data) -> Any:
    threads = data["notifications"]
    done = [id for id, one in threads.items() if one["reason"] == "review_requested"]
    return sorted(threads.pop(id)["title"] for id in done)


@task(
    """How many open issues of acme/shopfront is each member of acme's team payments assigned to?
    Return an object from login to number; members without any have 0.""",
    "github_discovery",
)
def team_load(data: Data) -> Any:
    issues = list(_issues(data, "shopfront"))
    return {
        login: sum(login in issue["assignees"] for issue in issues)
        for login in data["teams"]["payments"]
    }


@task(
    """Prepare a hotfix in acme/shopfront: make the branch hotfix-1 from the branch release, and
    an issue with the title "Hotfix 1", the label bug, assigned to me. Return { sha, url }: the
    commit that the new branch begins at, and the link to the new issue.""",
    "github_discovery",
)
def prepare_hotfix(data: Data) -> Any:
    repo = _repo(data, "shopfront")
    repo["branches"]["hotfix-1"] = repo["branches"]["release"]
    number = max(map(int, (*repo["issues"], *repo["pulls"]))) + 1
    repo["issues"][str(number)] = {
        "number": number,
        "title": "Hotfix 1",
        "body": "",
        "state": "open",
        "state_reason": None,
        "user": ME,
        "labels": ["bug"],
        "assignees": [ME],
        "milestone": None,
        "comments": [],
        "created_at": NOW,
    }
    url = f"https://github.example/{OWNER}/shopfront/issues/{number}"
    return {"sha": repo["branches"]["release"], "url": url}
