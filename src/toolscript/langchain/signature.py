"""Which function speaks for a LangChain tool, and what its annotations say."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import AsyncIterator, Callable, Iterator
from operator import attrgetter
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import langchain_core.tools
from langchain_core.callbacks import BaseCallbackManager
from langchain_core.callbacks.base import RunManagerMixin
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, Tool

Function = Callable[..., Any]


# Protected in `BaseTool`, where a subclass says how it runs; read here, never called.
_run_and_arun: Callable[[Any], tuple[Function, Function]] = attrgetter("_run", "_arun")


def function_of(tool: BaseTool) -> Function:
    """The function whose parameters and return annotation are the tool's own."""
    if isinstance(tool, StructuredTool | Tool):
        function = tool.func or tool.coroutine
        if function is not None:
            return function
    run, arun = _run_and_arun(tool)
    return arun if _takes_anything(run) and not _takes_anything(arun) else run


def is_async_only(tool: BaseTool) -> bool:
    """Whether only the tool's `_arun` says what it takes."""
    return function_of(tool) == _run_and_arun(tool)[1]


def annotations_of(function: Function) -> dict[str, Any]:
    """Resolved annotations by parameter name, and of `return`.

    One that cannot be resolved (a name that only exists while type checking) is left out and
    does not take the others with it: an injected argument must stay hidden whatever its
    neighbours are annotated with.
    """
    target: Any = inspect.unwrap(function)
    while isinstance(target, functools.partial):
        target = target.func
    if not inspect.isroutine(target):
        target = target.__call__
    try:
        return get_type_hints(target, include_extras=True)
    except Exception:
        return _annotations_one_by_one(target)


def runs_in_thread(tool: BaseTool) -> bool:
    """Whether the tool's `ainvoke` only sends its `invoke` to a thread."""
    if type(tool).ainvoke not in (BaseTool.ainvoke, StructuredTool.ainvoke, Tool.ainvoke):
        return False
    if isinstance(tool, StructuredTool | Tool) and tool.coroutine is not None:
        return False
    return _run_and_arun(type(tool))[1] in [
        _run_and_arun(plain)[1] for plain in (BaseTool, StructuredTool, Tool)
    ]


def parts_of(annotation: Any) -> Iterator[Any]:
    """The annotation, its union members and the metadata of `Annotated`, at any depth."""
    yield annotation
    origin = get_origin(annotation)
    if origin is Annotated or origin is Union or origin is types.UnionType:
        for part in get_args(annotation):
            yield from parts_of(part)


def framework_parameters(function: Function) -> list[str]:
    """Parameters that LangChain fills by their type: config, run manager, callbacks."""
    found: list[str] = []
    for name, annotation in annotations_of(function).items():
        for part in parts_of(annotation):
            plain = get_origin(part) or part
            is_manager = isinstance(plain, type) and issubclass(
                plain, RunManagerMixin | BaseCallbackManager
            )
            if plain is RunnableConfig or is_manager:
                found.append(name)
                break
    return [name for name in found if name != "return"]


def is_generator(function: Function) -> bool:
    """Whether calling the function gives values bit by bit instead of a value."""
    target: Any = inspect.unwrap(function)
    while isinstance(target, functools.partial):
        target = target.func
    if inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target):
        return True
    returned = get_origin(annotations_of(function).get("return"))
    return isinstance(returned, type) and issubclass(returned, Iterator | AsyncIterator)


def _takes_anything(function: Function) -> bool:
    kinds = {
        parameter.kind
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in ("config", "run_manager")
    }
    return bool(kinds) and kinds <= {
        inspect.Parameter.VAR_POSITIONAL,
        inspect.Parameter.VAR_KEYWORD,
    }


def _well_known() -> dict[str, Any]:
    """Names that mark injected arguments, for functions that imported them inside a function."""
    names: dict[str, Any] = {**vars(typing), **vars(langchain_core.tools)}
    names["RunnableConfig"] = RunnableConfig
    prebuilt = sys.modules.get("langgraph.prebuilt")
    return names if prebuilt is None else names | vars(prebuilt)


def _annotations_one_by_one(function: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    raw: dict[str, Any] = getattr(function, "__annotations__", {})
    namespace = {**_well_known(), **getattr(function, "__globals__", {})}
    for name, annotation in raw.items():
        holder = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            found |= typing.get_type_hints(holder, namespace, include_extras=True)
        except Exception:
            continue
    return found
