"""Finding tools: a search over all that a model may know of them, and their declarations.

The search is Okapi BM25 over the words of names, namespaces, descriptions and parameters. It
needs no model and no index on disk, and gives the same answer each time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, cast

from toolscript.contract.declare import declare_tool
from toolscript.contract.entry import Entry
from toolscript.contract.nearest import nearest
from toolscript.contract.signature import Manner
from toolscript.contract.tool import JsonSchema
from toolscript.contract.words import words_of
from toolscript.errors import ToolError

# Robertson's usual constants: how fast a repeated word saturates, how much length counts.
_SATURATION: Final = 1.2
_LENGTH: Final = 0.6

_TYPO: Final = 0.8
"""How alike two words must be for one to be a slip of the other."""

_NAME_WEIGHT: Final = 4
_GROUP_WEIGHT: Final = 2
_DESCRIPTION_CHARS: Final = 2_000
_PARAMETERS: Final = 60
_MOST_RESULTS: Final = 50
_QUERY_WORDS: Final = 40


class Catalog:
    """The tools of one contract, to search and to describe. Hidden tools are not in it."""

    def __init__(
        self, entries: Sequence[Entry], manner: Manner | None = None, search: str | None = None
    ):
        """`manner` is how declarations are written, `search` how scripts name the search."""
        self._manner = manner
        self._search_name = search
        self._entries = sorted(
            (entry for entry in entries if not entry.tool.options.hidden),
            key=lambda entry: entry.expression,
        )

    def search(self, query: str, limit: int = 8) -> list[dict[str, str]]:
        """The tools that fit a question best, the best first.

        `name` is exactly what a script writes to call it, `declaration` ready TypeScript. A tool
        that is named in the question comes first; an empty question lists from the beginning.
        """
        most = max(1, min(limit, _MOST_RESULTS))
        return [self._found(entry) for entry in self._ranked(query)[:most]]

    def describe(self, name: str) -> str:
        """The declaration of a tool, by what a script writes, its exact name or its identifier.

        A namespace's name gives the names in it; a name in several namespaces all that have it.

        Raises:
            ToolError: `unknown_tool`, with the nearest names.
        """
        wanted = name.strip()
        found = [entry for entry in self._entries if wanted in _spellings(entry)]
        if found:
            return "\n\n".join(declare_tool(entry, self._manner) for entry in found)
        members = [entry for entry in self._entries if wanted == (entry.namespace or "tools")]
        if members:
            return "\n".join(f"{entry.expression}: {summary_of(entry)}" for entry in members)
        raise ToolError(self._unknown(wanted), code="unknown_tool")

    def _found(self, entry: Entry) -> dict[str, str]:
        return {
            "name": entry.expression,
            "description": summary_of(entry, 300),
            "declaration": declare_tool(entry, self._manner),
        }

    def nearest(self, name: str, limit: int = 3) -> list[str]:
        """What a script writes to call the tools whose names resemble `name`."""
        by_spelling: dict[str, str] = {}
        for entry in self._entries:
            for spelling in (entry.identifier, entry.tool.name, entry.expression):
                by_spelling.setdefault(spelling, entry.expression)
        last = name.rpartition(".")[2]
        close = nearest(name, by_spelling, limit=limit * 3)
        close += nearest(last, by_spelling, limit=limit * 3)
        return list(dict.fromkeys(by_spelling[spelling] for spelling in close))[:limit]

    def _unknown(self, name: str) -> str:
        close = self.nearest(name)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        if not hint and self._search_name is not None:
            hint = f"; search with codemode.{self._search_name}()"
        return f"there is no tool {name[:80]!r}{hint}"

    def _ranked(self, query: str) -> list[Entry]:
        words = words_of(query)[:_QUERY_WORDS]
        named = [entry for entry in self._entries if query.strip() in _spellings(entry)]
        if not query.strip():
            return self._entries
        scores = self._index.scores(words)
        order = sorted(
            (place for place in range(len(self._entries)) if scores[place] > 0),
            key=lambda place: (-scores[place], self._entries[place].expression),
        )
        ranked = [self._entries[place] for place in order]
        return [*named, *(entry for entry in ranked if entry not in named)]

    @cached_property
    def _index(self) -> _Index:
        return _Index([_document(entry) for entry in self._entries])


class _Index:
    """Word counts of documents, ready for BM25."""

    def __init__(self, documents: Sequence[Counter[str]]):
        self._size = len(documents)
        self._places: dict[str, list[tuple[int, int]]] = {}
        lengths = [sum(document.values()) for document in documents]
        mean = sum(lengths) / max(len(lengths), 1) or 1.0
        self._norms = [_SATURATION * (1 - _LENGTH + _LENGTH * length / mean) for length in lengths]
        for place, document in enumerate(documents):
            for word, count in document.items():
                self._places.setdefault(word, []).append((place, count))

    def scores(self, words: Sequence[str]) -> list[float]:
        scores = [0.0] * self._size
        for word, count in Counter(words).items():
            for known in self._known(word):
                holders = self._places[known]
                rarity = math.log(1 + (self._size - len(holders) + 0.5) / (len(holders) + 0.5))
                weight = rarity * count * (1.0 if known == word else 0.5)
                for place, times in holders:
                    scores[place] += (
                        weight * times * (_SATURATION + 1) / (times + self._norms[place])
                    )
        return scores

    def _known(self, word: str) -> list[str]:
        """The word itself, or what the documents have of it: longer forms, then similar ones."""
        if word in self._places:
            return [word]
        if len(word) < 3:
            return []
        longer = sorted(known for known in self._places if known.startswith(word))[:5]
        shorter = sorted(
            known for known in self._places if len(known) > 3 and word.startswith(known)
        )[:5]
        return longer or shorter or nearest(word, sorted(self._places), limit=2, least=_TYPO)


def summary_of(entry: Entry, max_chars: int = 100) -> str:
    """The first sentence of a description, on one line."""
    text = " ".join(entry.tool.description.split())
    end = text.find(". ")
    if end >= 0:
        text = text[: end + 1]
    return text if len(text) <= max_chars else f"{text[: max_chars - 1].rstrip()}…"


def _spellings(entry: Entry) -> tuple[str, ...]:
    """All that a model may call a tool."""
    plain = (entry.expression, entry.tool.name, entry.identifier)
    if entry.namespace is None:
        return plain
    return (
        *plain,
        f"tools.{entry.expression}",
        f"{entry.namespace}.{entry.tool.name}",
    )


def _document(entry: Entry) -> Counter[str]:
    tool = entry.tool
    document: Counter[str] = Counter()
    for word in words_of(tool.name):
        document[word] += _NAME_WEIGHT
    for text in (entry.namespace or "", tool.source or ""):
        for word in words_of(text):
            document[word] += _GROUP_WEIGHT
    document.update(words_of(tool.description[:_DESCRIPTION_CHARS]))
    for parameter in _parameters(tool.input_schema):
        document.update(words_of(parameter))
    return document


def _parameters(schema: JsonSchema) -> list[str]:
    if not isinstance(schema, Mapping):
        return []
    properties: Any = schema.get("properties")
    if not isinstance(properties, Mapping):
        return []
    return [str(name) for name in list(cast("Mapping[Any, Any]", properties))[:_PARAMETERS]]
