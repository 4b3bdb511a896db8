"""Places in a schema, and how messages and names tell of them."""

from __future__ import annotations

from collections.abc import Mapping

Path = tuple["Path", str] | None
"""Where in the document: a chain from the part back to the root, cheap to extend."""


def shown_path(path: Path) -> str:
    """The path as text, such as `$.properties.rows.items`."""
    parts: list[str] = []
    while path is not None:
        path, part = path
        parts.append(part)
    if len(parts) > 12:
        parts = [*parts[:6], "…", *parts[-6:]]
    return ".".join(["$", *reversed(parts)])


def last_word(path: Path) -> str:
    """The nearest name on the way to a part: a property's, not a keyword's."""
    for _ in range(4):
        if path is None:
            return ""
        parent, part = path
        if parent is not None and parent[1] in ("properties", "patternProperties"):
            return part
        path = parent
    return ""


def reference_word(reference: str) -> str:
    """The last part of a reference that is a word: `#/$defs/Node` → `Node`."""
    words = [word for word in reference.replace("#", "/").split("/") if word]
    return words[-1] if words else ""


def shown(value: object) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else f"{value[:59]}…")
    if value == []:
        return "an empty list"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, Mapping):
        return "an object"
    return repr(value)[:60]
