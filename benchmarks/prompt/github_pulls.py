"""The mocked tools for pull requests and their reviews."""

from __future__ import annotations

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


def _pull(world: Data, repo: Data, pull: Data) -> Data:
    merged = pull["merged"]
    return filled(
        {
            "number": pull["number"],
            "title": pull["title"],
            "body": pull["body"],
            "state": pull["state"],
            "html_url": url(repo, "pull", pull["number"]),
            "user": user(world, pull["user"]),
            "labels": list(pull["labels"]),
            "assignees": list(pull["assignees"]),
            "requested_reviewers": list(pull["requested_reviewers"]),
            "merged_by": "ana-m" if merged else None,
            "head": {"ref": pull["head"], "sha": pull["head_sha"]},
            "base": {"ref": pull["base"], "sha": repo["branches"].get(pull["base"], "")},
            "created_at": pull["created_at"],
            "updated_at": pull["updated_at"],
            "closed_at": pull["updated_at"] if pull["state"] == "closed" else None,
            "merged_at": pull["merged_at"],
        }
    ) | {"draft": pull["draft"], "merged": merged}


def _details(pull: Data) -> Data:
    failing = any(check["conclusion"] != "success" for check in pull["checks"])
    return {
        "additions": sum(file["additions"] for file in pull["files"]),
        "deletions": sum(file["deletions"] for file in pull["files"]),
        "changed_files": len(pull["files"]),
        "commits": 1,
        "comments": len(pull["comments"]),
        "mergeable_state": "unstable" if failing else "clean",
    }


