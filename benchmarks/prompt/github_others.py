"""The mocked tools around the code: people, alerts, gists, notifications, discussions, projects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.prompt.github_base import (
    Args,
    GithubError,
    after_cursor,
    page,
    repository,
    url,
    user,
)
from benchmarks.prompt.github_world import OWNER, Data


def get_me(world: Data, args: Args) -> Any:
    return user(world, world["me"]) | {"details": {"name": world["users"][world["me"]]["name"]}}


def get_teams(world: Data, args: Args) -> Any:
    login = args.get("user", world["me"])
    teams = [
        {"name": name.title(), "slug": name, "description": ""}
        for name, members in world["teams"].items()
        if login in members
    ]
    return [{"org": OWNER, "teams": teams}] if teams else []


def get_team_members(world: Data, args: Args) -> Any:
    if args["org"] != OWNER or args["team_slug"] not in world["teams"]:
        raise GithubError(f"Could not resolve to a team {args['org']}/{args['team_slug']}")
    return list(world["teams"][args["team_slug"]])


def search_users(world: Data, args: Args) -> Any:
    words = [word.lower() for word in args["query"].split() if ":" not in word]
    rows = [
        user(world, login)
        for login, about in world["users"].items()
        if all(word in f"{login} {about['name']}".lower() for word in words)
    ]
    return {"total_count": len(rows), "incomplete_results": False, "items": page(rows, args)}


def search_orgs(world: Data, args: Args) -> Any:
    found = [{"login": OWNER, "id": 1}] if OWNER in args["query"].lower() else []
    return {"total_count": len(found), "incomplete_results": False, "items": found}


def list_collaborators(world: Data, args: Args) -> Any:
    repository(world, args)
    rows = [user(world, login) | {"role_name": "write"} for login in world["users"]]
    return page(rows, args)


def _alert(repo: Data, alert: Data) -> Data:
    return {
        "number": alert["number"],
        "state": alert["state"],
        "dependency": {
            "package": {"ecosystem": "npm", "name": alert["package"]},
            "manifest_path": "package.json",
        },
        "security_advisory": {
            "ghsa_id": f"GHSA-0000-0000-{alert['number']:04d}",
            "summary": f"A weakness in {alert['package']}",
            "severity": alert["severity"],
        },
        "security_vulnerability": {
            "severity": alert["severity"],
            "first_patched_version": {"identifier": alert["patched"]},
        },
        "html_url": url(repo, "security", "dependabot", alert["number"]),
    }


def list_dependabot_alerts(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    rows = [
        _alert(repo, alert)
        for alert in repo["alerts"]
        if alert["state"] == args.get("state", "open")
        and alert["severity"] == args.get("severity", alert["severity"])
    ]
    shown, info = after_cursor(rows, args)
    return {"alerts": shown, "pageInfo": info}


def get_dependabot_alert(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    for alert in repo["alerts"]:
        if alert["number"] == args["alertNumber"]:
            return _alert(repo, alert)
    raise GithubError(f"GET dependabot/alerts/{args['alertNumber']}: 404 Not Found []")


def no_alerts(world: Data, args: Args) -> Any:
    if "repo" in args:
        repository(world, args)
    return []


def no_such(kind: str) -> Callable[[Data, Args], Any]:
    """A tool that finds none of what it looks for."""

    def fail(world: Data, args: Args) -> Any:
        raise GithubError(f"GET {kind}: 404 Not Found []")

    return fail


def create_gist(world: Data, args: Args) -> Any:
    id = f"gist{len(world['gists']) + 1}"
    world["gists"][id] = {
        "description": args.get("description", ""),
        "public": args.get("public", False),
        "files": {args["filename"]: args["content"]},
    }
    return {"id": id, "url": f"https://gist.github.example/{id}"}


def get_gist(world: Data, args: Args) -> Any:
    if args["gist_id"] not in world["gists"]:
        raise GithubError(f"GET /gists/{args['gist_id']}: 404 Not Found []")
    gist = world["gists"][args["gist_id"]]
    files = {name: {"filename": name, "content": text} for name, text in gist["files"].items()}
    return gist | {"id": args["gist_id"], "files": files}


def update_gist(world: Data, args: Args) -> Any:
    get_gist(world, args)
    gist = world["gists"][args["gist_id"]]
    gist["files"][args["filename"]] = args["content"]
    gist["description"] = args.get("description", gist["description"])
    return {"id": args["gist_id"], "url": f"https://gist.github.example/{args['gist_id']}"}


def _notification(one: Data) -> Data:
    return {
        "id": one["id"],
        "reason": one["reason"],
        "unread": one["unread"],
        "subject": {"title": one["title"], "type": "Issue"},
        "repository": {"full_name": one["repo"], "name": one["repo"].split("/")[1]},
    }


def list_notifications(world: Data, args: Args) -> Any:
    everything = args.get("filter") == "include_read_notifications"
    only = f"{args['owner']}/{args['repo']}" if "repo" in args else None
    rows = [
        _notification(one)
        for one in world["notifications"].values()
        if (everything or one["unread"]) and only in (None, one["repo"])
    ]
    return page(rows, args)


def get_notification(world: Data, args: Args) -> Any:
    return _notification(_thread(world, args["notificationID"]))


def _thread(world: Data, id: str) -> Data:
    if id not in world["notifications"]:
        raise GithubError(f"GET /notifications/threads/{id}: 404 Not Found []")
    return world["notifications"][id]


def dismiss_notification(world: Data, args: Args) -> Any:
    thread = _thread(world, args["threadID"])
    if args["state"] == "done":
        del world["notifications"][thread["id"]]
    else:
        thread["unread"] = False
    return f"Notification marked as {args['state']}"


def mark_all_read(world: Data, args: Args) -> Any:
    for one in world["notifications"].values():
        if "repo" not in args or one["repo"] == f"{args['owner']}/{args['repo']}":
            one["unread"] = False
    return "All notifications marked as read"


def acknowledge(world: Data, args: Args) -> Any:
    return {"id": "1", "status": "ok"}


def ui_get(world: Data, args: Args) -> Any:
    if "repo" not in args:
        return {args["method"]: [], "totalCount": 0}
    repo = repository(world, args)
    rows: dict[str, Any] = {
        "labels": list(repo["labels"].values()),
        "assignees": [user(world, login) for login in world["users"]],
        "reviewers": [user(world, login) for login in world["users"]],
        "milestones": [
            {"number": int(number), "title": title} for number, title in repo["milestones"].items()
        ],
        "branches": [{"name": name} for name in repo["branches"]],
    }
    shown = rows.get(args["method"], [])
    return {args["method"]: shown, "totalCount": len(shown)}


def paged(name: str) -> Callable[[Data, Args], Any]:
    """A tool that lists things of which this world has none."""
    info = {"hasNextPage": False, "hasPreviousPage": False, "startCursor": "", "endCursor": ""}
    return lambda world, args: {name: [], "pageInfo": info, "totalCount": 0}


TOOLS: dict[str, Callable[[Data, Args], Any]] = {
    "get_me": get_me,
    "get_teams": get_teams,
    "get_team_members": get_team_members,
    "search_users": search_users,
    "search_orgs": search_orgs,
    "list_repository_collaborators": list_collaborators,
    "list_dependabot_alerts": list_dependabot_alerts,
    "get_dependabot_alert": get_dependabot_alert,
    "list_code_scanning_alerts": no_alerts,
    "list_secret_scanning_alerts": no_alerts,
    "list_global_security_advisories": no_alerts,
    "list_org_repository_security_advisories": no_alerts,
    "list_repository_security_advisories": no_alerts,
    "get_code_quality_finding": no_such("code-quality/findings"),
    "get_code_scanning_alert": no_such("code-scanning/alerts"),
    "get_secret_scanning_alert": no_such("secret-scanning/alerts"),
    "get_global_security_advisory": no_such("advisories"),
    "create_gist": create_gist,
    "get_gist": get_gist,
    "update_gist": update_gist,
    "list_gists": lambda world, args: [
        {"id": id, "description": gist["description"], "public": gist["public"]}
        for id, gist in world["gists"].items()
    ],
    "list_notifications": list_notifications,
    "get_notification_details": get_notification,
    "dismiss_notification": dismiss_notification,
    "mark_all_notifications_read": mark_all_read,
    "manage_notification_subscription": acknowledge,
    "manage_repository_notification_subscription": acknowledge,
    "list_discussions": paged("discussions"),
    "list_discussion_categories": paged("categories"),
    "get_discussion": no_such("discussions"),
    "get_discussion_comments": no_such("discussions"),
    "discussion_comment_write": no_such("discussions"),
    "list_issue_fields": lambda world, args: [],
    "list_issue_types": lambda world, args: [
        {"id": at, "name": name} for at, name in enumerate(("Bug", "Feature", "Task"), start=1)
    ],
    "projects_list": paged("projects"),
    "projects_get": no_such("projects"),
    "projects_write": no_such("projects"),
    "ui_get": ui_get,
}
