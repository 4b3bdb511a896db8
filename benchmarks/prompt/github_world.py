"""A small GitHub that is the same in every process: one organisation, four repositories."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

NOW = "2025-06-30T12:00:00Z"
ME = "dana-w"
OWNER = "acme"
USERS = {
    "ana-m": "Ana Mora",
    "ben-k": "Ben Kato",
    "chidi-o": "Chidi Okafor",
    "dana-w": "Dana Weiss",
    "eli-r": "Eli Roth",
    "fay-l": "Fay Lindt",
}
LABELS = {
    "bug": ("d73a4a", "Something is broken"),
    "enhancement": ("a2eeef", "Something new"),
    "docs": ("0075ca", "Words to write or mend"),
    "security": ("b60205", "Somebody could be harmed"),
    "needs-triage": ("ededed", "Nobody has looked yet"),
    "good first issue": ("7057ff", "For newcomers"),
}
REPOSITORIES = {
    "shopfront": ("TypeScript", "The web shop", 130, 24),
    "billing-api": ("Python", "Invoices and payments", 48, 16),
    "mobile-app": ("Kotlin", "The shop on a phone", 36, 12),
    "docs-site": ("MDX", "Handbook and guides", 18, 6),
}
MILESTONES = {1: "v2.0", 2: "v2.1", 3: "Someday"}

_SUBJECTS = (
    "Checkout",
    "Login",
    "Search",
    "Cart",
    "Invoice",
    "Refund",
    "Address form",
    "Gift card",
)
_TROUBLES = (
    "times out under load",
    "shows the wrong currency",
    "loses focus on Safari",
    "needs a dark theme",
    "logs a token in plain text",
    "is missing from the handbook",
    "rounds cents the wrong way",
    "ignores the keyboard",
)
_FILES = ("src/cart.ts", "src/checkout.ts", "src/api/client.ts", "README.md", "package.json")

Data = dict[str, Any]


def build_world() -> Data:
    """Everything that the mocked tools read and change, as plain JSON values."""
    chance = random.Random(20_250_630)
    return {
        "me": ME,
        "users": {
            login: {"login": login, "id": 1_000 + at, "name": name, "followers": 10 * at + 3}
            for at, (login, name) in enumerate(USERS.items())
        },
        "repos": {
            f"{OWNER}/{name}": _repository(chance, name, *about)
            for name, about in REPOSITORIES.items()
        },
        "teams": {"payments": ["ana-m", "ben-k", "dana-w"], "web": ["chidi-o", "eli-r", "fay-l"]},
        "starred": [f"{OWNER}/shopfront"],
        "gists": {},
        "notifications": _notifications(),
    }


def _repository(
    chance: random.Random, name: str, language: str, description: str, issues: int, pulls: int
) -> Data:
    commits = [_commit(chance, name, at) for at in range(60)]
    branches = {"main": commits[0]["sha"], "release": commits[20]["sha"]}
    return {
        "name": name,
        "full_name": f"{OWNER}/{name}",
        "description": description,
        "language": language,
        "stargazers_count": chance.randint(20, 900),
        "default_branch": "main",
        "archived": False,
        "labels": {
            label: {"name": label, "color": color, "description": text}
            for label, (color, text) in LABELS.items()
        },
        "milestones": {str(number): title for number, title in MILESTONES.items()},
        "branches": branches,
        "commits": commits,
        "issues": {str(number): _issue(chance, number) for number in range(1, issues + 1)},
        "pulls": {
            str(number): _pull(chance, number, commits)
            for number in range(issues + 1, issues + pulls + 1)
        },
        "releases": [_release(name, at, commits) for at in range(8)],
        "runs": [_run(chance, at, commits) for at in range(50)],
        "alerts": [_alert(chance, number) for number in range(1, 13)],
        "files": {path: f"{path} of {name}\n" for path in _FILES},
    }


def _when(chance: random.Random, days_ago: int) -> str:
    then = datetime(2025, 6, 30, 12, tzinfo=UTC) - timedelta(
        days=days_ago, minutes=chance.randint(1, 1_400)
    )
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


def _sha(chance: random.Random) -> str:
    return f"{chance.getrandbits(160):040x}"


def _commit(chance: random.Random, name: str, days_ago: int) -> Data:
    login = chance.choice(list(USERS))
    kind = chance.choice(("fix", "feat", "chore", "docs"))
    files = [
        {
            "filename": path,
            "status": "modified",
            "additions": chance.randint(0, 80),
            "deletions": chance.randint(0, 40),
        }
        for path in chance.sample(_FILES, chance.randint(1, 3))
    ]
    return {
        "sha": _sha(chance),
        "message": f"{kind}: {chance.choice(_SUBJECTS).lower()} of {name}",
        "login": login,
        "date": _when(chance, days_ago),
        "files": files,
    }


def _issue(chance: random.Random, number: int) -> Data:
    closed = chance.random() < 0.45
    created = chance.randint(30, 200)
    login = chance.choice(list(USERS))
    kinds = chance.sample(list(LABELS), chance.randint(0, 3))
    return {
        "number": number,
        "title": f"{chance.choice(_SUBJECTS)} {chance.choice(_TROUBLES)}",
        "body": f"Seen in build {chance.randint(100, 999)}.",
        "state": "closed" if closed else "open",
        "state_reason": chance.choice(("completed", "not_planned")) if closed else None,
        "user": login,
        "labels": sorted(kinds),
        "assignees": sorted(chance.sample(list(USERS), chance.choice((0, 0, 1, 1, 2)))),
        "milestone": chance.choice((None, None, 1, 2, 3)),
        "comments": [
            _comment(chance, number * 100 + at) for at in range(chance.choice((0, 1, 2, 5)))
        ],
        "created_at": _when(chance, created),
        "updated_at": _when(chance, chance.randint(0, 29)),
        "closed_at": _when(chance, chance.randint(0, 29)) if closed else None,
    }


def _comment(chance: random.Random, id: int) -> Data:
    return {
        "id": id,
        "user": chance.choice(list(USERS)),
        "body": chance.choice(("Same here.", "On it.", "Cannot reproduce.", "+1")),
        "created_at": _when(chance, chance.randint(1, 29)),
    }


def _pull(chance: random.Random, number: int, commits: list[Data]) -> Data:
    state = chance.choice(("open", "open", "merged", "closed"))
    author = chance.choice(list(USERS))
    others = [login for login in USERS if login != author]
    return {
        "number": number,
        "title": f"{chance.choice(('Fix', 'Add', 'Rework'))} {chance.choice(_SUBJECTS).lower()}",
        "body": f"Closes #{chance.randint(1, 18)}",
        "state": "closed" if state == "merged" else state,
        "merged": state == "merged",
        "draft": state == "open" and chance.random() < 0.25,
        "user": author,
        "labels": sorted(chance.sample(list(LABELS), chance.randint(0, 2))),
        "assignees": [],
        "requested_reviewers": sorted(chance.sample(others, chance.choice((0, 1, 2)))),
        "head": f"work-{number}",
        "base": chance.choice(("main", "main", "main", "release")),
        "head_sha": chance.choice(commits)["sha"],
        "files": [
            {
                "filename": path,
                "status": "modified",
                "additions": chance.randint(1, 120),
                "deletions": chance.randint(0, 60),
            }
            for path in chance.sample(_FILES, chance.randint(1, 4))
        ],
        "reviews": [
            {
                "id": number * 10 + at,
                "user": login,
                "state": chance.choice(("APPROVED", "APPROVED", "CHANGES_REQUESTED", "COMMENTED")),
                "body": "",
                "submitted_at": _when(chance, 10 - at),
            }
            for at, login in enumerate(chance.sample(others, chance.choice((0, 1, 2, 3))))
        ],
        "checks": [
            {
                "name": name,
                "conclusion": chance.choice(("success", "success", "success", "failure")),
            }
            for name in ("test", "lint", "build")
        ],
        "comments": [_comment(chance, number * 100 + at) for at in range(chance.randint(0, 3))],
        "created_at": _when(chance, chance.randint(12, 90)),
        "updated_at": _when(chance, chance.randint(0, 11)),
        "merged_at": _when(chance, chance.randint(0, 11)) if state == "merged" else None,
        "merge_method": None,
    }


def _release(name: str, at: int, commits: list[Data]) -> Data:
    """The newest first; every third one is a prerelease."""
    tag = f"v{len(name) % 3 + 1}.{9 - at}.0"
    return {
        "id": 500 + at,
        "tag_name": f"{tag}-rc1" if at % 3 == 0 else tag,
        "name": f"{name} {tag}",
        "body": f"Changes of {tag}",
        "prerelease": at % 3 == 0,
        "draft": False,
        "published_at": f"2025-{6 - at // 2:02d}-{20 - at:02d}T09:00:00Z",
        "author": "ana-m",
        "sha": commits[at * 5]["sha"],
    }


def _run(chance: random.Random, at: int, commits: list[Data]) -> Data:
    done = chance.random() < 0.9
    return {
        "id": 9_000 + at,
        "workflow": chance.choice(("ci.yml", "ci.yml", "deploy.yml", "nightly.yml")),
        "status": "completed" if done else "in_progress",
        "conclusion": chance.choice(("success", "success", "failure", "cancelled"))
        if done
        else None,
        "branch": chance.choice(("main", "main", "release", "work-7")),
        "event": chance.choice(("push", "pull_request", "schedule")),
        "actor": chance.choice(list(USERS)),
        "head_sha": chance.choice(commits)["sha"],
        "attempt": 1,
        "created_at": _when(chance, at // 2),
        "jobs": [
            {"id": (9_000 + at) * 10 + one, "name": name, "seconds": chance.randint(20, 900)}
            for one, name in enumerate(("build", "test", "lint"))
        ],
    }


def _alert(chance: random.Random, number: int) -> Data:
    return {
        "number": number,
        "state": chance.choice(("open", "open", "fixed", "dismissed")),
        "package": chance.choice(("lodash", "requests", "jinja2", "axios", "okio")),
        "severity": chance.choice(("low", "medium", "high", "critical")),
        "patched": f"{chance.randint(1, 5)}.{chance.randint(0, 9)}.{chance.randint(0, 9)}",
    }


def _notifications() -> dict[str, Data]:
    return {
        str(700 + at): {
            "id": str(700 + at),
            "reason": reason,
            "unread": at % 2 == 0,
            "repo": f"{OWNER}/{repo}",
            "title": title,
        }
        for at, (reason, repo, title) in enumerate(
            (
                ("mention", "shopfront", "Cart ignores the keyboard"),
                ("review_requested", "billing-api", "Fix refund"),
                ("review_requested", "shopfront", "Rework search"),
                ("assign", "mobile-app", "Login times out under load"),
                ("mention", "docs-site", "Gift card is missing from the handbook"),
                ("subscribed", "shopfront", "Add gift card"),
            )
        )
    }
