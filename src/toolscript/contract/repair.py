"""Schemas as strangers write them, made readable for a validator.

All walks are iterative: a schema may be nested deeper than a recursive walk can follow. A copy
is changed, never the schema that was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import quote, unquote

UNREADABLE: Final = object()
"""Stands for a schema that is no schema at all."""

_DEEPEST: Final = 200
"""Levels of a schema that are kept; the validator's own bound is 255."""
_MOST_NODES: Final = 500_000

_MAPS: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_ANNOTATIONS: Final = frozenset({"default", "example", "examples", "title", "description"})
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_IN_FRAGMENT: Final = "/~!$&'()*+,;=:@?-._"
"""What a URI fragment may hold besides letters and digits (RFC 3986, section 3.5)."""
_DATA: Final = frozenset({"enum", "const", "required", "type", "dependentRequired"})

Schema = dict[str, Any]


def plain_copy(schema: Any) -> tuple[Any, tuple[str, ...]]:
    """A copy of plain dicts and lists, without annotations and cut where it is too deep.

    Returns the copy, or `UNREADABLE`, and warnings.
    """
    if isinstance(schema, bool):
        return schema, ()
    if not isinstance(schema, Mapping):
        return UNREADABLE, (f"a schema is an object or a boolean, not {type(schema).__name__}",)
    root: Schema = {}
    cut = False
    nodes = 0
    work: list[tuple[Any, Any, bool, int]] = [(cast(Any, schema), root, True, 1)]
    while work:
        source, target, is_schema, depth = work.pop()
        nodes += 1
        if nodes > _MOST_NODES:
            return UNREADABLE, (f"has more than {_MOST_NODES:,} parts and is not checked",)
        pairs: list[tuple[Any, Any]]
        if isinstance(source, Mapping):
            pairs = list(cast("Mapping[Any, Any]", source).items())
        else:
            pairs = list(enumerate(cast("Sequence[Any]", source)))
        for key, value in pairs:
            if is_schema and key in _ANNOTATIONS:
                continue
            child: Any
            if isinstance(value, Mapping | list | tuple):
                if depth >= _DEEPEST:
                    cut = True
                    child = True
                else:
                    child = {} if isinstance(value, Mapping) else []
                    inside = not (is_schema and (key in _MAPS or key in _DATA))
                    if isinstance(source, list | tuple):
                        inside = is_schema
                    work.append((cast(Any, value), child, inside, depth + 1))
            else:
                child = value
            if isinstance(target, dict):
                cast(Schema, target)[str(key)] = child
            else:
                target.append(child)
    warnings = (f"is nested deeper than {_DEEPEST} levels; what is below is not checked",)
    return root, warnings if cut else ()


def modernised(schema: Schema | bool) -> Schema | bool:
    """The same schema in the words of draft 2020-12 (and OpenAPI's `nullable` understood)."""
    if isinstance(schema, bool):
        return schema
    holder: Schema = {"root": schema}
    for owner, key, node in list(_schemas(schema)):
        _old_items(node)
        _old_bounds(node)
        _old_dependencies(node)
        if node.get("nullable") is True:
            replaced = _with_null(node)
            if replaced is not node:
                place: Any = holder if owner is None else owner
                place["root" if owner is None else key] = replaced
    schema.pop("$schema", None)
    return cast(Schema, holder["root"])


def spell_references(schema: Schema | bool) -> None:
    """Write references within the document as URIs: generators write `#/$defs/List<Item>` and
    `#/definitions/Größe` as they are."""
    if isinstance(schema, bool):
        return
    for _, _, node in _schemas(schema):
        for word in _REFERENCES:
            target = node.get(word)
            if isinstance(target, str) and target.startswith("#/"):
                pointer = unquote(target[1:])
                if not _leads_somewhere(schema, pointer) and _leads_somewhere(schema, target[1:]):
                    pointer = target[1:]
                node[word] = "#" + quote(pointer, safe=_IN_FRAGMENT, errors="surrogatepass")


def drop_unresolvable_references(schema: Schema | bool) -> tuple[str, ...]:
    """Let every `$ref` that leads nowhere, or out of the document, accept anything."""
    if isinstance(schema, bool):
        return ()
    anchors = {
        node[word]
        for _, _, node in _schemas(schema)
        for word in ("$anchor", "$dynamicAnchor")
        if isinstance(node.get(word), str)
    }
    warnings: list[str] = []
    for _, _, node in _schemas(schema):
        for word in _REFERENCES:
            target = node.get(word)
            if word not in node or _resolves(schema, target, anchors):
                continue
            del node[word]
            warnings.append(f"$ref {str(target)[:100]!r} leads nowhere here and is not checked")
    return tuple(dict.fromkeys(warnings))


