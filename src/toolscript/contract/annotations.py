"""Type annotations of Python functions, resolved and made fit for pydantic."""

from __future__ import annotations

import enum
import inspect
import json
import sys
import types
import typing
from collections.abc import AsyncIterable, Awaitable, Callable, Collection, Iterator, Mapping
from typing import (
    Any,
    Final,
    Literal,
    LiteralString,
    NotRequired,
    Required,
    Union,
    cast,
    get_args,
    get_origin,
)

from pydantic import BeforeValidator, ConfigDict
from pydantic_core import to_jsonable_python
from typing_extensions import TypedDict, Unpack, get_type_hints, is_typeddict

from toolscript.contract.v1_models import is_v1_model, v1_annotation

_REQUIRED: Final = (Required, typing.Required)
_MARKS: Final = (*_REQUIRED, NotRequired, typing.NotRequired)
_SCALARS: Final = (str, int, float, bool, type(None))
_UNPACK: Final = (Unpack, typing.Unpack)
_STREAMS: Final = (AsyncIterable, Iterator)
_UNION: Final[Any] = Union
Direction = Literal["input", "output"]


def resolved_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function, strings and forward references resolved.

    A name that is local to the function that defines `function` is looked up in its frame while
    it still runs. An annotation that cannot be resolved is left out, so that one unknown name
    does not take the other annotations with it.
    """
    written: Mapping[str, Any] = getattr(function, "__annotations__", {})
    namespace = getattr(function, "__globals__", {})
    local = _enclosing_locals(function)
    found: dict[str, Any] = {}
    for name, annotation in written.items():
        one = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            hints = get_type_hints(one, namespace, local, include_extras=True)
        except (NameError, TypeError, SyntaxError, AttributeError):
            continue
        found[name] = hints[name]
    return found


def returned(annotation: Any) -> Any:
    """What a caller gets once it has awaited: `Awaitable[X]` is X."""
    origin = get_origin(annotation)
    while isinstance(origin, type) and issubclass(origin, Awaitable):
        annotation = get_args(annotation)[-1]
        origin = get_origin(annotation)
    return annotation


def is_stream(annotation: Any) -> bool:
    """Whether an annotation promises values one by one: an iterator, a generator, a stream."""
    origin = get_origin(annotation) or annotation
    return isinstance(origin, type) and issubclass(origin, _STREAMS)


def optional(annotation: Any) -> Any:
    """The type, or None."""
    return _UNION[annotation, None]


def adapted(annotation: Any, direction: Direction) -> Any:
    """The same type as pydantic 2 understands it.

    TypedDicts of `typing` (which pydantic refuses before Python 3.12), models of pydantic 1 and
    what it has no schema for (`Collection`, `LiteralString`) are replaced by equals. A TypedDict in a result keeps keys that it does not declare, and one
    in arguments refuses them: neither is dropped without a word.
    """
    return _adapted(annotation, direction, {})


def _adapted(annotation: Any, direction: Direction, seen: dict[Any, Any]) -> Any:
    if is_typeddict(annotation):
        return _typed_dict(annotation, direction, seen)
    if is_v1_model(annotation):
        return v1_annotation(annotation)
    if annotation is LiteralString:
        return str
    if direction == "input" and _is_enum(annotation):
        return _by_json_value(annotation)
    origin = get_origin(annotation)
    args = get_args(annotation)
    if (origin or annotation) is Collection:
        return list[_adapted(args[0], direction, seen)] if args else list[Any]
    if origin is None or not args or origin is Literal:
        return annotation
    if is_typeddict(origin):
        return annotation
    if origin is typing.Annotated:
        inner = _adapted(args[0], direction, seen)
        return annotation if inner is args[0] else typing.Annotated[(inner, *args[1:])]
    if origin is Callable:
        return annotation
    new = tuple(_adapted(arg, direction, seen) for arg in args)
    if all(one is other for one, other in zip(new, args, strict=True)):
        return annotation
    if origin in (Union, types.UnionType):
        return _UNION[new]
    if hasattr(annotation, "copy_with"):
        return annotation.copy_with(new)
    return origin[new]


def _is_enum(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, enum.Enum)


def _by_json_value(cls: type[enum.Enum]) -> Any:
    """An enumeration that is also found by the JSON form of its values: lists for tuples, text
    for dates."""
    if all(isinstance(member.value, _SCALARS) for member in cls):
        return cls
    members = {_canonical(member): member for member in cls}

    def found(value: Any) -> Any:
        return value if isinstance(value, cls) else members.get(_canonical(value), value)

    return typing.Annotated[cls, BeforeValidator(found)]


def _canonical(value: Any) -> str:
    return json.dumps(to_jsonable_python(value, fallback=repr), sort_keys=True)


def _typed_dict(cls: Any, direction: Direction, seen: dict[Any, Any]) -> Any:
    """A copy of a TypedDict under the same name, made by `typing_extensions`."""
    if cls in seen:
        return seen[cls]
    # A recursive TypedDict cannot refer to its own copy before that exists.
    seen[cls] = dict[str, Any]
    try:
        keys = keys_of_typed_dict(cls)
    except NameError:
        return seen[cls]
    fields: dict[str, Any] = {}
    for name, (hint, needed) in keys.items():
        inner = _adapted(hint, direction, seen)
        fields[name] = Required[inner] if needed else NotRequired[inner]
    make: Any = TypedDict
    copy: Any = make(cls.__name__, fields)
    copy.__doc__ = cls.__doc__
    copy.__module__ = cls.__module__
    extra: Literal["allow", "forbid"] = "allow" if direction == "output" else "forbid"
    own = cast("ConfigDict", getattr(cls, "__pydantic_config__", {}))
    copy.__pydantic_config__ = ConfigDict(extra=extra) | own
    seen[cls] = copy
    return copy


def keys_of_typed_dict(cls: Any) -> dict[str, tuple[Any, bool]]:
    """The keys of a TypedDict, each with its type and whether it is required.

    Raises:
        NameError: for a type that cannot be found.
    """
    module = sys.modules.get(cls.__module__)
    namespace = dict(vars(module)) if module else {}
    hints = get_type_hints(cls, namespace, {cls.__name__: cls}, include_extras=True)
    required: frozenset[str] = cls.__required_keys__
    found: dict[str, tuple[Any, bool]] = {}
    for name, hint in hints.items():
        # Under postponed annotations the class itself does not see its `Required[...]`.
        needed = name in required
        while get_origin(hint) in _MARKS:
            needed = get_origin(hint) in _REQUIRED
            hint = get_args(hint)[0]
        found[name] = (hint, needed)
    return found


def unpacked_keywords(annotation: Any) -> Any:
    """The TypedDict that `**options: Unpack[Options]` is annotated with (PEP 692), or None."""
    return get_args(annotation)[0] if get_origin(annotation) in _UNPACK else None


def _enclosing_locals(function: Callable[..., Any]) -> dict[str, Any]:
    """Local names around a function: its closure, and the frames of the functions it is in."""
    qualified = getattr(function, "__qualname__", "")
    found: dict[str, Any] = {}
    outer = {
        qualified[:place]
        for place in range(len(qualified))
        if qualified.startswith(".<locals>.", place)
    }
    frame = inspect.currentframe()
    while outer and frame is not None:
        if (
            frame.f_code.co_qualname in outer
            and frame.f_code.co_filename == getattr(function, "__code__", frame.f_code).co_filename
        ):
            found = {**frame.f_locals, **found}
        frame = frame.f_back
    code = getattr(function, "__code__", None)
    cells = getattr(function, "__closure__", None) or ()
    for name, cell in zip(code.co_freevars if code else (), cells, strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found
