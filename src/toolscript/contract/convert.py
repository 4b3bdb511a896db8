"""Anything that is a tool somewhere becomes a `Tool` here, by what it is.

No framework is imported: an object's class says where it comes from.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from toolscript.contract.tool import (
    GivenOptions,
    JsonSchema,
    Namespace,
    Tool,
    ToolOptions,
    options_given,
)
from toolscript.errors import ContractError
from toolscript.given import FUNCTION, NAME, SCHEMA, TEXT, a, check, maybe

_WHAT_IS = (
    "a tool is a function, a LangChain tool, a toolscript.Tool, or an MCP, OpenAI or Anthropic "
    "definition with call=; tools of other frameworks come through toolscript_adapters"
)


def tools_from(objects: Iterable[Any]) -> list[Tool]:
    """`tool_from` of each object, in order.

    Raises:
        ContractError: for the first that is no tool, with its place.
    """
    tools: list[Tool] = []
    for place, one in enumerate(objects):
        try:
            tools.append(tool_from(one))
        except ContractError as error:
            raise ContractError(f"tool {place + 1}: {error}") from error
    return tools


def tool_from(
    obj: Any,
    *,
    call: Callable[..., Any] | None = None,
    name: str | None = None,
    description: str | None = None,
    input_schema: JsonSchema | None = None,
    output_schema: JsonSchema | None = None,
    options: GivenOptions | None = None,
    source: str | None = None,
) -> Tool:
    """A tool from whatever an application has.

    Takes a function (sync or async, a method, a partial, a callable object), a LangChain tool, an
    MCP tool definition (`call(name, arguments)` performs the call), a function definition of
    OpenAI, Anthropic and others (`call` takes the arguments by name), or a `Tool`. What else is
    passed replaces what was found; `options` may be a mapping of fields of `ToolOptions`.

    Raises:
        ContractError: for what is no tool; the message says what to do about it.
        ConfigurationError: for an argument of the wrong kind.
    """
    for parameter, wanted, value in (
        ("call", FUNCTION, call),
        ("name", NAME, name),
        ("description", TEXT, description),
        ("source", TEXT, source),
    ):
        if value is not None:
            check(f"tool_from({parameter}=)", wanted, value)
    for parameter, schema in (("input_schema", input_schema), ("output_schema", output_schema)):
        if schema is not None:
            from toolscript.contract.readable import require_readable

            require_readable(f"tool_from({parameter}=)", schema)
    _refuse_lookalikes(obj)
    if isinstance(obj, Tool):
        found = obj if call is None else replace(obj, call=call)
    elif _is_from(obj, "langchain_core.tools"):
        from toolscript.langchain.convert import tool_from_langchain

        found = tool_from_langchain(obj)
    elif _is_mcp(obj):
        found = _from_mcp(obj, call)
    elif isinstance(obj, Mapping):
        found = _from_definition(cast("Mapping[str, Any]", obj), call)
    elif callable(obj):
        if call is not None:
            raise ContractError("call= belongs to a definition; a function is called itself")
        from toolscript.contract.function import tool_from_function

        found = tool_from_function(obj, name=name)
    else:
        raise ContractError(f"{_shown(obj)} is no tool: {_WHAT_IS}")
    changes: dict[str, Any] = {
        field: value
        for field, value in (
            ("name", name),
            ("description", description),
            ("input_schema", input_schema),
            ("output_schema", output_schema),
            ("options", options_given(options, "tool_from(options=)")),
            ("source", source),
        )
        if value is not None
    }
    # The types of the function no longer decide what its schema says.
    if input_schema is not None:
        changes["parse_input"] = None
    if output_schema is not None:
        changes["dump_output"] = None
    return _checked(replace(found, **changes) if changes else found)


def _checked(tool: Tool) -> Tool:
    """The tool, if it can be offered at all."""
    if not isinstance(cast(Any, tool.name), str) or not tool.name:
        raise ContractError(f"a tool needs a name, not {tool.name!r}")
    if not callable(tool.call):
        raise ContractError(f"tool {tool.name!r}: call must be a function, not {tool.call!r}")
    where = f"tool {tool.name!r}:"
    check(f"{where} description", TEXT, tool.description)
    check(f"{where} input_schema", SCHEMA, tool.input_schema)
    check(f"{where} output_schema", maybe(SCHEMA), tool.output_schema)
    check(f"{where} options", a(ToolOptions), tool.options)
    return tool


def _refuse_lookalikes(obj: Any) -> None:
    """Sentences for what people pass in the place of a tool."""
    if inspect.isclass(obj):
        if any(base.__name__ == "BaseTool" for base in obj.__mro__):
            raise ContractError(f"{obj.__name__} is a class: pass an instance, {obj.__name__}()")
        raise ContractError(
            f"{obj.__name__} is a class, which is called to make an object: pass an instance that "
            f"can be called, one of its methods, or a function"
        )
    if inspect.iscoroutine(obj):
        obj.close()
        raise ContractError(
            f"{obj.__qualname__}() was called already: pass the function itself, without brackets"
        )
    if inspect.isgenerator(obj) or inspect.isasyncgen(obj):
        raise ContractError(
            f"{obj.__qualname__}() is a generator: a tool answers once, so pass a function that "
            f"returns a list"
        )
    if inspect.ismodule(obj):
        raise ContractError(f"{obj.__name__} is a module: pass the functions that scripts may call")
    if isinstance(obj, Namespace):
        raise ContractError(
            f"Namespace {obj.name!r} is a group of tools: pass it to CodeMode beside the tools, "
            f"not inside another namespace"
        )


def _from_mcp(obj: Any, call: Callable[..., Any] | None) -> Tool:
    from toolscript.mcp.convert import field_of, tool_from_mcp

    if call is None:
        raise ContractError(
            f"the MCP tool {field_of(obj, 'name')!r} has no function: use tool_from(definition, "
            f"call=session.call_tool), where call(name, arguments) performs the call"
        )
    return tool_from_mcp(obj, call)


def _from_definition(obj: Mapping[str, Any], call: Callable[..., Any] | None) -> Tool:
    from toolscript.contract.definitions import read_definition, tool_from_definition

    if call is None:
        raise ContractError(
            f"the definition of {read_definition(obj).name!r} has no function: use "
            f"tool_from(definition, call=function)"
        )
    return tool_from_definition(obj, call)


def _is_from(obj: Any, package: str) -> bool:
    return any(
        base.__module__ == package or base.__module__.startswith(f"{package}.")
        for base in type(obj).__mro__
    )


def _is_mcp(obj: Any) -> bool:
    """Whether this is a tool definition of MCP: a dict, or the model of an SDK of any version."""
    if isinstance(obj, Mapping):
        return "inputSchema" in obj and "name" in obj
    has_schema = hasattr(obj, "input_schema") or hasattr(obj, "inputSchema")
    return has_schema and hasattr(obj, "name") and not callable(obj)


def _shown(obj: Any) -> str:
    if obj is None or isinstance(obj, str | int | float):
        return f"{repr(obj)[:60]} ({type(obj).__name__})"
    return f"an object of type {type(obj).__module__}.{type(obj).__qualname__}"
