"""Types by pydantic: their JSON Schemas, and what it finds wrong in the words of a schema."""

from __future__ import annotations

import enum
import re
from typing import Any, Final, Literal, cast

from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import (
    GenerateJsonSchema,
    JsonSchemaValue,
    JsonSchemaWarningKind,
)

from toolscript.contract.problems import (
    Path,
    Problem,
    is_secret,
    missing_property,
    quote,
    unknown_property,
)
from toolscript.contract.v1_models import lift_v1_definitions

_MOST_ERRORS: Final = 32
_MOST_FLAGS: Final = 16
_FLAGS: Final = "x-flags"
"""Where a schema keeps what is to be added to its description."""
_VOICE: Final = (
    (re.compile(r"^(Value|Assertion) error, "), ""),
    (re.compile(r"^Input should be "), "must be "),
    (re.compile(r"^Value should have "), "must have "),
    (re.compile(r" after validation"), ""),
)


_TYPE_WORDS: Final = {
    "int_parsing": "must be an integer",
    "int_type": "must be an integer",
    "int_from_float": "must be an integer",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "string_type": "must be a string",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "list_type": "must be an array",
    "tuple_type": "must be an array",
    "set_type": "must be an array",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "dataclass_type": "must be an object",
}
"""Kinds of error that speak of Python's types (pydantic-core's names)."""


class QuietJsonSchema(GenerateJsonSchema):
    """JSON Schemas without titles made of property names, and without warnings."""

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        """A choice or a default that has no JSON form is left out; the rest says enough."""

    def decimal_schema(self, schema: Any) -> JsonSchemaValue:
        """A decimal crosses as text, and says that it is one: `+` would join it."""
        found = super().decimal_schema(schema)
        for choice in (found, *found.get("anyOf", ())):
            if choice.get("type") == "string":
                choice["format"] = "decimal"
        return found

    def bytes_schema(self, schema: Any) -> JsonSchemaValue:
        """Bytes cross as text. Those that are none need a type that says how they are written,
        such as `pydantic.Base64Bytes`."""
        found = super().bytes_schema(schema)
        return {**found, "format": "utf-8"} if found.get("format") == "binary" else found

    def enum_schema(self, schema: Any) -> JsonSchemaValue:
        """Flags cross as their sum, of which pydantic's own schema knows the single ones only."""
        found = super().enum_schema(schema)
        flags: type[enum.Enum] = schema["cls"]
        if not issubclass(flags, enum.Flag):
            return found
        found.pop("enum", None)
        found.pop("const", None)
        values = ", ".join(f"{flag.name} = {flag.value}" for flag in list(flags)[:_MOST_FLAGS])
        # Pydantic puts the class's own words into the description afterwards.
        return {**found, "type": "integer", "minimum": 0, _FLAGS: f"Sum of flags: {values}."}

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        """What is serialised holds every field, those with defaults too."""
        if self.mode == "serialization" and field["type"] in ("model-field", "dataclass-field"):
            return "serialization_exclude_if" not in field
        return super().field_is_required(field, total)


def schema_of(adapter: TypeAdapter[Any], mode: Literal["validation", "serialization"]) -> Any:
    """The JSON Schema of a type: what it takes ("validation") or what it becomes."""
    return tidy(adapter.json_schema(mode=mode, schema_generator=QuietJsonSchema))


def tidy(schema: Any) -> Any:
    """The schema without definitions in its inside, and without words that say nothing.

    `additionalProperties: true` is what JSON Schema means anyway; as a word it would make a
    declaration say that every object may hold anything. A default of null is what absence means.
    """
    lifted = lift_v1_definitions(schema)
    work: list[Any] = [lifted]
    while work:
        node = work.pop()
        if isinstance(node, dict):
            current = cast("dict[str, Any]", node)
            if current.get("additionalProperties") is True and "properties" in current:
                del current["additionalProperties"]
            if _FLAGS in current:
                words = (current.get("description"), current.pop(_FLAGS))
                current["description"] = " ".join(filter(None, words))
            if "default" in current and current["default"] is None:
                del current["default"]
            work.extend(current.values())
        elif isinstance(node, list):
            work.extend(cast("list[Any]", node))
    return lifted


def problems_of(error: ValidationError, schema: Any) -> list[Problem]:
    """Pydantic's errors about a value, in the words that a schema's errors have.

    `schema` tells which properties are secrets.
    """
    secret = _secret_heads(schema)
    found = error.errors(include_url=False)[:_MOST_ERRORS]
    return [_problem(cast("dict[str, Any]", one), secret) for one in found]


def _head(path: Path) -> str | int | None:
    return path[0] if path else None


def _secret_heads(schema: Any) -> set[str]:
    properties = cast("dict[str, Any]", schema.get("properties", {}))
    return {name for name, one in properties.items() if is_secret(one)}


def _problem(error: dict[str, Any], secret: set[str]) -> Problem:
    path: Path = tuple(error["loc"])
    if error["type"] == "missing":
        return missing_property(path, ())
    if error["type"] == "extra_forbidden":
        return unknown_property(path, (), ())
    if error["type"] == "union_tag_not_found":
        return missing_property((*path, str(error["ctx"]["discriminator"]).strip("'")), ())
    text = _TYPE_WORDS.get(str(error["type"])) or str(error["msg"])
    for pattern, instead in _VOICE:
        text = pattern.sub(instead, text)
    came = error.get("input")
    hidden = _head(path) in secret
    return Problem(path, f"{text}, got {quote(came, path, secret=hidden)}")
