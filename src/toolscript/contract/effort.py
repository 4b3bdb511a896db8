"""How much work it is to list what is wrong with a value.

Whether a value fits is found in time that grows with its size. Saying where it does not means
looking into every alternative, and into the alternatives of their parts: a recursive choice
between three forms triples the work with each level of the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from toolscript.contract.schema import Document

_SAME_ONE: Final = ("not", "if", "then", "else")
_SAME_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SAME_NAMED: Final = ("dependentSchemas", "dependencies")
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_ANY_MEMBER: Final = ("additionalProperties", "unevaluatedProperties")
_ANY_ITEM: Final = ("items", "additionalItems", "contains", "unevaluatedItems")

_DEEP: Final = 16
"""Each error holds a copy of what it is about: so many levels further down, one more costs more."""

Counts = dict[int, tuple[Any, int]]
"""Schemas by identity, and how often each is applied to one part of a value."""


def listing_effort(document: Document, value: Any, most: int) -> int:
    """How many times some part of the schema is applied to some part of the value.

    Counts little beyond `most`, and takes no longer than that.
    """
    total = 0
    work: list[tuple[Any, Counts, int]] = [(value, {0: (document.root, 1)}, 0)]
    while work and total <= most:
        part, applied, level = work.pop()
        weight = 1 + level // _DEEP
        inner: dict[str | int, Counts] = {}
        pending = list(applied.values())
        while pending and total <= most:
            node, times = pending.pop()
            total += times * weight
            if not isinstance(node, Mapping):
                continue
            words = cast("Mapping[str, Any]", node)
            pending += [(one, times) for one in _of_the_same_part(words, document)]
            for place, one in _of_its_members(words, part):
                counts = inner.setdefault(place, {})
                counts[id(one)] = (one, counts.get(id(one), (one, 0))[1] + times)
        work += [(part[place], counts, level + 1) for place, counts in inner.items()]
    return total


def _of_the_same_part(words: Mapping[str, Any], document: Document) -> Iterator[Any]:
    """The schemas that a schema applies to the value that it is applied to itself."""
    for word in _SAME_LISTS:
        listed = words.get(word)
        if isinstance(listed, list):
            yield from cast("list[Any]", listed)
    yield from (words[word] for word in _SAME_ONE if word in words)
    for word in _SAME_NAMED:
        named = words.get(word)
        if isinstance(named, Mapping):
            yield from cast("Mapping[str, Any]", named).values()
    for word in _REFERENCES:
        reference = words.get(word)
        if isinstance(reference, str):
            yield document.resolve(words, reference)


def _of_its_members(words: Mapping[str, Any], part: Any) -> Iterator[tuple[str | int, Any]]:
    """The schemas that a schema applies to the members of a value, with their places."""
    if isinstance(part, dict):
        members = cast("dict[str, Any]", part)
        named = words.get("properties")
        if isinstance(named, Mapping):
            properties = cast("Mapping[str, Any]", named)
            yield from ((name, properties[name]) for name in members if name in properties)
        general = [words[word] for word in _ANY_MEMBER if word in words]
        patterns = words.get("patternProperties")
        if isinstance(patterns, Mapping):
            general += cast("Mapping[str, Any]", patterns).values()
        yield from ((name, one) for one in general for name in members)
    elif isinstance(part, list):
        count = len(cast("list[Any]", part))
        for word in ("prefixItems", "items"):
            first = words.get(word)
            if isinstance(first, list):
                yield from zip(range(count), cast("list[Any]", first), strict=False)
        general = [words[word] for word in _ANY_ITEM if isinstance(words.get(word), Mapping)]
        yield from ((place, one) for one in general for place in range(count))
