"""The tools of any MCP server, as a namespace that scripts call."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit

from mcp import Client, ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server import MCPServer
from mcp.server import Server as LowLevelServer
from mcp.types import PaginatedRequestParams, Tool

from toolscript.contract.names import tool_identifier
from toolscript.contract.tool import GivenOptions, Namespace
from toolscript.errors import ConfigurationError, ContractError
from toolscript.given import Wanted, check, described, maybe
from toolscript.mcp.convert import tool_from_mcp
from toolscript.mcp.unwrap import WRAPPED

Server = (
    str
    | Sequence[str]
    | StdioServerParameters
    | MCPServer[Any]
    | LowLevelServer[Any]
    | AbstractAsyncContextManager[Any]
)
"""Where a server is: its URL, the command that starts it (a string as a shell takes it, or a list of
words), that command with its environment, a server in this process, or a transport."""

_OPTIONS: Final = Wanted(
    "a mapping of tool name to ToolOptions", lambda value: isinstance(value, Mapping)
)
_BOX: Final = frozenset({"title", "type", "properties", "required", "$defs"})


@asynccontextmanager
async def connect(
    server: Server,
    name: str | None = None,
    *,
    options: Mapping[str, GivenOptions] | None = None,
    trust_annotations: bool = False,
) -> AsyncGenerator[Namespace]:
    """The tools of a server, for as long as the context lasts.

    For callbacks, such as one that answers elicitations, make a `Client` and use `namespace_of`.

    Args:
        server: a URL (`"https://…"`), a command (`"python server.py"` or
            `[sys.executable, "server.py"]`), `StdioServerParameters` where that needs an
            environment or a folder, a server object of this process, or a transport.
        name, options, trust_annotations: as for `namespace_of`.

    Raises:
        ConfigurationError: for what is no server, or a command that is not there.
        ConnectionError: if the server cannot be reached, or ends before it has said what it is.
        ContractError: as `namespace_of` does.
    """
    try:
        async with AsyncExitStack() as open_:
            try:
                client = await open_.enter_async_context(Client(_place(server)))
            except (OSError, MCPError, ExceptionGroup) as error:
                raise ConnectionError(
                    f"the MCP server {_shown(server)} did not answer: {_cause(error)}"
                ) from error
            yield await namespace_of(
                client, name, options=options, trust_annotations=trust_annotations
            )
    except BaseExceptionGroup as group:
        # The SDK's groups of tasks wrap whatever is raised while the server is connected.
        alone = _alone(group)
        raise alone from alone.__cause__


def _place(server: Server) -> Any:
    """What the SDK's client takes: it neither reads nor starts a command by itself."""
    if isinstance(server, str) and _is_url(server):
        return server.strip()
    if isinstance(server, str | list | tuple):
        command, *arguments = _words(server)
        if shutil.which(command) is None:
            raise ConfigurationError(
                f"connect(): there is no command {command!r} here to start an MCP server with; a "
                "URL begins with http:// or https://"
            )
        return stdio_client(StdioServerParameters(command=command, args=arguments))
    if isinstance(server, StdioServerParameters):
        return stdio_client(server)
    check("connect(server=)", _SERVER, server)
    return server


def _words(command: str | Sequence[str]) -> list[str]:
    words: list[Any]
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise ConfigurationError(f"connect(): {command!r} is no command: {error}") from error
    if not words or not all(isinstance(word, str) and word for word in words):
        raise ConfigurationError(
            "connect(server=) takes a command as a string, or as a list of strings that are not "
            f"empty, not {command!r:.60}"
        )
    return words


def _is_server(value: Any) -> bool:
    return isinstance(value, MCPServer | LowLevelServer | AbstractAsyncContextManager)


_SERVER: Final = Wanted(
    "a URL, a command (a string or a list of strings), StdioServerParameters, a server object of "
    "the MCP SDK, or a transport",
    _is_server,
    lambda value: '[sys.executable, "server.py"]' if isinstance(value, Path) else "",
)


def _shown(server: Server) -> str:
    """How a person knows the server, without the parts of URLs and commands that hold secrets."""
    if isinstance(server, StdioServerParameters):
        return repr(server.command)
    if isinstance(server, str) and _is_url(server):
        parts = urlsplit(server.strip())
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return repr(_words(server)[0]) if isinstance(server, str | list | tuple) else described(server)


def _is_url(text: str) -> bool:
    return text.strip().lower().startswith(("http://", "https://"))


def _cause(error: BaseException) -> str:
    """The first thing that went wrong, out of what groups of tasks put around it."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return f"{error} ({type(error).__name__})"


def _alone(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What a group of groups holds, where it is one exception."""
    if len(group.exceptions) != 1:
        return group
    only = group.exceptions[0]
    if isinstance(only, BaseExceptionGroup):
        return _alone(cast("BaseExceptionGroup[BaseException]", only))
    return only


async def namespace_of(
    session: Client | ClientSession,
    name: str | None = None,
    *,
    options: Mapping[str, GivenOptions] | None = None,
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
    check("connect(options=)", maybe(_OPTIONS), options)
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
