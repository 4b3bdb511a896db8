"""A tool's native return value, which LangChain turns into the text of a message.

A script should get a pydantic model as an object, not as its `repr`. A view of the tool shares
all state with it and notes what its `_run` or `_arun` returned.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from operator import attrgetter
from typing import Any
from weakref import WeakKeyDictionary

from langchain_core.tools import BaseTool

from toolscript.langchain.signature import annotations_of

_returned: ContextVar[list[Any] | None] = ContextVar("toolscript_returned", default=None)

_views: WeakKeyDictionary[type[BaseTool], type[BaseTool]] = WeakKeyDictionary()


# Protected in `BaseTool`, where a subclass says how it runs; wrapped here.
_run_and_arun: Callable[[type[BaseTool]], tuple[Callable[..., Any], Callable[..., Any]]] = (
    attrgetter("_run", "_arun")
)


def capture_view(tool: BaseTool) -> BaseTool:
    """The same tool, state included, whose calls note what they return."""
    view_class = _views.get(type(tool))
    if view_class is None:
        view_class = _views[type(tool)] = _view_class(type(tool))
    view = view_class.__new__(view_class)
    object.__setattr__(view, "__dict__", tool.__dict__)
    for name in ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__"):
        object.__setattr__(view, name, getattr(tool, name))
    return view


class Returned:
    """Collects what a view's call returns; one per call."""

    def __init__(self) -> None:
        self._values: list[Any] = []

    def __enter__(self) -> Returned:
        self._token = _returned.set(self._values)
        return self

    def __exit__(self, *_: object) -> None:
        _returned.reset(self._token)

    def value_or(self, default: Any) -> Any:
        """What the tool returned; `default` where its class does not go through `_run`.

        A tool that calls others notes several values; its own is the last.
        """
        return self._values[-1] if self._values else default


def _view_class(original: type[BaseTool]) -> type[BaseTool]:
    run, arun = _run_and_arun(original)

    @functools.wraps(run)
    def _run(self: BaseTool, /, *args: Any, **kwargs: Any) -> Any:
        return _note(run(self, *args, **kwargs))

    # LangChain resolves these at each call; resolved ones cost it nothing.
    _run.__annotations__ = annotations_of(run)
    namespace: dict[str, Any] = {
        "__module__": original.__module__,
        "__qualname__": original.__qualname__,
        "_run": _run,
    }
    if arun is not _run_and_arun(BaseTool)[1]:

        @functools.wraps(arun)
        async def _arun(self: BaseTool, /, *args: Any, **kwargs: Any) -> Any:
            return _note(await arun(self, *args, **kwargs))

        _arun.__annotations__ = annotations_of(arun)
        namespace["_arun"] = _arun
    metaclass: Any = type(original)
    view: type[BaseTool] = metaclass(original.__name__, (original,), namespace)
    return view


def _note(value: Any) -> Any:
    values = _returned.get()
    if values is not None:
        values.append(value)
    return value
