"""docs/profiles.md shows every profile as it is. Rewrite it with `python -m tests.docs.test_profiles_page`."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from toolscript.host.limits import Limits
from toolscript.profiles import PROFILES, Knobs, Profile

PAGE = Path(__file__).resolve().parents[2] / "docs" / "profiles.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


def shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, frozenset):
        return ", ".join(sorted(str(item) for item in value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {number:,g}" for key, number in sorted(value.items())) or "–"
    if isinstance(value, int | float):
        return f"{value:,}"
    return str(value)


def table() -> str:
    profiles = list(PROFILES.values())
    knobs = [name for name in Knobs.__annotations__ if name != "redact"]
    rules = [
        item.name
        for item in fields(Profile)
        if item.name not in {"name", "limits", "redact", *knobs}
    ]
    rows = [["", *(profile.name for profile in profiles)]]
    rows += [[f"`{name}`", *(shown(getattr(p, name)) for p in profiles)] for name in knobs]
    rows += [[f"*{name}*", *(shown(getattr(p, name)) for p in profiles)] for name in rules]
    rows += [
        [f"`Limits.{item.name}`", *(shown(getattr(p.limits, item.name)) for p in profiles)]
        for item in fields(Limits)
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, f"|{'---|' * len(rows[0])}")
    return "\n".join(lines) + "\n"


def test_the_page_shows_the_profiles_as_they_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.split(BEGIN)[1].split(END)[0] == table()


if __name__ == "__main__":
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(before + BEGIN + table() + END + rest.split(END)[1], encoding="utf-8")
