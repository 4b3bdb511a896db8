"""Words of names and of prose, for searching."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")
_STOP: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "do",
        "for",
        "from",
        "get",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "return",
        "returns",
        "set",
        "so",
        "some",
        "that",
        "the",
        "their",
        "them",
        "there",
        "this",
        "to",
        "use",
        "used",
        "using",
        "we",
        "what",
        "when",
        "where",
        "which",
        "will",
        "with",
        "you",
        "your",
    ]
)
"""Words that stand in nearly every description."""


def words_of(text: str, *, all_words: bool = False) -> list[str]:
    """The words of a name or a sentence in one form: lower case, singular.

    Words that say nothing in a search (`get`, `the`) are left out, unless `all_words`.

    `listPullRequests`, `list_pull_requests` and `list pull-requests` give the same words. Text
    without spaces between its words (Chinese, Japanese) gives its pairs of characters.
    """
    found: list[str] = []
    for part in _PARTS.findall(_without_marks(text)):
        word = part.casefold()
        if not word.isascii() and _is_unspaced(word):
            found.extend(word[place : place + 2] for place in range(max(len(word) - 1, 1)))
        elif all_words or word not in _STOP:
            found.append(_singular(word))
    return found


def _without_marks(text: str) -> str:
    """The text without accents: `é` is `e`, and `ß` is `ss`."""
    apart = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return unicodedata.normalize(
        "NFC", "".join(char for char in apart if not unicodedata.combining(char))
    )


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _is_unspaced(word: str) -> bool:
    name = unicodedata.name(word[0], "")
    return name.startswith(("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"))
