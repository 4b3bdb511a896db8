"""A compact list of tools, for catalogues too big to be declared in full."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolscript.contract.comments import clean_line
from toolscript.contract.entry import Entry

CHARS_PER_TOKEN: Final = 4
"""How many characters of a prompt make a token, roughly."""

# Characters of description behind each name, tried from the most to none at all.
_DESCRIPTIONS: Final = (160, 120, 90, 70, 50, 35)

_SENTENCE_END: Final = re.compile(r"(?<=[.!?。])\s")


def render_index(entries: Sequence[Entry], max_tokens: int | None = None) -> str:
    """One line a tool, grouped by namespace, with the first sentence of its description.

    Every line starts with the expression that calls the tool. The first line says whether the
    list is complete. As the budget (in tokens of four characters) shrinks, descriptions become
    shorter, then go, then names are left out, as many from each namespace.
    """
    groups = _grouped(entries)
    if max_tokens is None:
        return _described(groups, _DESCRIPTIONS[0])
    budget = max_tokens * CHARS_PER_TOKEN
    for chars in _DESCRIPTIONS:
        text = _described(groups, chars)
        if len(text) <= budget:
            return text
    most = max((len(group) for group in groups.values()), default=0)
    full = _named(groups, most)
    if len(full) <= budget:
        return full
    fits, too_many = 0, most
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if len(_named(groups, middle)) <= budget:
            fits = middle
        else:
            too_many = middle
    return _named(groups, fits)


def first_sentence(description: str, max_chars: int) -> str:
    """The first sentence of a description, on one line and cut to a length."""
    line = clean_line(description, max_chars * 4)
    return clean_line(_SENTENCE_END.split(line, maxsplit=1)[0], max_chars)


def _grouped(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.namespace or "", entry.identifier)):
        if not entry.tool.options.hidden:
            groups.setdefault(entry.namespace or "tools", []).append(entry)
    return groups


def _described(groups: dict[str, list[Entry]], chars: int) -> str:
    total = sum(map(len, groups.values()))
    blocks = [f"All {total} tools, each with what it is for:"]
    for name, group in groups.items():
        lines = [f"{name} ({len(group)}):"]
        for entry in group:
            sentence = first_sentence(entry.tool.description, chars)
            lines.append(f"- {entry.expression}{f': {sentence}' if sentence else ''}")
        blocks.append("\n".join(lines))
    return "\n".join(blocks)


def _named(groups: dict[str, list[Entry]], most: int) -> str:
    """Names only, at most so many of each namespace."""
    total = sum(map(len, groups.values()))
    shown = sum(min(len(group), most) for group in groups.values())
    complete = shown == total
    head = (
        f"All {total} tools:"
        if complete
        else f"{shown} of {total} tools; this list is NOT complete, search for the others:"
    )
    lines = [head]
    for name, group in groups.items():
        names = ", ".join(entry.expression for entry in group[:most])
        more = "" if len(group) <= most else f"{', ' if names else ''}{len(group) - most} more"
        lines.append(f"{name} ({len(group)}): {names}{more}")
    return "\n".join(lines)
