"""What the mocked tools of GitHub share: finding things, paging, and the shapes of answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.prompt.github_world import Data

Args = dict[str, Any]


class GithubError(Exception):
    """An answer that says it is an error, as the server words it."""


def repository(world: Data, args: Args) -> Data:
    full = f"{args['owner']}/{args['repo']}"
    if full not in world["repos"]:
        raise GithubError(f"GET /repos/{full}: 404 Not Found []")
    return world["repos"][full]


def numbered(repo: Data, kind: str, number: float) -> Data:
    """An issue or a pull request by its number."""
    found = repo[kind].get(str(int(number)))
    if found is None:
        raise GithubError(f"GET /repos/{repo['full_name']}/{kind}/{int(number)}: 404 Not Found []")
    return found


def page(rows: Sequence[Any], args: Args, size: str = "perPage") -> list[Any]:
    """The page that REST tools answer with: 30 rows unless asked otherwise."""
    per_page = int(args.get(size, 30))
    start = (int(args.get("page", 1)) - 1) * per_page
    return list(rows[start : start + per_page])


def after_cursor(rows: Sequence[Any], args: Args) -> tuple[list[Any], Data]:
    """The page that GraphQL tools answer with, and its `pageInfo`."""
    start = 0
    if cursor := args.get("after"):
        if not str(cursor).removeprefix("cursor:").isdigit():
            raise GithubError(f"`{cursor}` does not appear to be a valid cursor.")
        start = int(str(cursor).removeprefix("cursor:"))
    end = start + int(args.get("perPage", 30))
    return list(rows[start:end]), {
        "hasNextPage": end < len(rows),
        "hasPreviousPage": start > 0,
        "startCursor": f"cursor:{start}",
        "endCursor": f"cursor:{min(end, len(rows))}",
    }


def chosen(row: Data, args: Args) -> Data:
    """The row with only the fields that were asked for."""
    wanted = args.get("fields")
    return {name: row[name] for name in wanted if name in row} if wanted else row


def filled(row: Data) -> Data:
    """The row without what is empty, as the server trims its answers."""
    return {name: value for name, value in row.items() if value not in (None, "")}


def url(repo: Data, *parts: object) -> str:
    return "/".join(["https://github.example", repo["full_name"], *map(str, parts)])


def user(world: Data, login: str) -> Data:
    found = world["users"].get(login, {"login": login, "id": 0})
    return {
        "login": found["login"],
        "id": found["id"],
        "profile_url": f"https://github.example/{login}",
    }
