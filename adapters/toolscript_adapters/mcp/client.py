"""The tools of any MCP server, as a namespace that scripts call."""

from __future__ import annotations

import asyncio
import re
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
from mcp.types import CONNECTION_CLOSED, PaginatedRequestParams, Tool

from toolscript.contract.names import tool_identifier
from toolscript.contract.tool import GivenOptions, Namespace
from toolscript.errors import ConfigurationError, ContractError, ToolError
from toolscript.given import Wanted, check, described, maybe
from toolscript.mcp.convert import tool_from_mcp
from toolscript.mcp.unwrap import WRAPPED
from toolscript.render import shorten_string

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
_SECRET: Final = re.compile("key|token|secret|password|passwd|auth|credential|header", re.I)
"""Names of options whose values no message may show."""

_USER_INFO: Final = re.compile(r"//[^/@\s]+@")
_SHOWN_CHARS: Final = 80
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
        ConnectionError: if the server cannot be reached, or ends before it has said what it is;
            also out of the context, where the connection breaks in a way that ends the SDK's
            client. It names the server, its URL or command, and what went wrong.
        ContractError: as `namespace_of` does.
    """
    told = f"the MCP server {_known_as(server, name)}"
    raised: BaseException | None = None
    try:
        async with AsyncExitStack() as open_:
            try:
                client = await open_.enter_async_context(Client(_place(server)))
            except (OSError, MCPError, ExceptionGroup) as error:
                raise ConnectionError(
                    f"{told} did not answer: {_cause(error)}{_where_it_says_more(server)}"
                ) from error
            space = await _namespace(client, name, told, options, trust_annotations)
            try:
                yield space
            except BaseException as error:
                raised = error
                raise
    except BaseExceptionGroup as group:
        # The SDK's groups of tasks wrap whatever is raised while the server is connected.
        alone = _alone(group)
        if isinstance(raised, asyncio.CancelledError) and isinstance(alone, Exception):
            # Nobody cancelled: a failed transport stops all that is at work beside it.
            raise ConnectionError(f"{told} is gone: {_cause(alone)}") from group
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


def _known_as(server: Server, name: str | None) -> str:
    """How a person knows the server: its name, and its URL or the command that starts it."""
    place = _shown(server)
    return place if name is None else f"{name!r} ({place})"


def _shown(server: Server) -> str:
    """The place of a server, without the parts of URLs and commands that hold secrets."""
    if isinstance(server, StdioServerParameters):
        return shlex.join(_without_secrets([server.command, *server.args]))
    if isinstance(server, str) and _is_url(server):
        return _shown_url(server.strip())
    if isinstance(server, str | list | tuple):
        return shlex.join(_without_secrets(_words(server)))
    return described(server)


def _shown_url(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _without_secrets(words: Sequence[str]) -> list[str]:
    """The words of a command; what a word or the option before it calls a secret is left out."""
    found: list[str] = []
    hides_next = False
    for word in words:
        option, equals, _ = word.partition("=")
        if hides_next and not word.startswith("-"):
            found.append("…")
        elif equals and _SECRET.search(option):
            found.append(f"{option}=…")
        elif _is_url(word):
            found.append(_shown_url(word))
        else:
            found.append(shorten_string(_USER_INFO.sub("//", word), _SHOWN_CHARS))
        hides_next = word.startswith("-") and not equals and bool(_SECRET.search(word))
    return found


def _where_it_says_more(server: Server) -> str:
    started = not (isinstance(server, str) and _is_url(server)) and isinstance(
        server, str | list | tuple | StdioServerParameters
    )
    return "; what it wrote to its standard error may say why" if started else ""


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
    return await _namespace(session, name, None, options, trust_annotations)


async def _namespace(
    session: Client | ClientSession,
    name: str | None,
    known_as: str | None,
    options: Mapping[str, GivenOptions] | None,
    trust_annotations: bool,
) -> Namespace:
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
    known_as = known_as or f"the MCP server {own!r}"

    async def call(tool: str, arguments: dict[str, Any]) -> Any:
        try:
            return await session.call_tool(tool, arguments)
        except MCPError as error:
            if error.code != CONNECTION_CLOSED:
                raise
            raise ToolError(
                f"{known_as} is gone ({error}): its tools cannot be called until the "
                "application connects to it again"
            ) from error

    tools = [
        tool_from_mcp(
            _told_apart(tool),
            call,
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
