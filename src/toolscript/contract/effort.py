"""How much work a schema makes.

Whether a value fits is found in time that grows with its size, unless definitions that use each
other twice stand in a row: each doubles the work. Saying where a value does not fit means
looking into every alternative, and into the alternatives of their parts: a recursive choice
between three forms triples the work with each level of the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson

from toolscript import jsontext
from toolscript.contract.schema import Document, Node
from toolscript.jsonscan import deeper_than

_SAME_ONE: Final = ("not", "if", "then", "else")
_SAME_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SAME_NAMED: Final = ("dependentSchemas", "dependencies")
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_ANY_MEMBER: Final = ("additionalProperties", "unevaluatedProperties")
_ANY_ITEM: Final = ("items", "additionalItems", "contains", "unevaluatedItems")

_SCALARS: Final = ("string", "number", "integer", "boolean", "null")

_DEEP: Final = 16
"""Each error holds a copy of what it is about: so many levels further down, one more costs more."""

Counts = dict[int, tuple[Any, int]]
"""Schemas by identity, and how often each is applied to one part of a value."""


_SHALLOW: Final = 8
"""Levels of arrays and objects up to which alternatives do not multiply to much."""
_DEEP_TREE: Final = 16
_MOST_TRIES: Final = 50_000
_TRIES_OF_A_PART: Final = 32
"""So many for each part are no tree any more that is just large."""


def too_many_tries(schema: Node) -> Callable[[Any], bool] | None:
    """Tells of arguments whether trying all alternatives for them would take too long.

    That is how pydantic finds the best member of a union, for arguments that fit too, where no
    discriminator names it. None for schemas by which no arguments do.
    """
    if not _has_any(schema, _REFERENCES) or not _has_any(schema, ("anyOf", "oneOf")):
        return None
    document = Document(schema)

    def tries(value: Any) -> bool:
        try:
            text = orjson.dumps(value)
        except TypeError:
            # Too deep for the encoder, or with integers or surrogates that it does not write.
            text = jsontext.dumps(value).encode()
        if not deeper_than(text, _SHALLOW):
            return False
        effort = listing_effort(document, value, _MOST_TRIES, by_tag=True)
        if effort.tries <= _MOST_TRIES:
            return False
        # What was not looked at may be worse where the value is deep.
        return effort.tries > _TRIES_OF_A_PART * effort.parts or deeper_than(text, _DEEP_TREE)

    return tries


@dataclass(frozen=True, slots=True)
class Effort:
    """How many times parts of a schema are applied to so many parts of a value."""

    tries: int
    parts: int


def listing_effort(document: Document, value: Any, most: int, *, by_tag: bool = False) -> Effort:
    """How much work it is to look into every alternative for a value.

    Counts little beyond `most` tries, and takes no longer than that.

    Args:
        by_tag: a discriminator decides between alternatives, so that only one is looked into.
    """
    total = parts = 0
    work: list[tuple[Any, Counts, int]] = [(value, {0: (document.root, 1)}, 0)]
    while work and total <= most:
        part, applied, level = work.pop()
        parts += 1
        weight = 1 + level // _DEEP
        inner: dict[str | int, Counts] = {}
        pending = list(applied.values())
        while pending and total <= most:
            node, times = pending.pop()
            total += times * weight
            if not isinstance(node, Mapping):
                continue
            words = cast("Mapping[str, Any]", node)
            tagged = _tagged(words, part, document) if by_tag else None
            same = _of_the_same_part(words, document) if tagged is None else tagged
            pending += [(one, times) for one in same]
            for place, one in _of_its_members(words, part):
                counts = inner.setdefault(place, {})
                counts[id(one)] = (one, counts.get(id(one), (one, 0))[1] + times)
        work += [(part[place], counts, level + 1) for place, counts in inner.items()]
    return Effort(total, parts)


def multiplies_beyond(schema: Node, most: int) -> bool:
    """Whether one part of a value may have to be checked more than `most` times.

    Recursion counts once: the validator remembers what it has found out. Without references all
    parts of a schema are checked once each.
    """
    if not _has_any(schema, _REFERENCES):
        return False
    document = Document(schema)
    counts: dict[int, int] = {}
    work: list[tuple[Any, bool]] = [(schema, False)]
    while work:
        node, entered = work.pop()
        if not isinstance(node, Mapping):
            continue
        words = cast("Mapping[str, Any]", node)
        if not entered and id(words) in counts:
            continue
        same = [*_of_the_same_part(words, document), *_of_any_member(words)]
        named = list(_properties(words).values())
        if not entered:
            counts[id(words)] = 1
            work.append((words, True))
            work += [(one, False) for one in (*same, *named)]
            continue
        count = 1 + sum(counts.get(id(one), 1) for one in same)
        count += max((counts.get(id(one), 1) for one in named), default=0)
        if count > most:
            return True
        counts[id(words)] = count
    return False


def most_properties(schema: Node, levels: int = _DEEP_TREE) -> int | None:
    """How many properties the objects of a fitting value have together at most.

    None where that has no bound, or none that is found without effort: objects that are open,
    lists of objects, references, more than so many `levels` of schemas.
    """
    if not isinstance(schema, Mapping):
        return 0 if schema is False else None
    if not levels:
        return None
    if any(word in schema for word in _REFERENCES):
        return None
    for word in _SAME_LISTS:
        listed = schema.get(word)
        if isinstance(listed, list):
            # What one of them bounds is bounded; a sum is above what any of them allows.
            return _sum(most_properties(one, levels - 1) for one in cast("list[Any]", listed))
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(values, list):
        return None if any(isinstance(one, dict | list) for one in cast("list[Any]", values)) else 0
    kinds = schema.get("type")
    kinds = cast("list[Any]", kinds) if isinstance(kinds, list) else [kinds]
    if any(kind not in (*_SCALARS, "object", "array") for kind in kinds):
        return None
    inner: list[int | None] = []
    if "object" in kinds:
        properties = _properties(schema)
        closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
        inner.append(len(properties) if closed else None)
        inner += [most_properties(one, levels - 1) for one in properties.values()]
    if "array" in kinds:
        # However many items: each has none.
        items = most_properties(schema.get("items", True), levels - 1)
        inner.append(0 if items == 0 and "prefixItems" not in schema else None)
    return _sum(inner)


def _sum(bounds: Iterable[int | None]) -> int | None:
    total = 0
    for bound in bounds:
        if bound is None:
            return None
        total += bound
    return total


def _has_any(schema: Node, names: tuple[str, ...]) -> bool:
    """Whether one of the words stands somewhere in the schema."""
    work: list[Any] = [schema]
    while work:
        node = work.pop()
        if isinstance(node, Mapping):
            words = cast("Mapping[str, Any]", node)
            if any(word in words for word in names):
                return True
            work.extend(words.values())
        elif isinstance(node, list):
            work.extend(cast("list[Any]", node))
    return False


def _tagged(words: Mapping[str, Any], part: Any, document: Document) -> list[Any] | None:
    """The alternative that a discriminator names, as a list; None where there is none."""
    tag = words.get("discriminator")
    if not isinstance(tag, Mapping):
        return None
    named = cast("Mapping[str, Any]", tag)
    mapping, name = named.get("mapping"), named.get("propertyName")
    if not isinstance(mapping, Mapping) or not isinstance(name, str):
        return None
    value = cast("dict[str, Any]", part).get(name) if isinstance(part, dict) else None
    reference = cast("Mapping[str, Any]", mapping).get(value) if isinstance(value, str) else None
    return [document.resolve(words, reference)] if isinstance(reference, str) else []


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
        properties = _properties(words)
        yield from ((name, properties[name]) for name in members if name in properties)
        yield from ((name, one) for one in _of_any_name(words) for name in members)
    elif isinstance(part, list):
        count = len(cast("list[Any]", part))
        for listed in _of_first_items(words):
            yield from zip(range(count), listed, strict=False)
        yield from ((place, one) for one in _of_any_item(words) for place in range(count))


def _of_any_member(words: Mapping[str, Any]) -> Iterator[Any]:
    yield from _of_any_name(words)
    yield from _of_any_item(words)
    for listed in _of_first_items(words):
        yield from listed


def _properties(words: Mapping[str, Any]) -> Mapping[str, Any]:
    named = words.get("properties")
    return cast("Mapping[str, Any]", named) if isinstance(named, Mapping) else {}


def _of_any_name(words: Mapping[str, Any]) -> Iterator[Any]:
    yield from (words[word] for word in _ANY_MEMBER if word in words)
    patterns = words.get("patternProperties")
    if isinstance(patterns, Mapping):
        yield from cast("Mapping[str, Any]", patterns).values()


def _of_any_item(words: Mapping[str, Any]) -> Iterator[Any]:
    yield from (words[word] for word in _ANY_ITEM if isinstance(words.get(word), Mapping))


def _of_first_items(words: Mapping[str, Any]) -> Iterator[list[Any]]:
    for word in ("prefixItems", "items"):
        listed = words.get(word)
        if isinstance(listed, list):
            yield cast("list[Any]", listed)
