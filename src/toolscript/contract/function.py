"""A Python function as a tool: its signature, types and docstring become the contract."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Never, NoReturn, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic import create_model as create_model_untyped
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined

from toolscript.contract.annotations import (
    adapted,
    optional,
)
from toolscript.contract.as_is import as_is, fields_of
from toolscript.contract.function_outline import (
    ABSENT,
    Outline,
    Parameter,
    field_infos,
    innermost,
    name_of,
    outline_of,
)
from toolscript.contract.problems import Problem, tool_error
from toolscript.contract.tool import JsonSchema, Tool, ToolContext, ToolOptions, ToolValue
from toolscript.contract.typed import QuietJsonSchema, problems_of, schema_of, tidy
from toolscript.contract.validation import compile_validator

logger = logging.getLogger("toolscript")

_create_model = cast("Callable[..., type[BaseModel]]", create_model_untyped)
_UNKNOWN_RESULTS: Final = (inspect.Signature.empty, Any, object, ToolValue, Never, NoReturn)


def tool_from_function(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    options: ToolOptions | None = None,
    source: str | None = None,
) -> Tool:
    """A tool that calls a function, a bound method, a partial or a callable object.

    Types come from annotations, descriptions from the docstring. A parameter annotated
    `ToolContext` receives the context of the call and is no part of the schema. What has no
    annotation is `unknown` in the declaration and passed on as it came.

    A declared type decides its JSON form, as pydantic has it: `bytes` is UTF-8 text, and what is
    no text needs `pydantic.Base64Bytes`. Where no type is declared bytes leave as base64.

    Raises:
        ContractError: for a function that cannot be called with named arguments, that has no
            name, or that yields a series of results.
    """
    inner = innermost(function)
    shown = name or name_of(function, inner)
    outline = outline_of(function, inner, shown)
    model, input_schema = _input_of(outline, shown)
    output_schema, dump = _output_of(outline, shown)
    return Tool(
        name=shown,
        description=outline.docstring.summary if description is None else description,
        input_schema=input_schema,
        output_schema=output_schema,
        call=_call_of(function, inner, outline),
        options=options or ToolOptions(),
        parse_input=_parser(model, outline, input_schema),
        dump_output=dump,
        source=source,
    )


def _input_of(outline: Outline, name: str) -> tuple[type[BaseModel], JsonSchema]:
    """A model of the arguments and its schema.

    The model's own field names are numbered: a parameter may be called what a model reserves.
    A parameter whose type has no JSON form takes anything, with a warning. Types bring hooks of
    their own, which may raise anything.
    """
    fields = {f"p{place}": _field_of(one) for place, one in enumerate(outline.parameters)}
    try:
        return _model_of(fields)
    except Exception:
        for place, parameter in enumerate(outline.parameters):
            key = f"p{place}"
            annotation, field = fields[key]
            try:
                _model_of({key: (annotation, field)})
            except Exception as error:
                logger.warning(
                    "tool %r: parameter %r is declared as unknown: %s",
                    name,
                    parameter.name,
                    _reason(error),
                )
                fields[key] = (Any, field)
    return _model_of(fields)


def _reason(error: Exception) -> str:
    """Why pydantic takes no type, on one line: what it says first, or last where that only leads
    to it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return lines[-1] if lines[0].endswith(":") else lines[0]


def _model_of(fields: dict[str, tuple[Any, Any]]) -> tuple[type[BaseModel], dict[str, Any]]:
    config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    model = _create_model("Arguments", __config__=config, **fields)
    schema = tidy(model.model_json_schema(schema_generator=QuietJsonSchema))
    schema.pop("title", None)
    schema.setdefault("properties", {})
    return model, schema


def _field_of(parameter: Parameter) -> tuple[Any, Any]:
    annotation = adapted(parameter.annotation, "input")
    infos = field_infos(parameter.annotation, parameter.default)
    settings: dict[str, Any] = {"alias": parameter.outside}
    if parameter.description and not any(info.description for info in infos):
        settings["description"] = parameter.description
    default = parameter.default
    if isinstance(default, FieldInfo):
        annotation = Annotated[annotation, default]
        if default.default_factory is not None:
            settings["default_factory"] = default.default_factory
            default = PydanticUndefined
        else:
            default = default.default
    elif default is inspect.Parameter.empty:
        default = PydanticUndefined
    elif default is ABSENT:
        settings["default_factory"] = _absent
        default = PydanticUndefined
    if default is Ellipsis:
        default = PydanticUndefined
    if default is None and annotation is not Any:
        annotation = optional(annotation)
    if default is not PydanticUndefined:
        settings["default"] = default
    return annotation, Field(**settings)


