"""What a LangChain tool takes and gives back, as JSON Schema."""

from __future__ import annotations

import copy
import inspect
import logging
import sys
from collections.abc import Mapping
from types import NoneType
from typing import Annotated, Any, Union, cast, get_args, get_origin

from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool, Tool, create_schema_from_function
from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.json_schema import JsonSchemaValue
from pydantic.v1 import BaseModel as BaseModelV1

from toolscript.contract.tool import JsonSchema
from toolscript.contract.typed import QuietJsonSchema, tidy
from toolscript.langchain.inject import Injection
from toolscript.langchain.signature import (
    annotations_of,
    framework_parameters,
    function_of,
    is_async_only,
    parts_of,
)

log = logging.getLogger("toolscript")

ArgumentsModel = type[BaseModel] | type[BaseModelV1]


def takes_one_string(tool: BaseTool) -> bool:
    """Whether this is LangChain's oldest kind of tool, whose only input is one string."""
    return isinstance(tool, Tool) and tool.args_schema is None


def string_parameter(tool: BaseTool) -> str:
    """What the only string of such a tool is called."""
    parameters = list(inspect.signature(function_of(tool)).parameters.values())
    if parameters and parameters[0].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
        return parameters[0].name
    return "tool_input"


def arguments_model(tool: BaseTool) -> ArgumentsModel | None:
    """The model of what a caller may pass; None where the tool brings a JSON Schema.

    `args_schema` and `get_input_schema()` would show injected arguments. A tool without an
    `args_schema` is read from its signature, without what LangChain fills by type.
    """
    if isinstance(tool.args_schema, dict):
        return None
    function = function_of(tool)
    leaking = framework_parameters(function)
    if tool.args_schema is None and (leaking or is_async_only(tool)):
        return create_schema_from_function(
            tool.name,
            function,
            filter_args=["run_manager", "callbacks", *leaking],
            include_injected=False,
        )
    schema = tool.tool_call_schema
    return None if isinstance(schema, dict) else schema


def input_schema_of(tool: BaseTool, injection: Injection) -> JsonSchema:
    """Schema of what a script passes; injected arguments are not in it."""
    if takes_one_string(tool):
        name = string_parameter(tool)
        return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}
    if isinstance(tool.args_schema, dict):
        schema = dict(tool.args_schema)
    else:
        model = arguments_model(tool)
        schema = _model_schema(tool.name, model) if model else {}
        # LangChain puts the tool's description here, and for some tools that of `_run`.
        schema.pop("description", None)
        schema.pop("title", None)
    return _without(schema, injection.hidden)


def output_schema_of(tool: BaseTool) -> JsonSchema | None:
    """Schema of what the script receives, from the return annotation; None if that says nothing."""
    annotation = annotations_of(function_of(tool)).get("return", Any)
    if tool.response_format == "content_and_artifact":
        annotation = next(iter(get_args(annotation)), Any)
    annotation = _value_part(annotation)
    if annotation is Any or annotation is object:
        return None
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        schema = adapter.json_schema(mode="serialization", schema_generator=_Lenient)
        return tidy(schema) or None
    except (PydanticUserError, TypeError, NameError, ValueError) as error:
        log.warning("tool %s: its return type has no schema: %s", tool.name, _first_line(error))
        return None


class _Lenient(QuietJsonSchema):
    """Says "anything" where a type has no JSON Schema, instead of giving up on the whole."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        return {}


def _model_schema(tool: str, model: ArgumentsModel) -> dict[str, Any]:
    if issubclass(model, BaseModelV1):
        # Pydantic keeps this schema and gives it out again.
        return copy.deepcopy(model.schema())
    try:
        return tidy(model.model_json_schema(schema_generator=_Lenient))
    except (PydanticUserError, TypeError, NameError, ValueError) as error:
        log.warning("tool %s: its arguments have no schema: %s", tool, _first_line(error))
        return {"type": "object"}


def _without(schema: dict[str, Any], hidden: frozenset[str]) -> dict[str, Any]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return schema
    known = cast(Mapping[str, Any], properties)
    if not hidden & known.keys():
        return schema
    shown = {name: value for name, value in known.items() if name not in hidden}
    required = [name for name in schema.get("required", ()) if name not in hidden]
    return {**schema, "properties": shown, "required": required}


def _value_part(annotation: Any) -> Any:
    """The annotation without what steers the graph: a script never sees a `Command`.

    Such a call gives the script the text of its tool message, or null.
    """
    origin = get_origin(annotation)
    if origin is Annotated:
        inner = _value_part(get_args(annotation)[0])
        return Any if inner is Any else annotation
    if _steers(annotation):
        return Any
    members = list(parts_of(annotation))[1:]
    if not any(_steers(member) for member in members):
        return annotation
    kept = [member for member in get_args(annotation) if not _steers(member)]
    return Union[(*kept, str, NoneType)] if kept else Any


def _steers(annotation: Any) -> bool:
    plain = get_origin(annotation) or annotation
    if plain is list and any(
        _steers(member) for part in get_args(annotation) for member in parts_of(part)
    ):
        return True
    if not isinstance(plain, type):
        return False
    types_module = sys.modules.get("langgraph.types")
    command: type | None = types_module.Command if types_module else None
    return issubclass(plain, BaseMessage) or (command is not None and issubclass(plain, command))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
