"""The tools of a contract in few words, for when their declarations do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from toolscript.contract.catalog import summary_of
from toolscript.contract.comments import clean_line
from toolscript.contract.entry import Entry

_SUMMARY_CHARS = 80


def render_index(entries: Sequence[Entry], max_chars: int, *, search: str) -> str:
    """Every tool by name, with a summary where there is room; and whether that is all of them.

    Names stand by namespace, as a script writes them behind it. Of names that do not fit, each
    namespace keeps its share, and the text says how many are missing. `search` is what a script
    calls to find those.
    """
    groups = _groups(entries)
    complete = f"All {len(entries)} tools (the list is complete), by the object that holds them:\n"
    summaries = complete + "".join(_described(name, members) for name, members in groups.items())
    if len(summaries) <= max_chars:
        return summaries.rstrip("\n")
    names = complete + "".join(
        _named(name, members, len(members)) for name, members in groups.items()
    )
    if len(names) <= max_chars:
        return names.rstrip("\n")
    return _partial(groups, len(entries), max_chars, search).rstrip("\n")


def _groups(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.namespace or "", entry.identifier)):
        groups.setdefault(entry.namespace or "tools", []).append(entry)
    return groups


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


def _partial(groups: dict[str, list[Entry]], total: int, max_chars: int, search: str) -> str:
    """As many names of each namespace as fit, the same number for all; none where none fits."""
    text = ""
    longest = max(len(members) for members in groups.values())
    for most in range(longest - 1, -1, -1):
        shown = sum(min(most, len(members)) for members in groups.values())
        text = (
            f"{shown} of {total} tools (the list is partial), by the object that holds them; the "
            f"others are found only by `{search}`:\n"
        ) + "".join(
            _named(name, members, min(most, len(members))) for name, members in groups.items()
        )
        if len(text) <= max_chars:
            break
    return text


def _source(members: Sequence[Entry]) -> str:
    """The one server that all tools of a namespace are from, where its name says more."""
    sources = {entry.tool.source for entry in members}
    source = next(iter(sources))
    if len(sources) != 1 or source is None or source == members[0].namespace:
        return ""
    return f" (server {clean_line(source, 60)})"
