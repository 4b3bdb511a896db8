"""Models of pydantic 1 inside annotations that pydantic 2 reads."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator
from typing import Annotated, Any, Final, cast

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

_DEFINITIONS: Final = "x-pydantic-v1-definitions"
"""Where a model's schema keeps its definitions until they move to the root of the document."""
_REFERENCE: Final = "x-pydantic-v1-ref"
"""Stands for `$ref` while pydantic 2 assembles a schema: it follows only its own references."""


def is_v1_model(annotation: Any) -> bool:
    """Whether an annotation is a model class of pydantic 1, without importing pydantic 1."""
    v1 = sys.modules.get("pydantic.v1")
    base = getattr(v1, "BaseModel", None)
    return base is not None and isinstance(annotation, type) and issubclass(annotation, base)


def v1_annotation(model: Any) -> Any:
    """An annotation with which pydantic 2 validates, describes and serialises such a model."""
    return Annotated[model, _V1Model(model)]


class _V1Model:
    def __init__(self, model: Any):
        self._model = model

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self._parse,
            serialization=core_schema.plain_serializer_function_ser_schema(self._dump),
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        # The model keeps what it returns, so a copy is changed.
        own = copy.deepcopy(
            cast("dict[str, Any]", self._model.schema(ref_template="#/$defs/{model}"))
        )
        for node in _objects(own):
            if "$ref" in node:
                node[_REFERENCE] = node.pop("$ref")
        definitions = own.pop("definitions", None)
        return {**own, _DEFINITIONS: definitions} if definitions else own

    def _parse(self, value: Any) -> Any:
        if isinstance(value, self._model):
            return value
        try:
            return self._model.parse_obj(value)
        except ValueError as error:
            found = cast("list[dict[str, Any]]", getattr(error, "errors", list)())
            text = "; ".join(
                f"{'.'.join(str(step) for step in one['loc'])}: {one['msg']}" for one in found
            )
            raise PydanticCustomError("v1_model", "{text}", {"text": text}) from error

    def _dump(self, value: Any) -> Any:
        return json.loads(value.json())


def lift_v1_definitions(schema: Any) -> Any:
    """Move the definitions that such models brought along to the root of a JSON Schema."""
    if not isinstance(schema, dict):
        return schema
    root = cast("dict[str, Any]", schema)
    found: dict[str, Any] = {}
    for node in _objects(root):
        found |= node.pop(_DEFINITIONS, {})
    for node in (*_objects(root), *_objects(found)):
        if _REFERENCE in node:
            node["$ref"] = node.pop(_REFERENCE)
    if found:
        root["$defs"] = {**found, **root.get("$defs", {})}
    return root


def _objects(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every object of a schema; each may be changed when it comes."""
    work: list[Any] = [schema]
    while work:
        node = work.pop()
        if isinstance(node, dict):
            current = cast("dict[str, Any]", node)
            yield current
            work.extend(current.values())
        elif isinstance(node, list):
            work.extend(cast("list[Any]", node))
