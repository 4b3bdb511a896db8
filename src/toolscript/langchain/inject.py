"""Arguments that the host fills in: which they are, and with what."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast, get_origin

from langchain_core.tools import BaseTool, InjectedToolArg, InjectedToolCallId
from langchain_core.tools.base import get_all_basemodel_annotations
from pydantic import BaseModel
from pydantic.v1 import BaseModel as BaseModelV1

from toolscript.errors import ContractError, ToolError
from toolscript.langchain.signature import (
    annotations_of,
    framework_parameters,
    function_of,
    parts_of,
)

if TYPE_CHECKING:
    from langgraph.prebuilt import ToolRuntime

Inject = Mapping[str, Any]
"""Values for custom injected arguments by name; a callable gets the `ToolRuntime` (or None)."""


@dataclass(frozen=True, slots=True)
class Injection:
    """The injected arguments of one tool.

    Attributes:
        hidden: all of them; a script can neither see nor pass any of these.
        optional: those that have a default of their own, for where there is nothing to inject.
        state: argument → field of the graph's state; None is the whole state.
        store, runtime: arguments that get the graph's store, the call's `ToolRuntime`.
        custom: arguments that the application has to give.
    """

    hidden: frozenset[str] = frozenset()
    state: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    optional: frozenset[str] = frozenset()
    store: frozenset[str] = frozenset()
    runtime: frozenset[str] = frozenset()
    custom: frozenset[str] = frozenset()

    def fill(
        self,
        tool: str,
        args: Mapping[str, Any],
        *,
        state: Any,
        runtime: ToolRuntime[Any, Any] | None,
        custom: Inject,
    ) -> dict[str, Any]:
        """The arguments of a script with what the host injects, and nothing forged.

        Raises:
            ToolError: the tool needs something that the application does not give here.
        """
        filled = {name: value for name, value in args.items() if name not in self.hidden}
        for name in self.custom:
            if name in custom:
                value = custom[name]
                filled[name] = value(runtime) if callable(value) else value
            elif name not in self.optional:
                raise ToolError(
                    f"{tool} needs {name!r} of the application, which is no argument of a script; "
                    f"give it by CodeModeTool(inject={{{name!r}: ...}})"
                )
        store = runtime.store if runtime else None
        graph = [*((name, "runtime", runtime) for name in self.runtime)]
        graph += [(name, "store", store) for name in self.store]
        for name, what, value in graph:
            if value is not None:
                filled[name] = value
            elif name not in self.optional:
                raise _missing(tool, what)
        for name, key in self.state.items():
            if state is None:
                if name in self.optional:
                    continue
                raise _missing(tool, "state")
            present, value = _state_value(state, key)
            if present:
                filled[name] = value
            elif name not in self.optional:
                raise ToolError(f"{tool} needs {key!r} in the graph's state, which has no such key")
        return filled


def wants_injection(function: Callable[..., Any]) -> bool:
    """Whether a plain function has arguments that only LangChain can fill in."""
    annotations = annotations_of(function)
    annotations.pop("return", None)
    return any(_kind(annotation) for annotation in annotations.values()) or bool(
        framework_parameters(function)
    )


def injection_of(tool: BaseTool) -> Injection:
    """Find the injected arguments of a tool in its schema and in its function.

    Raises:
        ContractError: for a tool whose argument `runtime` could never reach it.
    """
    function = function_of(tool)
    annotations = annotations_of(function)
    annotations.pop("return", None)
    defaults = {
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
    found = {name: _kind(annotation) for name, annotation in annotations.items()}
    if tool.args_schema is not None and not isinstance(tool.args_schema, dict):
        # A schema may say `Any` of what the function says is injected.
        fields = get_all_basemodel_annotations(tool.args_schema)
        found |= {name: _kind(field) or found.get(name) for name, field in fields.items()}
        defaults |= _optional_fields(tool.args_schema)
    if _swallows_runtime(tool, function):
        found["runtime"] = ("runtime", None)
    state = {name: kind[1] for name, kind in found.items() if kind and kind[0] == "state"}

    def of_kind(wanted: str) -> frozenset[str]:
        return frozenset(name for name, kind in found.items() if kind and kind[0] == wanted)

    return Injection(
        hidden=frozenset(name for name, kind in found.items() if kind),
        state=state,
        optional=frozenset(defaults),
        store=of_kind("store"),
        runtime=of_kind("runtime"),
        custom=of_kind("custom"),
    )


def _kind(annotation: Any) -> tuple[str, str | None] | None:
    for part in parts_of(annotation):
        plain = get_origin(part) or (part if isinstance(part, type) else type(part))
        for marker, kind in _markers():
            if isinstance(plain, type) and issubclass(plain, marker):
                return kind, getattr(part, "field", None) if kind == "state" else None
    return None


def _markers() -> list[tuple[type, str]]:
    """Marker classes, the most specific first.

    LangGraph's are looked up only where it is loaded: a tool cannot be annotated with them
    otherwise.
    """
    markers: list[tuple[type, str]] = []
    prebuilt = sys.modules.get("langgraph.prebuilt.tool_node")
    if prebuilt is not None:
        markers += [
            (prebuilt.InjectedState, "state"),
            (prebuilt.InjectedStore, "store"),
            (prebuilt.ToolRuntime, "runtime"),
        ]
    # LangChain itself fills in the id of the call.
    return [*markers, (InjectedToolCallId, "call_id"), (InjectedToolArg, "custom")]


def _swallows_runtime(tool: BaseTool, function: Callable[..., Any]) -> bool:
    """Whether a function takes `runtime` for itself and everything else as keywords.

    `langchain-mcp-adapters` writes its tools so; a server's own argument of that name would be
    swallowed, and no caller could tell.
    """
    parameters = inspect.signature(function).parameters
    takes_rest = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    if not isinstance(tool.args_schema, dict) or "runtime" not in parameters or not takes_rest:
        return False
    properties = cast(Mapping[str, Any], tool.args_schema.get("properties", {}))
    if "runtime" in properties:
        raise ContractError(
            f"tool {tool.name!r} has an argument named 'runtime', which its LangChain wrapper "
            "keeps for itself, so the value would never arrive; rename the argument at its "
            "source, or offer the MCP server to toolscript directly"
        )
    return True


def _optional_fields(schema: type[BaseModel] | type[BaseModelV1]) -> set[str]:
    if issubclass(schema, BaseModelV1):
        return {name for name, info in schema.__fields__.items() if not info.required}
    return {name for name, info in schema.model_fields.items() if not info.is_required()}


def _missing(tool: str, what: str) -> ToolError:
    return ToolError(
        f"{tool} needs the graph's {what}, and there is none here: offer the tool by a "
        f"CodeModeTool that runs in a LangGraph graph"
        f"{' compiled with a store' if what == 'store' else ''}"
    )


def _state_value(state: Any, key: str | None) -> tuple[bool, Any]:
    if isinstance(state, list):
        state = {"messages": cast("list[Any]", state)}
    if key is None:
        return True, state
    if isinstance(state, Mapping):
        mapping = cast(Mapping[str, Any], state)
        return key in mapping, mapping.get(key)
    return hasattr(state, key), getattr(state, key, None)
