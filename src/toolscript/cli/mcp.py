"""`toolscript mcp`: an MCP server on standard input and output whose one tool runs scripts."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, cast

from toolscript.cli.arguments import ArgumentValueError
from toolscript.cli.exit_codes import DONE
from toolscript.cli.load_tools import load_all
from toolscript.cli.streams import as_standard_streams, own_input
from toolscript.contract.tool import Namespace
from toolscript.errors import ConfigurationError


def main(arguments: argparse.Namespace) -> int:
    if not arguments.tools and not arguments.server:
        raise ArgumentValueError("give tools: --tools PLACE, --server NAME=URL|COMMAND, or both")
    installed = version("mcp") if find_spec("mcp") else None
    if installed is None or int(installed.split(".")[0]) < 2:
        found = f"{installed}, here, is too old" if installed else "it is not installed"
        raise ArgumentValueError(
            f"this command needs the MCP SDK, version 2 or newer; {found}: "
            'pip install "toolscript[mcp]" (in a clone: pip install ".[mcp]")'
        )
    servers = [_server(text) for text in arguments.server]
    tools: Any = load_all(arguments.tools) if arguments.tools else ()
    asyncio.run(_serve(arguments, tools, servers))
    return DONE


async def _serve(arguments: argparse.Namespace, tools: Any, servers: list[tuple[str, str]]) -> None:
    from toolscript_adapters.mcp import code_server, connect

    failure = None
    async with AsyncExitStack() as connected:
        spaces: list[Namespace] = []
        for name, place in servers:
            try:
                spaces.append(await connected.enter_async_context(connect(place, name)))
            except (ConnectionError, ConfigurationError) as error:
                # Raised here, it would come out of the other servers' groups of tasks in a bundle.
                failure = ArgumentValueError(f"--server {name}: {error}")
                break
        else:
            if isinstance(tools, Mapping):
                groups = cast("Mapping[str, Any]", tools)
                offered: Any = {**groups, **{space.name: space.tools for space in spaces}}
            else:
                offered = [*tools, *spaces]
            server = code_server(offered, arguments.name, profile=arguments.profile)
            source = own_input()
            with as_standard_streams(source, arguments.output):
                serving = asyncio.create_task(server.run_stdio_async())
                # The SDK takes both streams when it begins to serve.
                await asyncio.sleep(0)
            await serving
    if failure is not None:
        raise failure


def _server(text: str) -> tuple[str, str]:
    """`NAME=URL`, or `NAME=COMMAND` for a server that is started here."""
    name, equals, place = text.partition("=")
    if not equals or not name.isidentifier() or not place.strip():
        raise ArgumentValueError(
            f"--server {text!r}: write NAME=URL or NAME=COMMAND, where scripts call the tools "
            "as NAME.tool(...)"
        )
    return name, place
