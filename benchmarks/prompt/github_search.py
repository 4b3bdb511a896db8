"""The search language of GitHub, as far as the mocked tools understand it."""

from __future__ import annotations

import shlex

from benchmarks.prompt.github_base import Args, GithubError
from benchmarks.prompt.github_world import Data

_LOOSE = {"type", "sort", "in", "archived"}
"""Qualifiers that change nothing in this small world."""


def split_query(args: Args) -> tuple[list[str], list[tuple[str, str]]]:
    """The plain words of a query and its `name:value` qualifiers."""
    words: list[str] = []
    qualifiers: list[tuple[str, str]] = []
    try:
        parts = shlex.split(args["query"])
    except ValueError:
        parts = args["query"].split()
    for part in parts:
        name, colon, value = part.partition(":")
        if (colon and name.isidentifier()) or name.startswith("-"):
            qualifiers.append((name, value))
        else:
            words.append(part.lower())
    if "owner" in args and "repo" in args:
        qualifiers.append(("repo", f"{args['owner']}/{args['repo']}"))
    return words, qualifiers


def matches(repo: Data, item: Data, words: list[str], qualifiers: list[tuple[str, str]]) -> bool:
    """Whether an issue or a pull request is found by a query."""
    text = f"{item['title']} {item['body']}".lower()
    return all(word in text for word in words) and all(
        _fits(repo, item, name.lstrip("-"), value) != name.startswith("-")
        for name, value in qualifiers
    )


def _fits(repo: Data, item: Data, name: str, value: str) -> bool:
    match name:
        case "repo":
            return repo["full_name"] == value
        case "org" | "user" | "owner":
            return repo["full_name"].startswith(f"{value}/")
        case "is" | "state":
            return _is(item, value)
        case "label":
            return bool(set(value.split(",")) & set(item["labels"]))
        case "author":
            return item["user"] == value
        case "assignee":
            return value in item["assignees"]
        case "draft":
            return str(item.get("draft", False)).lower() == value
        case "base" | "head":
            return item.get(name) == value
        case "no":
            return not item[{"assignee": "assignees", "label": "labels"}.get(value, value)]
        case "review-requested":
            return value in item.get("requested_reviewers", ())
        case "milestone":
            number = item.get("milestone")
            return number is not None and repo["milestones"][str(number)] == value
        case "created" | "updated" | "closed" | "merged":
            return _in_time(item.get(f"{name}_at"), value)
        case _ if name in _LOOSE:
            return True
        case _:
            raise GithubError(f"422 Validation Failed: this search knows no qualifier '{name}'")


def _is(item: Data, value: str) -> bool:
    match value:
        case "open" | "closed":
            return item["state"] == value
        case "merged":
            return item.get("merged", False)
        case "unmerged":
            return not item.get("merged", False)
        case "draft":
            return item.get("draft", False)
        case "pr":
            return "merged" in item
        case "issue":
            return "merged" not in item
        case _:
            return True


def _in_time(when: str | None, value: str) -> bool:
    if when is None:
        return False
    if ".." in value:
        first, last = value.split("..")
        return (first == "*" or when >= first) and (last == "*" or when[: len(last)] <= last)
    for sign in (">=", "<=", ">", "<"):
        if value.startswith(sign):
            then = value.removeprefix(sign)
            day = when[: len(then)]
            return {">=": day >= then, "<=": day <= then, ">": day > then, "<": day < then}[sign]
    return when.startswith(value)
