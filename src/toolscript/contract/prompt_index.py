"""The tools of a contract in few words, for when their declarations do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from toolscript.contract.catalog import summary_of
from toolscript.contract.comments import clean_line
from toolscript.contract.entry import Entry

_SUMMARY_CHARS = 80


def render_index(entries: Sequence[Entry], max_chars: int | None) -> str:
    """Every tool by name, with a summary where there is room; and whether that is all of them.

    Names stand by namespace, as a script writes them behind it. Of names that do not fit, each
    namespace keeps its share, and the text says how many are missing. Without `max_chars` all
    names are there.
    """
    groups = _groups(entries)
    summaries = _head(len(entries), len(entries)) + "".join(
        _described(name, members) for name, members in groups.items()
    )
    if max_chars is not None and len(summaries) <= max_chars:
        return summaries.rstrip("\n")
    names = _head(len(entries), len(entries)) + "".join(
        _named(name, members, len(members)) for name, members in groups.items()
    )
    if max_chars is None or len(names) <= max_chars:
        return names.rstrip("\n")
    return _partial(groups, len(entries), max_chars).rstrip("\n")


def _groups(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.namespace or "", entry.identifier)):
        groups.setdefault(entry.namespace or "tools", []).append(entry)
    return groups


def _head(shown: int, total: int) -> str:
    if shown == total:
        return f"All {total} tools (the list is complete), by the object that holds them:\n"
    return (
        f"{shown} of {total} tools (the list is partial), by the object that holds them; the others are found only by "
        f"`codemode.search`:\n"
    )


def _described(name: str, members: Sequence[Entry]) -> str:
    lines = [f"- `{name}`{_source(members)}\n"]
    for entry in members:
        summary = clean_line(summary_of(entry, _SUMMARY_CHARS), _SUMMARY_CHARS)
        lines.append(f"  - {entry.identifier}{f': {summary}' if summary else ''}\n")
    return "".join(lines)


def _named(name: str, members: Sequence[Entry], shown: int) -> str:
    names = ", ".join(entry.identifier for entry in members[:shown])
    rest = len(members) - shown
    if rest and names:
        names += f", … {rest} more"
    elif rest:
        names = f"{rest} tools"
    return f"- `{name}`{_source(members)}: {names}\n"


def _partial(groups: dict[str, list[Entry]], total: int, max_chars: int) -> str:
    """As many names of each namespace as fit, the same number for all."""
    longest = max((len(members) for members in groups.values()), default=0)
    for most in range(longest, -1, -1):
        shown = sum(min(most, len(members)) for members in groups.values())
        text = _head(shown, total) + "".join(
            _named(name, members, min(most, len(members))) for name, members in groups.items()
        )
        if len(text) <= max_chars or most == 0:
            return text
    return _head(0, total)


def _source(members: Sequence[Entry]) -> str:
    """The one server that all tools of a namespace are from, where its name says more."""
    sources = {entry.tool.source for entry in members}
    source = next(iter(sources))
    if len(sources) != 1 or source is None or source == members[0].namespace:
        return ""
    return f" (server {clean_line(source, 60)})"