def _absent() -> Any:
    """Pydantic's value for what a script left out; the function never sees it."""
    return ABSENT


def _parser(
    model: type[BaseModel], outline: Outline, schema: JsonSchema
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What makes a function's arguments of JSON values.

    The schema is checked first. It is what the model was shown, and pydantic alone would take
    `"5"` or `"yes"` for a number or a boolean without a word.
    """
    outside = {f"p{number}": one.outside for number, one in enumerate(outline.parameters)}
    validator = compile_validator(schema)
    # What of the schema cannot be read is not checked.
    validate = fields_of(model, checked=not validator.warnings)

    def parse(arguments: dict[str, Any]) -> dict[str, Any]:
        validator.check_input(arguments)
        try:
            values, given = validate(arguments)
        except ValidationError as error:
            raise tool_error(problems_of(error, schema), "invalid_args") from error
        return {name: values[field] for field, name in outside.items() if field in given}

    return parse


def _output_of(
    outline: Outline, name: str
) -> tuple[JsonSchema | None, Callable[[Any], Any] | None]:
    if any(outline.result is unknown for unknown in _UNKNOWN_RESULTS):
        return None, None
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(adapted(outline.result, "output"))
        schema = schema_of(adapter, "serialization")
    except Exception as error:
        # As with parameters: whatever the type's own hooks raise concerns this tool alone.
        logger.warning("tool %r: its result is declared as unknown: %s", name, _reason(error))
        return None, None
    # A named type says for itself what it is, the same in every tool that returns it.
    if outline.docstring.returns and not {"description", "title", "$ref"} & set(schema):
        schema["description"] = outline.docstring.returns

    is_dumped = as_is(adapter.core_schema, schema)

    def dump(value: Any) -> Any:
        if is_dumped is not None and is_dumped(value):
            return value
        try:
            return adapter.dump_python(value, mode="json", by_alias=True, warnings="error")
        except (PydanticSerializationError, UnicodeDecodeError):
            pass
        # The value is not of the declared type as it stands, but may be what the type takes:
        # a dict for a model, say.
        try:
            fitting = adapter.validate_python(value)
            return adapter.dump_python(fitting, mode="json", by_alias=True, warnings="error")
        except ValidationError as error:
            raise tool_error(problems_of(error, schema), "invalid_result") from error
        except (PydanticSerializationError, UnicodeDecodeError) as error:
            reason = str(error).partition("\n")[0]
            if isinstance(error, UnicodeDecodeError):
                reason = "it holds bytes that are no UTF-8 text; use pydantic.Base64Bytes"
            raise tool_error(
                [Problem((), f"has no JSON form: {reason}")], "invalid_result"
            ) from error

    return schema, dump


def _call_of(
    function: Callable[..., Any], inner: Callable[..., Any], outline: Outline
) -> Callable[[Any, ToolContext], Any]:
    inside = {one.outside: one.name for one in outline.parameters}
    defaults = {one.name: one.default for one in outline.parameters}
    from_fields = {
        name: default for name, default in defaults.items() if isinstance(default, FieldInfo)
    }
    context_name = outline.context

    def bind(
        arguments: Mapping[str, Any], context: ToolContext
    ) -> tuple[list[Any], dict[str, Any]]:
        named = {inside.get(outside, outside): value for outside, value in arguments.items()}
        for name, info in from_fields.items():
            if name not in named:
                named[name] = info.get_default(call_default_factory=True, validated_data=named)
        if context_name is not None:
            named[context_name] = context
        positional = [
            named.pop(name) if name in named else defaults[name] for name in outline.positions
        ]
        return positional, named

    if inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(function):

        async def call_async(arguments: Any, context: ToolContext) -> Any:
            positional, named = bind(arguments, context)
            return await function(*positional, **named)

        return call_async

    def call(arguments: Any, context: ToolContext) -> Any:
        positional, named = bind(arguments, context)
        return function(*positional, **named)

    return call
