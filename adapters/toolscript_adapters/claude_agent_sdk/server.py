"""The in-process MCP server that has the code tool."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Unpack, cast

from claude_agent_sdk import (
    ClaudeAgentOptions,
    McpSdkServerConfig,
    SdkMcpTool,
    create_sdk_mcp_server,
)

from toolscript.contract.tool import Namespace, Tool
from toolscript.errors import ConfigurationError, ToolError
from toolscript.result import RunResult
from toolscript_adapters.claude_agent_sdk.convert import tool_from_claude
from toolscript_adapters.claude_agent_sdk.guard import CodeCall, Guard, Interrupted
from toolscript_adapters.kit import (
    CODE_SCHEMA,
    CodeRunner,
    CodeToolOptions,
    Session,
    check_code_tool,
    code_of,
    convert_tools,
    refuse_approvals,
)

SERVER: Final = "code"
"""The server's name, unless the application says otherwise: the tool is `mcp__code__run_code`."""


def with_code_tool(
    options: ClaudeAgentOptions,
    tools: Any,
    *,
    server: str = SERVER,
    **code: Unpack[CodeToolOptions],
) -> ClaudeAgentOptions:
    """Options whose `mcp_servers` have one more, with the code tool.

    Args:
        options: whose hooks, rules and `can_use_tool` nested calls are put to.
        tools: see `code_server`.
        server: name of the server.

    Raises:
        ContractError, ConfigurationError: as `code_server` does; also if the name is taken, or if
            `mcp_servers` is the path of a file.
    """
    servers = options.mcp_servers
    if not isinstance(servers, dict):
        raise ConfigurationError(
            f"mcp_servers is {str(servers)!r}; read that file and give its servers as a dict"
        )
    if server in servers:
        raise ConfigurationError(f"there is a server {server!r} already; pass another server=")
    made = code_server(tools, options, server=server, **code)
    return replace(options, mcp_servers={**servers, server: made})


def code_server(
    tools: Any,
    options: ClaudeAgentOptions,
    *,
    server: str = SERVER,
    **code: Unpack[CodeToolOptions],
) -> McpSdkServerConfig:
    """An in-process MCP server with one tool, which runs scripts in place of many tools.

    A nested call is named as a direct one would be, in rules, for hooks and for `can_use_tool`:
    `mcp__<namespace>__<tool>`, and `mcp__<server>__<tool>` without a namespace.

    Args:
        tools: `SdkMcpTool`s, functions, `Tool`s, `Namespace`s; or name of a namespace → those.
        options: whose hooks, `allowed_tools`, `disallowed_tools`, `permission_mode` and
            `can_use_tool` hold for nested calls. Rules in settings files are not read.
        server: name under which the server stands in `mcp_servers`.
        code: see `CodeToolOptions` and `CodeMode`.

    Raises:
        ContractError: as `CodeMode` does.
        ConfigurationError: also for `Tool`s that need an approval, without an `approve` function.
    """
    check_code_tool(code_server, code)
    runner = CodeRunner(_guarded(convert_tools(tools, tool_from_claude), options, server), code)
    refuse_approvals(
        runner,
        "the Claude Agent SDK",
        "Claude Code waits for the one call of the code tool; can_use_tool asks about tools "
        "that are not in allowed_tools",
    )

    async def run(arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            session = Session(CodeCall(), f"code_{uuid.uuid4().hex}")
            result = await runner.begin(code_of(arguments), session)
        except (ToolError, Interrupted) as error:
            return {"content": [{"type": "text", "text": str(error)}], "is_error": True}
        return _answer(runner, result)

    tool = SdkMcpTool[Any](
        name=runner.name,
        description=runner.description,
        input_schema=dict(CODE_SCHEMA),
        handler=run,
    )
    return create_sdk_mcp_server(server, tools=[tool])


def _guarded(tools: Any, options: ClaudeAgentOptions, server: str) -> Any:
    guard = Guard(options)

    def each(group: Any, name: str) -> list[Any]:
        return [
            replace(member, tools=each(member.tools, member.name))
            if isinstance(member, Namespace)
            else guard.guarded(cast("Tool", member), f"mcp__{name}__{member.name}")
            for member in group
        ]

    if isinstance(tools, Mapping):
        groups = cast("Mapping[str, Any]", tools)
        return {name: each(group, name or server) for name, group in groups.items()}
    return each(tools, server)


def _answer(runner: CodeRunner, result: RunResult) -> dict[str, Any]:
    images = [
        {"type": "image", "data": image.data, "mimeType": image.mime_type}
        for image in runner.images(result)
    ]
    return {
        "content": [{"type": "text", "text": runner.text(result)}, *images],
        "is_error": not result.ok,
    }
