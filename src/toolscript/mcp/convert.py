"""Tools of MCP servers, from their definitions; no SDK is needed.

`tool_from_mcp` takes a definition as a server lists it and a function that performs the call:

    tool_from_mcp(definition, session.call_tool, server="github")
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from toolscript.contract.tool import (
    GivenOptions,
    JsonSchema,
    Tool,
    ToolContext,
    ToolOptions,
    options_given,
)
from toolscript.errors import ContractError
from toolscript.mcp.faces import with_face
from toolscript.mcp.unwrap import plain_result, raise_if_error, unwrap, unwrapped_schema

logger = logging.getLogger("toolscript")

McpCall = Callable[[str, dict[str, Any]], Any]
"""`call(name, arguments)` gives a `CallToolResult`, as an object or a dict, or awaits one."""


def tool_from_mcp(
    definition: Any,
    call: McpCall,
    *,
    server: str | None = None,
    typed: bool = False,
    trust_annotations: bool = False,
    options: GivenOptions | None = None,
) -> Tool:
    """A tool from an MCP tool definition.

    Args:
        definition: an SDK's `Tool` or a dict with `name`, `inputSchema` and what else it has.
        call: performs `tools/call`.
        server: name of the server, shown beside its tools in the prompt.
        typed: scripts get the whole `CallToolResult<T>` instead of the value in it.
        trust_annotations: take the server's word that a tool only reads or is idempotent. Such
            hints are a stranger's claims: without this they decide nothing.
        options: how the host treats the tool; what the annotations say is added to it.

    Raises:
        ContractError: for a definition without a name.
        ConfigurationError: for what are no options.
    """
    name = field_of(definition, "name")
    if not isinstance(name, str) or not name:
        raise ContractError(f"an MCP tool definition needs a name, but this one has {name!r}")
    own = options_given(options, f"options= of MCP tool {name!r}") or ToolOptions()
    given = _schema_of(definition, name, "inputSchema", "input_schema")
    declared = _schema_of(definition, name, "outputSchema", "output_schema")
    annotations = field_of(definition, "annotations")
    words = (
        field_of(definition, "description"),
        field_of(definition, "title"),
        field_of(annotations, "title"),
    )
    described = next((text for text in words if isinstance(text, str) and text), "")

    def receive(result: Any) -> Any:
        if not typed:
            return with_face(unwrap(result, declared))
        fields = plain_result(result)
        if fields is None:
            return result
        raise_if_error(fields)
        return with_face(fields)

    return Tool(
        name=name,
        description=described,
        input_schema=given or {"type": "object"},
        output_schema=call_result_schema(declared) if typed else unwrapped_schema(declared),
        call=_caller(name, call, receive),
        options=options_from(annotations, own, trusted=trust_annotations),
        source=server,
    )


def _schema_of(definition: Any, tool: str, *spellings: str) -> JsonSchema | None:
    """A schema as a server sends it. One that is none costs a warning, and not the other tools."""
    schema = field_of(definition, *spellings)
    if schema is None or isinstance(schema, bool | Mapping):
        return cast("JsonSchema | None", schema)
    logger.warning(
        "MCP tool %r: its %s is no JSON Schema but a %s; declared as unknown",
        tool,
        spellings[0],
        type(schema).__name__,
    )
    return True


def options_from(annotations: Any, options: ToolOptions, *, trusted: bool) -> ToolOptions:
    """Options with what MCP annotations say: a warning from anybody, a licence from the trusted.

    "Destructive" stands against "only reads" unless the server is trusted; then it has no
    meaning beside it (the specification of MCP says so).
    """

    def says(*names: str) -> bool:
        return field_of(annotations, *names) is True

    reads = trusted and says("readOnlyHint", "read_only_hint")
    return replace(
        options,
        destructive=options.destructive
        or (not reads and says("destructiveHint", "destructive_hint")),
        read_only=options.read_only or reads,
        idempotent=options.idempotent or (trusted and says("idempotentHint", "idempotent_hint")),
    )


def call_result_schema(structured: JsonSchema | None) -> JsonSchema:
    """The schema of a whole `CallToolResult` whose structured content has the given schema."""
    inner: JsonSchema = True if structured is None else structured
    shared: dict[str, Any] = {}
    if isinstance(inner, Mapping):
        shared = {word: inner[word] for word in ("$defs", "definitions") if word in inner}
        inner = {word: value for word, value in inner.items() if word not in shared}
    return {
        "type": "object",
        "properties": {
            "content": {"type": "array", "items": {"type": "object"}},
            "structuredContent": inner,
            "isError": {"type": "boolean"},
            "_meta": {"type": "object"},
        },
        "required": ["content"] if structured is None else ["content", "structuredContent"],
        **shared,
    }


def field_of(value: Any, *spellings: str) -> Any:
    """A field of a dict or of an object, under the first spelling that it has; else None.

    `spellings` are the protocol's own first. Objects are asked for the last one first: SDKs that
    know both warn of the protocol's.
    """
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        return next((fields[name] for name in spellings if name in fields), None)
    for name in reversed(spellings):
        if hasattr(value, name):
            return getattr(value, name)
    return None


def _caller(
    name: str, call: McpCall, receive: Callable[[Any], Any]
) -> Callable[[Any, ToolContext], Any]:
    if inspect.iscoroutinefunction(call):

        async def call_async(arguments: Any, context: ToolContext) -> Any:
            return receive(await call(name, dict(arguments)))

        return call_async

    async def later(result: Awaitable[Any]) -> Any:
        return receive(await result)

    def call_sync(arguments: Any, context: ToolContext) -> Any:
        result = call(name, dict(arguments))
        return later(result) if inspect.isawaitable(result) else receive(result)

    return call_sync
