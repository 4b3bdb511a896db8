"""Definitions that several schemas hold alike: each tool brings its own copy of an `Order`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from toolscript.contract.tool import JsonSchema

_APART: Final = frozenset({"$defs", "definitions", "$schema"})
_MAPS: Final = ("$defs", "definitions")


def repeated_definitions(schemas: Iterable[JsonSchema | None]) -> frozenset[int]:
    """The identities of definitions of which an equal one, of equal name, is in another schema.

    A whole schema with a title counts as the definition of that name.
    """
    alike: dict[tuple[str, str], set[int]] = {}
    for schema in schemas:
        if not isinstance(schema, Mapping):
            continue
        for name, part in _named_parts(schema):
            try:
                text = json.dumps(_own(part), sort_keys=True)
            except (TypeError, ValueError, RecursionError):
                continue
            alike.setdefault((name, text), set()).add(id(part))
    return frozenset(one for found in alike.values() if len(found) > 1 for one in found)


def _named_parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    title = schema.get("title")
    if isinstance(title, str) and title:
        yield title, schema
    for word in _MAPS:
        named: Any = schema.get(word)
        if isinstance(named, Mapping):
            yield from cast("Mapping[str, Any]", named).items()


def _own(part: Any) -> Any:
    """A definition without those that it brings along."""
    if not isinstance(part, Mapping):
        return part
    found = cast("Mapping[str, Any]", part)
    return {word: value for word, value in found.items() if word not in _APART}
