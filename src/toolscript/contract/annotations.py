"""Type annotations of Python functions, resolved and made fit for pydantic."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from typing import Any, Final, Literal, NotRequired, Required, Union, cast, get_args, get_origin

from pydantic import ConfigDict
from typing_extensions import TypedDict, get_type_hints, is_typeddict

from toolscript.contract.v1_models import is_v1_model, v1_annotation

_REQUIRED: Final = (Required, typing.Required)
_MARKS: Final = (*_REQUIRED, NotRequired, typing.NotRequired)
_AWAITED: Final = (Awaitable, Coroutine)
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
    while get_origin(annotation) in _AWAITED:
        annotation = get_args(annotation)[-1]
    return annotation


def is_stream(annotation: Any) -> bool:
    """Whether an annotation promises a series of values over time."""
    origin = get_origin(annotation) or annotation
    return isinstance(origin, type) and issubclass(origin, AsyncIterator)


def optional(annotation: Any) -> Any:
    """The type, or None."""
    return _UNION[annotation, None]


def adapted(annotation: Any, direction: Direction) -> Any:
    """The same type as pydantic 2 understands it.

    TypedDicts of `typing` (which pydantic refuses before Python 3.12) and models of pydantic 1
    are replaced by equals. A TypedDict in a result keeps keys that it does not declare, and one
    in arguments refuses them: neither is dropped without a word.
    """
    return _adapted(annotation, direction, {})


def _adapted(annotation: Any, direction: Direction, seen: dict[Any, Any]) -> Any:
    if is_typeddict(annotation):
        return _typed_dict(annotation, direction, seen)
    if is_v1_model(annotation):
        return v1_annotation(annotation)
    origin = get_origin(annotation)
    args = get_args(annotation)
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


def _typed_dict(cls: Any, direction: Direction, seen: dict[Any, Any]) -> Any:
    """A copy of a TypedDict under the same name, made by `typing_extensions`."""
    if cls in seen:
        return seen[cls]
    # A recursive TypedDict cannot refer to its own copy before that exists.
    seen[cls] = dict[str, Any]
    module = sys.modules.get(cls.__module__)
    namespace = dict(vars(module)) if module else {}
    try:
        hints = get_type_hints(cls, namespace, {cls.__name__: cls}, include_extras=True)
    except NameError:
        return seen[cls]
    required: frozenset[str] = cls.__required_keys__
    fields: dict[str, Any] = {}
    for name, hint in hints.items():
        # Under postponed annotations the class itself does not see its `Required[...]`.
        needed = name in required
        while get_origin(hint) in _MARKS:
            needed = get_origin(hint) in _REQUIRED
            hint = get_args(hint)[0]
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
