"""A Python function as its source tells it: name, parameters, types, docstring."""

from __future__ import annotations

import functools
import inspect
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from toolscript.contract.annotations import (
    is_stream,
    keys_of_typed_dict,
    resolved_hints,
    returned,
    unpacked_keywords,
)
from toolscript.contract.docstring import Docstring, parse_docstring
from toolscript.contract.tool import ToolContext
from toolscript.errors import ContractError

logger = logging.getLogger("toolscript")

_CONTEXT: Final = "ToolContext"
ABSENT: Final = object()
"""The default of a parameter that may be left out and has no default."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that a script fills. `outside` is its name in the schema."""

    name: str
    outside: str
    annotation: Any
    default: Any
    description: str


@dataclass(frozen=True, slots=True)
class Outline:
    """A function as its source tells it."""

    parameters: tuple[Parameter, ...]
    context: str | None
    positions: tuple[str, ...]
    """Positional-only parameters in order, the one for the context among them."""
    result: Any
    docstring: Docstring


def innermost(function: Any) -> Callable[..., Any]:
    """The function whose source the annotations and the docstring are in."""
    while isinstance(function, functools.partial):
        function = cast("functools.partial[Any]", function).func
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        function = type(function).__call__
    return inspect.unwrap(function)


def name_of(function: Any, inner: Callable[..., Any]) -> str:
    if isinstance(function, functools.partial):
        return name_of(cast("functools.partial[Any]", function).func, inner)
    found = getattr(function, "__name__", None)
    if not isinstance(found, str):
        found = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(function).__name__).lower()
    if found == "<lambda>":
        raise ContractError(
            "a lambda has no name that a script could call: define a function, or give one with "
            "tool_from(function, name=...)"
        )
    return found


def outline_of(function: Callable[..., Any], inner: Callable[..., Any], name: str) -> Outline:
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
    parameters: list[Parameter] = []
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
            Parameter(
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
    return Outline(tuple(parameters), context, tuple(positions), result, docstring)


def _unpacked(keywords: Any, docstring: Docstring) -> list[Parameter]:
    """The parameters that `**options: Unpack[Options]` stands for (PEP 692)."""
    return [
        Parameter(
            name=name,
            outside=name,
            annotation=annotation,
            default=inspect.Parameter.empty if required else ABSENT,
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


def field_infos(annotation: Any, default: Any) -> list[FieldInfo]:
    """Every `Field(...)` of a parameter, the one given as its default last."""
    metadata = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    candidates: tuple[Any, ...] = (*metadata, default)
    return [one for one in candidates if isinstance(one, FieldInfo)]


def _alias_of(annotation: Any, default: Any) -> str | None:
    for info in reversed(field_infos(annotation, default)):
        for alias in (info.validation_alias, info.alias):
            if isinstance(alias, str):
                return alias
    return None
