"""Reading a JSON Schema document: where its parts are, and what its references mean.

Schemas come from strangers, so nothing here recurses, trusts a type, or fetches anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast
from urllib.parse import unquote, urldefrag, urljoin

Node = Mapping[str, Any] | bool
"""A schema or subschema."""

_MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_SINGLES: Final = (
    "items",
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)

_ABSENT: Final = object()


def is_node(value: object) -> bool:
    return isinstance(value, bool | Mapping)


def children(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The subschemas that stand directly in a schema, by any draft's keywords."""
    for keyword in _MAPS:
        group = node.get(keyword)
        if isinstance(group, Mapping):
            for child in cast("Mapping[str, Any]", group).values():
                if isinstance(child, Mapping):
                    yield cast("Mapping[str, Any]", child)
    for keyword in _LISTS:
        listed = node.get(keyword)
        if isinstance(listed, list):
            for child in cast("list[Any]", listed):
                if isinstance(child, Mapping):
                    yield cast("Mapping[str, Any]", child)
    for keyword in _SINGLES:
        child = node.get(keyword)
        if isinstance(child, Mapping):
            yield cast("Mapping[str, Any]", child)


class Document:
    """One schema with its definitions, anchors and embedded resources.

    Drafts 4 to 2020-12 may be mixed. Only what the document itself holds is ever found: a
    reference to anything else has no meaning here.
    """

    def __init__(self, root: Node):
        self.root = root
        self._base: dict[int, str] = {}
        self._resources: dict[str, Mapping[str, Any]] = {}
        self._anchors: dict[str, Mapping[str, Any]] = {}
        self._seen_again: set[int] = set()
        if isinstance(root, Mapping):
            self._index(root)

    def is_shared(self, node: Mapping[str, Any]) -> bool:
        """Whether this very object stands at several places of the document, or inside itself."""
        return id(node) in self._seen_again

    def resolve(self, node: Mapping[str, Any], reference: str) -> Node | None:
        """What a `$ref` that stands in `node` points to; None where the document does not hold it."""
        base = self._base.get(id(node), "")
        if reference.startswith("#"):
            address, fragment = base, reference[1:]
        else:
            address, fragment = urldefrag(_joined(base, reference))
        raw, fragment = fragment, unquote(fragment)
        resource: Node | None = self._resources.get(address)
        if resource is None and reference.startswith("#"):
            resource = self.root
        if not fragment.startswith("/"):
            if not fragment:
                return resource
            return self._anchors.get(f"{address}#{fragment}")
        found = _walk(resource, fragment)
        if found is None:  # not every generator escapes a `%` in a name
            found = _walk(resource, raw)
        # Some generators put an `$id` on every property and still point from the document's root.
        if found is None and reference.startswith("#"):
            found = _walk(self.root, fragment)
        return found

    def _index(self, root: Mapping[str, Any]) -> None:
        """Note the base URI of every schema, every `$id` and every anchor, first come first kept."""
        seen: set[int] = {id(root)}
        pending: list[tuple[Mapping[str, Any], str]] = [(root, "")]
        while pending:
            node, base = pending.pop()
            base = self._enter(node, base)
            self._base[id(node)] = base
            for child in children(node):
                if id(child) in seen:
                    self._seen_again.add(id(child))
                else:
                    seen.add(id(child))
                    pending.append((child, base))
        self._resources.setdefault("", root)

    def _enter(self, node: Mapping[str, Any], base: str) -> str:
        for keyword in ("$id", "id"):
            identity = node.get(keyword)
            if not isinstance(identity, str):
                continue
            if identity.startswith("#"):
                self._anchors.setdefault(f"{base}{identity}", node)
            else:
                base = urldefrag(_joined(base, identity))[0]
                self._resources.setdefault(base, node)
            break
        for keyword in ("$anchor", "$dynamicAnchor"):
            anchor = node.get(keyword)
            if isinstance(anchor, str):
                self._anchors.setdefault(f"{base}#{anchor}", node)
        return base


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference)
    except ValueError:  # a malformed address, such as an unclosed IPv6 host, names nothing
        return reference


def _walk(node: Node | None, pointer: str) -> Node | None:
    """Follow a JSON pointer through plain mappings and lists."""
    here: Any = node
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping):
            here = cast("Mapping[str, Any]", here).get(key, _ABSENT)
        elif isinstance(here, list) and key.isascii() and key.isdigit() and len(key) < 10:
            items = cast("list[Any]", here)
            here = items[int(key)] if int(key) < len(items) else _ABSENT
        else:
            return None
    return cast("Node", here) if is_node(here) else None