def drop_bad_patterns(schema: Schema | bool, compiles: Callable[[str], bool]) -> tuple[str, ...]:
    """Leave out patterns that are no regular expressions of JavaScript's kind."""
    if isinstance(schema, bool):
        return ()
    warnings: list[str] = []
    for _, _, node in _schemas(schema):
        pattern = node.get("pattern")
        if isinstance(pattern, str) and not compiles(pattern):
            del node["pattern"]
            warnings.append(f"pattern {pattern[:100]!r} cannot be read and is not checked")
        named = node.get("patternProperties")
        if not isinstance(named, dict):
            continue
        for name in list(cast(Schema, named)):
            if not compiles(name):
                del named[name]
                # What the pattern would have matched must not be refused now.
                node.pop("additionalProperties", None)
                warnings.append(f"pattern {name[:100]!r} cannot be read and is not checked")
    return tuple(dict.fromkeys(warnings))


def cut_at(schema: Schema, path: Sequence[Any]) -> bool:
    """Take out the part that a meta-schema refuses; whether there was something to take out."""
    owner = cast(Any, schema)
    try:
        for step in path[:-1]:
            owner = owner[step]
        last = path[-1]
        in_place = isinstance(owner, list) or (len(path) > 1 and path[-2] in _MAPS)
        if in_place and owner[last] is True:
            return False
        if in_place:
            owner[last] = True
            return True
        del owner[last]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _schemas(schema: Schema) -> Iterator[tuple[Any, str | int, Schema]]:
    """Every schema object with its container and key; the root first, with no container.

    Unknown keywords are looked into as well: references may lead into them.
    """
    work: list[tuple[Any, str | int, Any]] = [(None, "", schema)]
    while work:
        owner, key, node = work.pop()
        if not isinstance(node, dict):
            continue
        current = cast(Schema, node)
        yield owner, key, current
        for word, value in list(current.items()):
            if word in _DATA:
                continue
            if isinstance(value, dict):
                named = cast(Schema, value)
                if word in _MAPS:
                    work.extend((named, name, child) for name, child in named.items())
                else:
                    work.append((current, word, named))
            elif isinstance(value, list) and (word in _LISTS or word == "items"):
                listed = cast("list[Any]", value)
                work.extend((listed, place, child) for place, child in enumerate(listed))


def _old_items(node: Schema) -> None:
    """`items: [...]` of the drafts before 2020-12."""
    if not isinstance(node.get("items"), list) or "prefixItems" in node:
        return
    listed = node.pop("items")
    if listed:
        node["prefixItems"] = listed
    if "additionalItems" in node:
        node["items"] = node.pop("additionalItems")


def _old_bounds(node: Schema) -> None:
    """`exclusiveMinimum: true` of draft 4."""
    for word, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        value = node.get(word)
        if isinstance(value, bool):
            del node[word]
            if value and bound in node:
                node[word] = node.pop(bound)


def _old_dependencies(node: Schema) -> None:
    """`dependencies`, which later drafts split in two."""
    found = node.get("dependencies")
    if not isinstance(found, dict):
        return
    del node["dependencies"]
    for name, value in cast(Schema, found).items():
        word = "dependentRequired" if isinstance(value, list) else "dependentSchemas"
        node.setdefault(word, {})[name] = value


def _with_null(node: Schema) -> Schema:
    """The schema of a value that may also be null."""
    del node["nullable"]
    if isinstance(node.get("type"), str) and "const" not in node:
        node["type"] = [node["type"], "null"]
        if isinstance(node.get("enum"), list) and None not in node["enum"]:
            node["enum"] = [*node["enum"], None]
        return node
    return {"anyOf": [node, {"type": "null"}]}


def _resolves(schema: Schema, target: Any, anchors: set[Any]) -> bool:
    if not isinstance(target, str) or not target.startswith("#"):
        return False
    fragment = unquote(target[1:])
    if not fragment or fragment in anchors:
        return True
    return fragment.startswith("/") and _leads_somewhere(schema, fragment)


def _leads_somewhere(schema: Schema, pointer: str) -> bool:
    """Whether a JSON pointer, not percent-encoded, leads to a schema."""
    node: Any = schema
    for raw in pointer[1:].split("/"):
        step = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and step in node:
            node = cast(Schema, node)[step]
        elif isinstance(node, list) and step.isdigit() and int(step) < len(cast("list[Any]", node)):
            node = cast("list[Any]", node)[int(step)]
        else:
            return False
    return isinstance(node, dict | bool)
