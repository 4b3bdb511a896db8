"""What the comment on a type says: a schema's description and what a type cannot express."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from toolscript.contract.comments import clean_line
from toolscript.contract.shape import Doc

_VALUE_CHARS: Final = 80

# In the order in which they are shown.
_TAGS: Final = (
    "default",
    "format",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "contentEncoding",
    "contentMediaType",
)


def doc_of(schema: Mapping[str, Any]) -> Doc:
    """Description and tags of one schema; parts that are not what they should be are left out."""
    description = schema.get("description")
    tags: list[str] = []
    if schema.get("deprecated") is True:
        tags.append("@deprecated")
    for keyword in _TAGS:
        value = schema.get(keyword)
        if keyword == "default":
            shown = "" if value is None else value_line(value, _VALUE_CHARS)
        elif value is True:
            tags.append(f"@{keyword}")
            continue
        else:
            shown = _bound(value)
        if shown:
            tags.append(f"@{keyword} {shown}")
    examples = schema.get("examples")
    if isinstance(examples, list) and examples:
        shown = value_line(examples[0], _VALUE_CHARS)
        if shown:
            tags.append(f"@example {shown}")
    return Doc(description if isinstance(description, str) else "", tuple(tags))


def merged_docs(outer: Doc, inner: Doc) -> Doc:
    """The outer words with what only the inner ones say."""
    kinds = {tag.split(" ")[0] for tag in outer.tags}
    extra = tuple(tag for tag in inner.tags if tag.split(" ")[0] not in kinds)
    return Doc(outer.description or inner.description, outer.tags + extra)


def value_line(value: Any, max_chars: int) -> str:
    """A JSON value on one comment line; empty where it is no JSON or too long to be shown whole."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""
    return clean_line(text, max_chars) if len(text) <= max_chars else ""


def _bound(value: object) -> str:
    """The value of a keyword that bounds a scalar, such as a minimum or a pattern."""
    if isinstance(value, str):
        return clean_line(value, _VALUE_CHARS) if len(value) <= _VALUE_CHARS else ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value_line(value, _VALUE_CHARS)
    return ""
