"""Function definitions of model providers, each with a function that answers its calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from toolscript.contract.tool import JsonSchema, Tool, ToolContext, ToolOptions
from toolscript.errors import ContractError

_SCHEMA_WORDS: Final = (
    "parameters",  # OpenAI, Gemini, most others
    "input_schema",  # Anthropic
    "parameters_json_schema",
    "parametersJsonSchema",
    "inputSchema",
)


@dataclass(frozen=True, slots=True)
class Definition:
    """What every provider's function definition says."""

    name: str
    description: str
    input_schema: JsonSchema


def read_definition(definition: Mapping[str, Any]) -> Definition:
    """A function definition of OpenAI (both APIs), Anthropic, Gemini, Bedrock or plain JSON.

    Raises:
        ContractError: for a dict that is none, or a tool that the provider runs itself.
    """
    inner: Mapping[str, Any] = definition
    for box in ("function", "toolSpec"):
        boxed = definition.get(box)
        if isinstance(boxed, Mapping):
            inner = cast("Mapping[str, Any]", boxed)
    name = inner.get("name")
    schema = next((inner[word] for word in _SCHEMA_WORDS if word in inner), None)
    if isinstance(schema, Mapping) and set(cast("Mapping[str, Any]", schema)) == {"json"}:
        schema = cast("Mapping[str, Any]", schema)["json"]
    if not isinstance(name, str) or not name:
        kind = definition.get("type")
        if isinstance(kind, str) and kind != "function":
            raise ContractError(
                f"the tool {kind!r} is run by the model's provider, so no script can call it: "
                f"give it to the model beside the code tool"
            )
        raise ContractError(
            "a function definition needs a name: {'name': ..., 'description': ..., "
            f"'parameters': {{...}}}}, but this dict has {_keys(definition)}"
        )
    if schema is None and "function" not in definition and "description" not in inner:
        raise ContractError(
            f"{name!r} has neither a schema nor a description: a function definition has "
            f"'parameters' (OpenAI), 'input_schema' (Anthropic) or 'inputSchema' (MCP)"
        )
    described = inner.get("description")
    return Definition(
        name=name,
        description=described if isinstance(described, str) else "",
        input_schema=cast("JsonSchema", schema)
        if isinstance(schema, Mapping | bool)
        else {"type": "object"},
    )


def tool_from_definition(
    definition: Mapping[str, Any],
    call: Callable[..., Any],
    *,
    output_schema: JsonSchema | None = None,
    options: ToolOptions | None = None,
    source: str | None = None,
) -> Tool:
    """A tool from a provider's function definition and the function that answers it.

    `call` takes the arguments by name; or as one dict, if it has one parameter of another name;
    or `(arguments, context)`.

    Raises:
        ContractError: for what is no definition, or a function that cannot take the arguments.
    """
    read = read_definition(definition)
    return Tool(
        name=read.name,
        description=read.description,
        input_schema=read.input_schema,
        output_schema=output_schema,
        call=_caller(read, call),
        options=options or ToolOptions(),
        source=source,
    )


def _caller(read: Definition, call: Callable[..., Any]) -> Callable[[Any, ToolContext], Any]:
    form = _form_of(read, call)
    if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__):

        async def call_async(arguments: Any, context: ToolContext) -> Any:
            return await form(arguments, context)

        return call_async
    return form


def _form_of(read: Definition, call: Callable[..., Any]) -> Callable[[Any, ToolContext], Any]:
    """How `call` wants the arguments, decided once by its signature."""
    schema = read.input_schema
    declared = schema.get("properties") if isinstance(schema, Mapping) else None
    properties: Mapping[str, Any] = {}
    if isinstance(declared, Mapping):
        properties = cast("Mapping[str, Any]", declared)
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError) as error:
        raise ContractError(f"call= of {read.name!r} has no signature: {error}") from error
    named = {one.name for one in parameters if one.kind is not one.POSITIONAL_ONLY}
    open_ended = any(one.kind is one.VAR_KEYWORD for one in parameters)
    needed = [
        one
        for one in parameters
        if one.default is one.empty
        and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]
    if (open_ended or set(properties) <= named) and {one.name for one in needed} <= set(properties):
        return lambda arguments, context: call(**arguments)
    positional = [one for one in needed if one.kind is not one.KEYWORD_ONLY]
    if len(positional) == len(needed) == 1:
        return lambda arguments, context: call(arguments)
    if len(positional) == len(needed) == 2:
        return lambda arguments, context: call(arguments, context)
    raise ContractError(
        f"call= of {read.name!r} must take the arguments {', '.join(properties) or '(none)'} by "
        f"name, or one dict, or (arguments, context); it takes "
        f"({', '.join(one.name for one in parameters)})"
    )


def _keys(definition: Mapping[str, Any]) -> str:
    return ", ".join(repr(key) for key in list(definition)[:8]) or "nothing in it"
