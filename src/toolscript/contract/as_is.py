"""Values that their type leaves as they are: pydantic would check them again and copy all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import orjson
from pydantic import BaseModel
from pydantic_core import CoreSchema, SchemaValidator

from toolscript.contract.tool import JsonSchema
from toolscript.contract.validation import compile_validator

_TAKEN: Final = frozenset({"any", "str", "bool", "none", "list", "dict", "nullable", "union"})
"""Types (words of pydantic's core schemas) that take a JSON value for what it is.

Not int, which makes 1 of 1.0, and not float, which makes a double of an integer.
"""
_DUMPED: Final = _TAKEN | {"int"}
"""Types whose plain values are dumped to themselves."""
_CONTAINERS: Final = ("list", "dict")
_INNER: Final = ("items_schema", "keys_schema", "values_schema", "schema", "choices")
_ONLY_PLAIN: Final = (
    orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)

Fields = tuple[dict[str, Any], set[str]]


def as_is(core_schema: Any, schema: JsonSchema) -> Callable[[Any], bool] | None:
    """Tells of a value whether dumping it by its type would give the same; None for most types.

    Args:
        core_schema: pydantic's schema of the type.
        schema: JSON Schema of what the type is dumped to.
    """
    if core_schema["type"] not in _CONTAINERS or not _is_made_of(core_schema, _DUMPED):
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


def fields_of(model: type[BaseModel], *, checked: bool) -> Callable[[Any], Fields]:
    """Validates the fields of a model: gives their values, and the names of those that were given.

    Args:
        checked: the values fit their JSON Schema, so that plain ones are passed on.
    """
    core: Mapping[str, Any] = cast(Any, model.__pydantic_core_schema__)
    inner = core["schema"] if core["type"] == "definitions" else core
    if not checked or inner["type"] != "model" or inner["schema"]["type"] != "model-fields":
        validate = cast("SchemaValidator", model.__pydantic_validator__).validate_python

        def by_model(values: Any) -> Fields:
            found: Any = validate(values)
            return found.__dict__, found.__pydantic_fields_set__

        return by_model
    # Not the model itself: for a class, pydantic takes the validator that the class has.
    fields = {
        name: {**field, "schema": _without_check(field["schema"])}
        for name, field in cast("dict[str, Any]", inner["schema"]["fields"]).items()
    }
    lighter = {**inner["schema"], "fields": fields}
    schema = lighter if core is inner else {**core, "schema": lighter}
    light = SchemaValidator(cast("CoreSchema", schema), inner["config"]).validate_python

    def by_fields(values: Any) -> Fields:
        found, _, given = light(values)
        return found, given

    return by_fields


def _without_check(core_schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if core_schema["type"] == "default":
        return {**core_schema, "schema": _without_check(core_schema["schema"])}
    return {"type": "any"} if _is_made_of(core_schema, _TAKEN) else core_schema


def _is_made_of(core_schema: Any, types: frozenset[str]) -> bool:
    """Whether a type is made of these only, and of strings that are not changed."""
    work: list[Any] = [core_schema]
    while work:
        node = work.pop()
        if isinstance(node, list | tuple):
            work.extend(cast("list[Any]", node))
        elif isinstance(node, Mapping):
            words = cast("Mapping[str, Any]", node)
            if words.get("type") not in types or "serialization" in words:
                return False
            if words["type"] == "str" and not words.keys() <= {"type", "metadata"}:
                return False
            work.extend(words[word] for word in _INNER if word in words)
    return True
