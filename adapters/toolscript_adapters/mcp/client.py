"""The tools of any MCP server, as a namespace that scripts call."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server import MCPServer
from mcp.server import Server as LowLevelServer
from mcp.types import PaginatedRequestParams, Tool

from toolscript.contract.names import tool_identifier
from toolscript.contract.tool import Namespace, ToolOptions
from toolscript.errors import ContractError
from toolscript.mcp.convert import tool_from_mcp
from toolscript.mcp.unwrap import WRAPPED

Server = (
    str
    | StdioServerParameters
    | MCPServer[Any]
    | LowLevelServer[Any]
    | AbstractAsyncContextManager[Any]
)
"""Where a server is: its URL, how to start it, one in this process, or a transport."""

_BOX: Final = frozenset({"title", "type", "properties", "required", "$defs"})


@asynccontextmanager
async def connect(
    server: Server,
    name: str | None = None,
    *,
    options: Mapping[str, ToolOptions] | None = None,
    trust_annotations: bool = False,
) -> AsyncGenerator[Namespace]:
    """The tools of a server, for as long as the context lasts.

    For callbacks, such as one that answers elicitations, make a `Client` and use `namespace_of`.
    Takes what `namespace_of` takes, and raises what it and the SDK raise.
    """
    # Version 2.0 of the SDK does not start a server by itself.
    place = stdio_client(server) if isinstance(server, StdioServerParameters) else server
    async with Client(place) as client:
        yield await namespace_of(client, name, options=options, trust_annotations=trust_annotations)


async def namespace_of(
    session: Client | ClientSession,
    name: str | None = None,
    *,
    options: Mapping[str, ToolOptions] | None = None,
    trust_annotations: bool = False,
) -> Namespace:
    """The tools that a connected server lists now.

    Calls need the session, and so belong to its event loop. A call that is cancelled is
    cancelled on the server, too.

    Args:
        name: what scripts call the namespace; by default made of the server's own name.
        options: tool name → how the host treats it: what needs an approval, what only reads.
        trust_annotations: take the server's word that a tool only reads or is idempotent.

    Raises:
        ContractError: for options of a tool that the server does not have, or where neither
            `name` nor the server names the namespace.
    """
    told = session.server_info
    own = name or (tool_identifier(told.name) if told is not None and told.name else None)
    if own is None:
        raise ContractError("the server does not say its name; pass name= for the namespace")
    listed = await _all_tools(session)
    chosen = dict(options or {})
    unknown = chosen.keys() - {tool.name for tool in listed}
    if unknown:
        names = ", ".join(sorted(tool.name for tool in listed)) or "none"
        raise ContractError(
            f"options for {', '.join(sorted(unknown))}, but the tools of {own} are {names}"
        )
    tools = [
        tool_from_mcp(
            _told_apart(tool),
            session.call_tool,
            server=told.name if told is not None else own,
            trust_annotations=trust_annotations,
            options=chosen.get(tool.name),
        )
        for tool in listed
    ]
    return Namespace(own, tools, description=session.instructions or "")


def _told_apart(tool: Tool) -> Tool:
    """The definition, with the box around a result marked that is no object.

    The SDK's own servers put such a result under the single property `result` of a schema that
    they name after the function, and have no mark for it.
    """
    schema = tool.output_schema or {}
    boxed = (
        schema.keys() <= _BOX
        and str(schema.get("title", "")).endswith("Output")
        and schema.get("required") == ["result"]
        and list(schema.get("properties", {})) == ["result"]
    )
    if not boxed:
        return tool
    return tool.model_copy(update={"output_schema": {**schema, WRAPPED: True}})


async def _all_tools(session: Client | ClientSession) -> list[Tool]:
    found: list[Tool] = []
    cursor: str | None = None
    while True:
        if isinstance(session, Client):
            page = await session.list_tools(cursor=cursor)
        else:
            page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        found += page.tools
        cursor = page.next_cursor
        if not cursor:
            return found
