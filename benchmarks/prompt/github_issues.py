"""The mocked tools for issues, labels, sub-issues and dependencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from benchmarks.prompt.github_base import (
    Args,
    GithubError,
    after_cursor,
    chosen,
    filled,
    numbered,
    page,
    repository,
    url,
    user,
)
from benchmarks.prompt.github_search import matches, split_query
from benchmarks.prompt.github_world import NOW, Data

_STATE_REASONS = {"open": None, "closed": "completed"}


def _issue(world: Data, repo: Data, issue: Data) -> Data:
    milestone = issue["milestone"]
    return filled(
        {
            "number": issue["number"],
            "title": issue["title"],
            "body": issue["body"],
            "state": issue["state"],
            "state_reason": issue["state_reason"],
            "html_url": url(repo, "issues", issue["number"]),
            "user": user(world, issue["user"]),
            "labels": list(issue["labels"]),
            "milestone": milestone and repo["milestones"][str(milestone)],
            "created_at": issue["created_at"],
            "updated_at": issue["updated_at"],
            "closed_at": issue["closed_at"],
            "type": issue.get("type"),
        }
    ) | {"assignees": list(issue["assignees"]), "comments": len(issue["comments"])}


def _comment(world: Data, repo: Data, issue: Data, comment: Data) -> Data:
    return {
        "id": comment["id"],
        "body": comment["body"],
        "html_url": url(repo, "issues", f"{issue['number']}#issuecomment-{comment['id']}"),
        "user": user(world, comment["user"]),
        "created_at": comment["created_at"],
    }


def list_issues(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    rows = [
        issue
        for issue in repo["issues"].values()
        if args.get("state", issue["state"]).lower() == issue["state"]
        and (not args.get("labels") or set(args["labels"]) & set(issue["labels"]))
        and issue["updated_at"] >= args.get("since", "")
    ]
    orders: dict[str, Callable[[Data], Any]] = {
        "CREATED_AT": lambda issue: issue["created_at"],
        "UPDATED_AT": lambda issue: issue["updated_at"],
        "COMMENTS": lambda issue: len(issue["comments"]),
    }
    rows.sort(
        key=orders[args.get("orderBy", "CREATED_AT")],
        reverse=args.get("direction", "DESC") == "DESC",
    )
    shown, info = after_cursor(rows, args)
    issues = [_issue(world, repo, issue) for issue in shown]
    for issue in issues:
        issue["state"] = issue["state"].upper()
    return {
        "issues": [chosen(issue, args) for issue in issues],
        "pageInfo": info,
        "totalCount": len(rows),
    }


def search_issues(world: Data, args: Args) -> Any:
    words, qualifiers = split_query(args)
    rows = [
        (repo, issue)
        for repo in world["repos"].values()
        for issue in repo["issues"].values()
        if matches(repo, issue, words, qualifiers)
    ]
    if args.get("sort") in ("created", "updated"):
        rows.sort(key=lambda row: row[1][f"{args['sort']}_at"], reverse=args.get("order") != "asc")
    items = [
        _issue(world, repo, issue) | {"repository_url": url(repo)}
        for repo, issue in page(rows, args)
    ]
    return {
        "total_count": len(rows),
        "incomplete_results": False,
        "items": [chosen(item, args) for item in items],
    }


def issue_read(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    issue = numbered(repo, "issues", args["issue_number"])
    match args["method"]:
        case "get":
            parent = issue.get("parent")
            return _issue(world, repo, issue) | {
                "has_parent": parent is not None,
                "has_children": bool(issue.get("sub_issues")),
            }
        case "get_comments":
            rows = [_comment(world, repo, issue, comment) for comment in issue["comments"]]
            return page(rows, args)
        case "get_labels":
            labels = [{"id": f"LA_{name}", **repo["labels"][name]} for name in issue["labels"]]
            return {"labels": labels, "totalCount": len(labels)}
        case "get_sub_issues":
            children = issue.get("sub_issues", [])
            return [_issue(world, repo, numbered(repo, "issues", one)) for one in children]
        case _:
            parent = issue.get("parent")
            return {
                "parent": parent and _issue(world, repo, numbered(repo, "issues", parent)),
            }


def issue_write(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    if args["method"] == "create":
        if not args.get("title"):
            raise GithubError("missing required parameter: title")
        return create_issue(world, args)
    if "issue_number" not in args:
        raise GithubError("missing required parameter: issue_number")
    return _change(world, repo, args, args)


def create_issue(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    number = max(map(int, (*repo["issues"], *repo["pulls"]))) + 1
    issue: Data = {
        "number": number,
        "title": args["title"],
        "body": args.get("body", ""),
        "state": "open",
        "state_reason": None,
        "user": world["me"],
        "labels": [],
        "assignees": [],
        "milestone": None,
        "comments": [],
        "created_at": NOW,
        "updated_at": NOW,
        "closed_at": None,
    }
    repo["issues"][str(number)] = issue
    return _change(world, repo, args | {"issue_number": number}, args)


def update_issue(*fields: str) -> Callable[[Data, Args], Any]:
    """A tool that changes these fields of an issue."""

    def change(world: Data, args: Args) -> Any:
        fresh = {field: args[field] for field in fields if field in args}
        return _change(world, repository(world, args), args, fresh)

    return change


def _change(world: Data, repo: Data, args: Args, fresh: Args) -> Data:
    issue = numbered(repo, "issues", args["issue_number"])
    for field in ("title", "body", "state"):
        if field in fresh:
            issue[field] = fresh[field]
    if "state" in fresh:
        reason = _STATE_REASONS[fresh["state"]]
        issue["state_reason"] = reason and fresh.get("state_reason", reason)
        issue["closed_at"] = NOW if fresh["state"] == "closed" else None
    if "labels" in fresh:
        names = _named(fresh["labels"], "name")
        for name in names:
            repo["labels"].setdefault(name, {"name": name, "color": "ededed", "description": ""})
        issue["labels"] = sorted(set(names))
    if "assignees" in fresh:
        names = _named(fresh["assignees"], "login")
        if unknown := [name for name in names if name not in world["users"]]:
            raise GithubError(f"422 Validation Failed: assignees {unknown[0]} is invalid")
        issue["assignees"] = sorted(set(names))
    if "milestone" in fresh:
        if str(int(fresh["milestone"])) not in repo["milestones"]:
            raise GithubError("422 Validation Failed: milestone does not exist")
        issue["milestone"] = int(fresh["milestone"])
    if "type" in fresh or "issue_type" in fresh:
        issue["type"] = fresh.get("type", fresh.get("issue_type"))
    issue["updated_at"] = NOW
    return {
        "id": str(3_000_000 + issue["number"]),
        "url": url(repo, "issues", issue["number"]),
    }


def _named(given: list[str | Data], field: str) -> list[str]:
    """Names that are given bare, or in an object beside the reasons for them."""
    return [one if isinstance(one, str) else one[field] for one in given]


def add_issue_comment(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    number = str(int(args["issue_number"]))
    item = repo["pulls"].get(number) or numbered(repo, "issues", args["issue_number"])
    if not args.get("body"):
        if not args.get("reaction"):
            raise GithubError("at least one of body or reaction is required")
        return {"id": "1", "url": url(repo, "issues", number)}
    comment = {
        "id": item["number"] * 100 + len(item["comments"]),
        "user": world["me"],
        "body": args["body"],
        "created_at": NOW,
    }
    item["comments"].append(comment)
    item["updated_at"] = NOW
    link = url(repo, "issues", f"{number}#issuecomment-{comment['id']}")
    return {"id": str(comment["id"]), "url": link}


def reaction(world: Data, args: Args) -> Any:
    repository(world, args)
    return {"id": "1", "content": args["content"]}


def list_label(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    used = Counter(name for issue in repo["issues"].values() for name in issue["labels"])
    labels = sorted(
        repo["labels"].values(), key=lambda label: (-used[label["name"]], label["name"])
    )
    return {
        "labels": [{"id": f"LA_{label['name']}", **label} for label in labels],
        "totalCount": len(labels),
    }


def get_label(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    if args["name"] not in repo["labels"]:
        raise GithubError(f"label '{args['name']}' not found in {repo['full_name']}")
    return {"id": f"LA_{args['name']}", **repo["labels"][args["name"]]}


def label_write(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    name = args["name"]
    if args["method"] == "create":
        if "color" not in args:
            raise GithubError("missing required parameter: color")
        if name in repo["labels"]:
            raise GithubError(f"Validation Failed: label '{name}' already_exists")
        repo["labels"][name] = {
            "name": name,
            "color": args["color"],
            "description": args.get("description", ""),
        }
        return f"label '{name}' created successfully"
    get_label(world, args)
    label = repo["labels"].pop(name)
    fresh = None if args["method"] == "delete" else args.get("new_name", name)
    if fresh:
        parts = {part: args[part] for part in ("color", "description") if part in args}
        repo["labels"][fresh] = {**label, **parts, "name": fresh}
    for issue in (*repo["issues"].values(), *repo["pulls"].values()):
        if name in issue["labels"]:
            kept = {one for one in issue["labels"] if one != name}
            issue["labels"] = sorted(kept | ({fresh} if fresh else set()))
    return f"label '{name}' {args['method']}d successfully"


def sub_issue(world: Data, args: Args) -> Any:
    """Adds, removes or moves: the mocked id of an issue is 3,000,000 plus its number."""
    repo = repository(world, args)
    parent = numbered(repo, "issues", args["issue_number"])
    child = numbered(repo, "issues", args["sub_issue_id"] - 3_000_000)
    children = parent.setdefault("sub_issues", [])
    if args.get("method") == "remove":
        if child["number"] not in children:
            raise GithubError(f"404 #{child['number']} is no sub-issue of #{parent['number']}")
        children.remove(child["number"])
        child.pop("parent", None)
    elif child["number"] not in children:
        children.append(child["number"])
        child["parent"] = parent["number"]
    return _issue(world, repo, parent)


def dependency_read(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    issue = numbered(repo, "issues", args["issue_number"])
    links = issue.get(args["method"].removeprefix("get_"), [])
    return [_issue(world, repo, numbered(repo, "issues", one)) for one in links]


def dependency_write(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    issue = numbered(repo, "issues", args["issue_number"])
    other = numbered(repo, "issues", args["related_issue_number"])
    inverse = {"blocked_by": "blocking", "blocking": "blocked_by"}[args["type"]]
    for one, kind, another in ((issue, args["type"], other), (other, inverse, issue)):
        links = set(one.get(kind, []))
        change = links.union if args["method"] == "add" else links.difference
        one[kind] = sorted(change({another["number"]}))
    return {"id": str(3_000_000 + issue["number"]), "url": url(repo, "issues", issue["number"])}


def find_duplicate(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    issue = numbered(repo, "issues", args["issue_number"])
    same = [
        {"issue": _issue(world, repo, other), "score": 0.93, "confidence": "high"}
        for other in repo["issues"].values()
        if other["title"] == issue["title"] and other is not issue
    ]
    return {"candidates": page(same, args), "total_count": len(same)}


TOOLS: dict[str, Callable[[Data, Args], Any]] = {
    "list_issues": list_issues,
    "search_issues": search_issues,
    "issue_read": issue_read,
    "issue_write": issue_write,
    "create_issue": create_issue,
    "update_issue_assignees": update_issue("assignees"),
    "update_issue_body": update_issue("body"),
    "update_issue_labels": update_issue("labels"),
    "update_issue_milestone": update_issue("milestone"),
    "update_issue_state": update_issue("state", "state_reason"),
    "update_issue_title": update_issue("title"),
    "update_issue_type": update_issue("issue_type"),
    "set_issue_fields": update_issue(),
    "add_issue_comment": add_issue_comment,
    "add_issue_comment_reaction": reaction,
    "add_issue_reaction": reaction,
    "assign_copilot_to_issue": update_issue(),
    "assign_copilot_to_issue_with_intent": update_issue(),
    "list_label": list_label,
    "get_label": get_label,
    "label_write": label_write,
    "add_sub_issue": sub_issue,
    "remove_sub_issue": lambda world, args: sub_issue(world, args | {"method": "remove"}),
    "reprioritize_sub_issue": sub_issue,
    "sub_issue_write": sub_issue,
    "issue_dependency_read": dependency_read,
    "issue_dependency_write": dependency_write,
    "find_duplicate": find_duplicate,
}
