"""The names that somebody who wrote a wrong one most likely meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

_SIMILAR = 0.6
_LONGEST = 80
"""Longer names are compared by their beginning: they may come from a stranger."""


def plain(name: str) -> str:
    """The letters and digits of a name: `sourceRoot`, `source-root` and `source_root` agree."""
    return "".join(char for char in name[:_LONGEST].casefold() if char.isalnum())


def nearest(
    name: str, candidates: Iterable[str], *, limit: int = 3, least: float = _SIMILAR
) -> list[str]:
    """Candidates that resemble `name`, the likeliest first; empty where none does.

    `least` is the likeness that counts, from 0 to 1. Names that differ only in case and separators come first. The order is the same each time.
    """
    wanted = plain(name)
    if not wanted:
        return []
    matcher = SequenceMatcher(None, "", wanted, autojunk=False)
    scored: list[tuple[float, str]] = []
    for candidate in candidates:
        known = plain(candidate)
        if known == wanted:
            scored.append((2.0, candidate))
            continue
        matcher.set_seq1(known)
        if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
            score = 0.0
        else:
            score = matcher.ratio()
        shorter = min(len(known), len(wanted))
        if shorter >= 3 and (known in wanted or wanted in known):
            score = max(score, _SIMILAR + 0.3 * shorter / max(len(known), len(wanted)))
        if score >= least:
            scored.append((score, candidate))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    return [candidate for _, candidate in scored[:limit]]
