"""A Python function as a tool: its signature, types and docstring become the contract."""

from __future__ import annotations

import functools
import inspect
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Never, NoReturn, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic import create_model as create_model_untyped
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined

from toolscript.contract.annotations import (
    adapted,
    is_stream,
    keys_of_typed_dict,
    optional,
    resolved_hints,
    returned,
    unpacked_keywords,
)
from toolscript.contract.as_is import as_is, fields_of
from toolscript.contract.docstring import Docstring, parse_docstring
from toolscript.contract.problems import Problem, tool_error
from toolscript.contract.tool import JsonSchema, Tool, ToolContext, ToolOptions, ToolValue
from toolscript.contract.typed import QuietJsonSchema, problems_of, schema_of, tidy
from toolscript.contract.validation import compile_validator
from toolscript.errors import ContractError

logger = logging.getLogger("toolscript")

_create_model = cast("Callable[..., type[BaseModel]]", create_model_untyped)
_CONTEXT: Final = "ToolContext"
_UNKNOWN_RESULTS: Final = (inspect.Signature.empty, Any, object, ToolValue, Never, NoReturn)
_ABSENT: Final = object()
"""The default of a parameter that may be left out and has no default."""


@dataclass(frozen=True, slots=True)
class _Parameter:
    """A parameter that a script fills. `outside` is its name in the schema."""

    name: str
    outside: str
    annotation: Any
    default: Any
    description: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """A function as its source tells it."""

    parameters: tuple[_Parameter, ...]
    context: str | None
    positions: tuple[str, ...]
    """Positional-only parameters in order, the one for the context among them."""
    result: Any
    docstring: Docstring


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

    Raises:
        ContractError: for a function that cannot be called with named arguments, that has no
            name, or that yields a series of results.
    """
    inner = _innermost(function)
    shown = name or _name_of(function, inner)
    shape = _shape_of(function, inner, shown)
    model, input_schema = _input_of(shape, shown)
    output_schema, dump = _output_of(shape, shown)
    return Tool(
        name=shown,
        description=shape.docstring.summary if description is None else description,
        input_schema=input_schema,
        output_schema=output_schema,
        call=_call_of(function, inner, shape),
        options=options or ToolOptions(),
        parse_input=_parser(model, shape, input_schema),
        dump_output=dump,
        source=source,
    )


def _innermost(function: Any) -> Callable[..., Any]:
    """The function whose source the annotations and the docstring are in."""
    while isinstance(function, functools.partial):
        function = cast("functools.partial[Any]", function).func
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        function = type(function).__call__
    return inspect.unwrap(function)


def _name_of(function: Any, inner: Callable[..., Any]) -> str:
    if isinstance(function, functools.partial):
        return _name_of(cast("functools.partial[Any]", function).func, inner)
    found = getattr(function, "__name__", None)
    if not isinstance(found, str):
        found = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(function).__name__).lower()
    if found == "<lambda>":
        raise ContractError(
            "a lambda has no name that a script could call: define a function, or give one with "
            "tool_from(function, name=...)"
        )
    return found


def _shape_of(function: Callable[..., Any], inner: Callable[..., Any], name: str) -> _Shape:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise ContractError(
            f"{name!r} has no signature that Python can tell ({error}): wrap it in a function "
            f"with named, annotated parameters"
        ) from error
    _refuse_unbound(function, signature)
    hints = resolved_hints(inner)
    for wrong in set(getattr(inner, "__annotations__", {})) - set(hints):
        logger.warning("tool %r: the annotation of %r cannot be resolved", name, wrong)
    docstring = parse_docstring(_doc_of(function, inner))
    fixed = _fixed_by_partial(function)
    parameters: list[_Parameter] = []
    context: str | None = None
    positions: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.name in fixed:
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positions.append(parameter.name)
        annotation = hints.get(parameter.name, Any)
        if _is_context(annotation, getattr(inner, "__annotations__", {}).get(parameter.name)):
            context = parameter.name
            continue
        keywords = unpacked_keywords(annotation)
        if keywords is not None:
            parameters += _unpacked(keywords, docstring)
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise ContractError(
                f"{name!r} takes {stars}{parameter.name}, which no schema can describe: name its "
                f"parameters, or wrap it in a function that does"
            )
        parameters.append(
            _Parameter(
                name=parameter.name,
                outside=_alias_of(annotation, parameter.default) or parameter.name,
                annotation=annotation,
                default=parameter.default,
                description=docstring.params.get(parameter.name, ""),
            )
        )
    result = returned(hints.get("return", inspect.Signature.empty))
    if is_stream(result) or inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise ContractError(
            f"{name!r} yields its results one by one, and a tool answers once: return a list"
        )
    return _Shape(tuple(parameters), context, tuple(positions), result, docstring)


def _unpacked(keywords: Any, docstring: Docstring) -> list[_Parameter]:
    """The parameters that `**options: Unpack[Options]` stands for (PEP 692)."""
    return [
        _Parameter(
            name=name,
            outside=name,
            annotation=annotation,
            default=inspect.Parameter.empty if required else _ABSENT,
            description=docstring.params.get(name, ""),
        )
        for name, (annotation, required) in keys_of_typed_dict(keywords).items()
    ]


def _refuse_unbound(function: Any, signature: inspect.Signature) -> None:
    """A method that was taken from its class has nobody to be called on."""
    first = next(iter(signature.parameters.values()), None)
    owner, _, method = getattr(function, "__qualname__", "").rpartition(".")
    if (
        inspect.isfunction(function)
        and first is not None
        and first.name == "self"
        and first.annotation is first.empty
        and owner
        and not owner.endswith("<locals>")
    ):
        kind = owner.rpartition(".")[2]
        raise ContractError(
            f"{kind}.{method} is a method without its object: pass it from an instance, such as "
            f"{kind}(...).{method}"
        )


def _doc_of(function: Any, inner: Callable[..., Any]) -> str | None:
    if inspect.isroutine(function):
        return inspect.getdoc(function)
    return inspect.getdoc(inner) or inspect.getdoc(cast(Any, type(function)))


def _fixed_by_partial(function: Any) -> frozenset[str]:
    """Keyword arguments that partials have filled; a script cannot change them."""
    fixed: set[str] = set()
    while isinstance(function, functools.partial):
        partial = cast("functools.partial[Any]", function)
        fixed |= set(partial.keywords)
        function = partial.func
    return frozenset(fixed)


def _is_context(annotation: Any, written: Any) -> bool:
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if annotation is ToolContext or ToolContext in get_args(annotation):
        return True
    # Named in a string whose module imports it for type checkers only.
    return isinstance(written, str) and _CONTEXT in re.split(r"\W+", written)


def _field_infos(annotation: Any, default: Any) -> list[FieldInfo]:
    """Every `Field(...)` of a parameter, the one given as its default last."""
    metadata = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    candidates: tuple[Any, ...] = (*metadata, default)
    return [one for one in candidates if isinstance(one, FieldInfo)]


def _alias_of(annotation: Any, default: Any) -> str | None:
    for info in reversed(_field_infos(annotation, default)):
        for alias in (info.validation_alias, info.alias):
            if isinstance(alias, str):
                return alias
    return None


def _input_of(shape: _Shape, name: str) -> tuple[type[BaseModel], JsonSchema]:
    """A model of the arguments and its schema.

    The model's own field names are numbered: a parameter may be called what a model reserves.
    A parameter whose type has no JSON form takes anything, with a warning. Types bring hooks of
    their own, which may raise anything.
    """
    fields = {f"p{place}": _field_of(one) for place, one in enumerate(shape.parameters)}
    try:
        return _model_of(fields)
    except Exception:
        for place, parameter in enumerate(shape.parameters):
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


def _field_of(parameter: _Parameter) -> tuple[Any, Any]:
    annotation = adapted(parameter.annotation, "input")
    infos = _field_infos(parameter.annotation, parameter.default)
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
    elif default is _ABSENT:
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
    return _ABSENT


def _parser(
    model: type[BaseModel], shape: _Shape, schema: JsonSchema
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What makes a function's arguments of JSON values.

    The schema is checked first. It is what the model was shown, and pydantic alone would take
    `"5"` or `"yes"` for a number or a boolean without a word.
    """
    outside = {f"p{number}": one.outside for number, one in enumerate(shape.parameters)}
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


def _output_of(shape: _Shape, name: str) -> tuple[JsonSchema | None, Callable[[Any], Any] | None]:
    if any(shape.result is unknown for unknown in _UNKNOWN_RESULTS):
        return None, None
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(adapted(shape.result, "output"))
        schema = schema_of(adapter, "serialization")
    except Exception as error:
        # As with parameters: whatever the type's own hooks raise concerns this tool alone.
        logger.warning("tool %r: its result is declared as unknown: %s", name, _reason(error))
        return None, None
    # A named type says for itself what it is, the same in every tool that returns it.
    if shape.docstring.returns and not {"description", "title", "$ref"} & set(schema):
        schema["description"] = shape.docstring.returns

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
    function: Callable[..., Any], inner: Callable[..., Any], shape: _Shape
) -> Callable[[Any, ToolContext], Any]:
    inside = {one.outside: one.name for one in shape.parameters}
    defaults = {one.name: one.default for one in shape.parameters}
    from_fields = {
        name: default for name, default in defaults.items() if isinstance(default, FieldInfo)
    }
    context_name = shape.context

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
            named.pop(name) if name in named else defaults[name] for name in shape.positions
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