def list_pull_requests(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    state = args.get("state", "open")
    rows = [
        pull
        for pull in repo["pulls"].values()
        if state in ("all", pull["state"])
        and args.get("base", pull["base"]) == pull["base"]
        and args.get("head", pull["head"]).split(":")[-1] == pull["head"]
    ]
    by = "updated_at" if args.get("sort") == "updated" else "created_at"
    rows.sort(key=lambda pull: pull[by], reverse=args.get("direction", "desc") == "desc")
    return [chosen(_pull(world, repo, pull), args) for pull in page(rows, args)]


def search_pull_requests(world: Data, args: Args) -> Any:
    words, qualifiers = split_query(args)
    rows = [
        (repo, pull)
        for repo in world["repos"].values()
        for pull in repo["pulls"].values()
        if matches(repo, pull, words, qualifiers)
    ]
    items = [
        _pull(world, repo, pull)
        | {"repository_url": url(repo), "pull_request": {"merged_at": pull["merged_at"]}}
        for repo, pull in page(rows, args)
    ]
    return {
        "total_count": len(rows),
        "incomplete_results": False,
        "items": [chosen(item, args) for item in items],
    }


def pull_request_read(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    pull = numbered(repo, "pulls", args["pullNumber"])
    match args["method"]:
        case "get":
            return _pull(world, repo, pull) | _details(pull)
        case "get_files":
            rows = [
                file | {"changes": file["additions"] + file["deletions"], "patch": "@@ -1 +1 @@"}
                for file in pull["files"]
            ]
            return page(rows, args)
        case "get_reviews":
            return [
                review | {"user": user(world, review["user"]), "commit_id": pull["head_sha"]}
                for review in pull["reviews"]
            ]
        case "get_comments":
            rows = [
                comment | {"user": user(world, comment["user"])} for comment in pull["comments"]
            ]
            return page(rows, args)
        case "get_check_runs":
            rows = [
                {
                    "id": pull["number"] * 10 + at,
                    "name": check["name"],
                    "status": "completed",
                    "conclusion": check["conclusion"],
                    "html_url": url(repo, "runs", pull["number"] * 10 + at),
                }
                for at, check in enumerate(pull["checks"])
            ]
            return {"total_count": len(rows), "check_runs": page(rows, args)}
        case "get_status":
            failing = any(check["conclusion"] != "success" for check in pull["checks"])
            state = "failure" if failing else "success"
            return {"state": state, "sha": pull["head_sha"], "total_count": 1, "statuses": []}
        case "get_commits":
            return [{"sha": pull["head_sha"], "commit": {"message": pull["title"]}}]
        case "get_review_comments":
            rows, info = after_cursor(pull.get("threads", []), args)
            return {"review_threads": rows, "totalCount": len(rows), "pageInfo": info}
        case _:
            return "\n".join(
                f"diff --git a/{file['filename']} b/{file['filename']}" for file in pull["files"]
            )


def create_pull_request(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    for side in ("head", "base"):
        if args[side].split(":")[-1] not in repo["branches"]:
            raise GithubError(f"422 Validation Failed: {side} {args[side]} is invalid")
    number = max(map(int, (*repo["issues"], *repo["pulls"]))) + 1
    head = args["head"].split(":")[-1]
    repo["pulls"][str(number)] = {
        "number": number,
        "title": args["title"],
        "body": args.get("body", ""),
        "state": "open",
        "merged": False,
        "draft": args.get("draft", False),
        "user": world["me"],
        "labels": [],
        "assignees": [],
        "requested_reviewers": sorted(args.get("reviewers", [])),
        "head": head,
        "base": args["base"],
        "head_sha": repo["branches"][head],
        "files": [],
        "reviews": [],
        "checks": [],
        "comments": [],
        "created_at": NOW,
        "updated_at": NOW,
        "merged_at": None,
        "merge_method": None,
    }
    return {"id": str(4_000_000 + number), "url": url(repo, "pull", number)}


def merge_pull_request(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    pull = numbered(repo, "pulls", args["pullNumber"])
    if pull["state"] != "open" or pull["draft"]:
        raise GithubError(f"405 Pull Request is not mergeable: #{pull['number']}")
    pull |= {
        "state": "closed",
        "merged": True,
        "merged_at": NOW,
        "updated_at": NOW,
        "merge_method": args.get("merge_method", "merge"),
    }
    return {
        "sha": pull["head_sha"],
        "merged": True,
        "message": "Pull Request successfully merged",
    }


def update_pull_request(*fields: str) -> Callable[[Data, Args], Any]:
    """A tool that changes these fields of a pull request."""

    def change(world: Data, args: Args) -> Any:
        repo = repository(world, args)
        pull = numbered(repo, "pulls", args["pullNumber"])
        if args.get("state") == "open" and pull["merged"]:
            raise GithubError("422 Validation Failed: a merged pull request cannot be reopened")
        pull |= {field: args[field] for field in fields if field in args}
        if "reviewers" in args:
            _request(world, pull, args["reviewers"])
        pull["updated_at"] = NOW
        return {
            "id": str(4_000_000 + pull["number"]),
            "url": url(repo, "pull", pull["number"]),
        }

    return change


def request_reviewers(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    pull = numbered(repo, "pulls", args["pullNumber"])
    _request(world, pull, args["reviewers"])
    pull["updated_at"] = NOW
    return {"id": str(4_000_000 + pull["number"]), "url": url(repo, "pull", pull["number"])}


def _request(world: Data, pull: Data, logins: list[str]) -> None:
    for login in logins:
        if login == pull["user"]:
            raise GithubError("422 Review cannot be requested from pull request author.")
        if login not in world["users"]:
            raise GithubError(f"422 Reviews may only be requested from collaborators: {login}")
    pull["requested_reviewers"] = sorted({*pull["requested_reviewers"], *logins})


def review(world: Data, args: Args) -> Any:
    """Creates a review, pending where no event is given, or submits the pending one."""
    repo = repository(world, args)
    pull = numbered(repo, "pulls", args["pullNumber"])
    states = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}
    state = states.get(args.get("event", ""), "PENDING")
    if state == "APPROVED" and pull["user"] == world["me"]:
        raise GithubError("422 Can not approve your own pull request")
    pull["reviews"] = [one for one in pull["reviews"] if one["state"] != "PENDING"]
    if args.get("method") != "delete_pending":
        pull["reviews"].append(
            {
                "id": pull["number"] * 10 + len(pull["reviews"]),
                "user": world["me"],
                "state": state,
                "body": args.get("body", ""),
                "submitted_at": NOW,
            }
        )
    return "pull request review done"


def acknowledge(world: Data, args: Args) -> Any:
    if "owner" in args:
        repository(world, args)
    return {"id": "1", "status": "ok"}


TOOLS: dict[str, Callable[[Data, Args], Any]] = {
    "list_pull_requests": list_pull_requests,
    "search_pull_requests": search_pull_requests,
    "pull_request_read": pull_request_read,
    "create_pull_request": create_pull_request,
    "merge_pull_request": merge_pull_request,
    "update_pull_request": update_pull_request("title", "body", "state", "base", "draft"),
    "update_pull_request_body": update_pull_request("body"),
    "update_pull_request_branch": update_pull_request(),
    "update_pull_request_draft_state": update_pull_request("draft"),
    "update_pull_request_state": update_pull_request("state"),
    "update_pull_request_title": update_pull_request("title"),
    "request_pull_request_reviewers": request_reviewers,
    "request_copilot_review": acknowledge,
    "create_pull_request_review": review,
    "pull_request_review_write": review,
    "submit_pending_pull_request_review": review,
    "delete_pending_pull_request_review": lambda world, args: review(
        world, args | {"method": "delete_pending"}
    ),
    "add_comment_to_pending_review": acknowledge,
    "add_pull_request_review_comment": acknowledge,
    "add_pull_request_review_comment_reaction": acknowledge,
    "add_reply_to_pull_request_comment": acknowledge,
    "resolve_review_thread": acknowledge,
    "unresolve_review_thread": acknowledge,
}
