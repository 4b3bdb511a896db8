"""A string where a tool wants something else, taken if it is exactly that in JSON.

Models write `{"limit": "5"}` and `{"filter": "{\\"a\\": 1}"}`. Only a string whose schema allows
no string is touched, and the receipt says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast
from urllib.parse import unquote

from toolscript import jsontext
from toolscript.contract.problems import path_text
from toolscript.contract.tool import JsonSchema
from toolscript.jsonscan import deeper_than

_NAMES: Final = {
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    dict: ("object",),
    list: ("array",),
    type(None): ("null",),
}

_MOST_PLACES: Final = 10_000
"""Parts of a value that are looked at; a larger value was not written by hand."""
_MOST_STEPS: Final = 16
_NESTING: Final = 512

Path = tuple[str | int, ...]


def coerce_strings(schema: JsonSchema, value: Any) -> tuple[Any, list[str]]:
    """A copy of `value` with such strings replaced, and the places where that was done."""
    places: list[str] = []
    holder: list[Any] = [value]
    work: list[tuple[Any, Any, Any, Path]] = [(holder, 0, schema, ())]
    left = _MOST_PLACES
    while work:
        owner, key, part, path = work.pop()
        item = owner[key]
        options = _options(schema, part)
        if isinstance(item, str):
            found = _meant(item, options, _NESTING - len(path))
            if found is not None:
                owner[key] = item = found[0]
                places.append(path_text(path) or "arguments")
        if not isinstance(item, dict | list):
            continue
        left -= len(cast("dict[str, Any] | list[Any]", item))
        if left < 0:
            break
        if isinstance(item, dict):
            copy = owner[key] = dict(cast("dict[str, Any]", item))
            for name, one in copy.items():
                inner = _property(options, name) if _may_hold_strings(one) else None
                if inner is not None:
                    work.append((copy, name, inner, (*path, name)))
        else:
            listed = owner[key] = list(cast("list[Any]", item))
            inner = _items(options)
            if inner is not None:
                work.extend(
                    (listed, place, inner, (*path, place))
                    for place, one in enumerate(listed)
                    if _may_hold_strings(one)
                )
    return holder[0], sorted(places)


def _may_hold_strings(value: Any) -> bool:
    return isinstance(value, str | dict | list)


def _options(root: JsonSchema, schema: Any) -> list[Mapping[str, Any]]:
    """The schemas that may apply in a place: references followed, alternatives spread out."""
    found: list[Mapping[str, Any]] = []
    work = [schema]
    for _ in range(_MOST_STEPS):
        if not work:
            break
        part = work.pop()
        if not isinstance(part, Mapping):
            continue
        named = cast("Mapping[str, Any]", part)
        reference = named.get("$ref")
        if isinstance(reference, str):
            work.append(_referred(root, reference))
            continue
        spread = [
            option
            for word in ("anyOf", "oneOf", "allOf")
            for option in cast("list[Any]", named.get(word) or [])
        ]
        work.extend(spread)
        if not spread or "type" in named or "properties" in named:
            found.append(named)
    return found


def _referred(root: JsonSchema, reference: str) -> Any:
    node: Any = root
    if not reference.startswith("#/"):
        return None
    for raw in unquote(reference[2:]).split("/"):
        step = raw.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, Mapping) or step not in node:
            return None
        node = cast("Mapping[str, Any]", node)[step]
    return node


def _types(options: list[Mapping[str, Any]]) -> set[str]:
    """The types that a place takes; "any" where a schema does not say."""
    found: set[str] = set()
    for option in options:
        declared = option.get("type")
        if isinstance(declared, str):
            found.add(declared)
        elif isinstance(declared, list):
            found.update(str(one) for one in cast("list[Any]", declared))
        elif "properties" in option:
            found.add("object")
        elif "items" in option:
            found.add("array")
        else:
            found.add("any")
    return found


def _meant(text: str, options: list[Mapping[str, Any]], levels: int) -> tuple[Any] | None:
    types = _types(options)
    if not types or "string" in types or "any" in types:
        return None
    if deeper_than(text.encode("utf-8", "surrogatepass"), levels):
        return None
    try:
        value = jsontext.loads(text)
    except (ValueError, RecursionError):
        return None
    kind = cast("type[Any]", type(value))
    if not types.intersection(_NAMES.get(kind, ())):
        return None
    return (value,)


def _property(options: list[Mapping[str, Any]], name: str) -> Any:
    for option in options:
        properties = option.get("properties")
        if isinstance(properties, Mapping) and name in properties:
            return cast("Mapping[str, Any]", properties)[name]
    for option in options:
        extra = option.get("additionalProperties")
        if isinstance(extra, Mapping):
            return cast("Mapping[str, Any]", extra)
    return None


def _items(options: list[Mapping[str, Any]]) -> Any:
    for option in options:
        items = option.get("items")
        if isinstance(items, Mapping):
            return cast("Mapping[str, Any]", items)
    return None
