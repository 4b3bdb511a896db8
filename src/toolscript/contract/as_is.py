"""Results that are JSON already and fit their type: they need no dumping, which copies all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import orjson

from toolscript.contract.tool import JsonSchema
from toolscript.contract.validation import compile_validator

_PLAIN: Final = frozenset(
    {"any", "str", "int", "bool", "none", "list", "dict", "nullable", "union"}
)
"""Types (words of pydantic's core schemas) whose plain values are dumped to themselves.

Not float: it makes a double of an integer.
"""
_INNER: Final = ("items_schema", "keys_schema", "values_schema", "schema", "choices")
_ONLY_PLAIN: Final = (
    orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)


def as_is(core_schema: Any, schema: JsonSchema) -> Callable[[Any], bool] | None:
    """Tells of a value whether dumping it by its type would give the same; None for most types.

    Args:
        core_schema: pydantic's schema of the type.
        schema: JSON Schema of what the type is dumped to.
    """
    if core_schema["type"] not in ("list", "dict") or not _is_plain(core_schema):
        return None
    fits = compile_validator(schema).is_valid

    def is_dumped(value: Any) -> bool:
        try:
            # Encoding is the quickest way to see that all of it is of JSON's own types.
            orjson.dumps(value, option=_ONLY_PLAIN)
        except TypeError:
            return False
        return fits(value)

    return is_dumped


def _is_plain(core_schema: Any) -> bool:
    work: list[Any] = [core_schema]
    while work:
        node = work.pop()
        if isinstance(node, list | tuple):
            work.extend(cast("list[Any]", node))
        elif isinstance(node, Mapping):
            words = cast("Mapping[str, Any]", node)
            if words.get("type") not in _PLAIN or "serialization" in words:
                return False
            work.extend(words[word] for word in _INNER if word in words)
    return True
