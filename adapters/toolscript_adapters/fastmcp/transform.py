"""The code tool as a transform of a FastMCP server's catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Unpack

from fastmcp import Context
from fastmcp.exceptions import NotFoundError, ValidationError
from fastmcp.exceptions import ToolError as FastMCPToolError
from fastmcp.server.dependencies import get_access_token, get_context
from fastmcp.server.transforms import GetToolNext
from fastmcp.server.transforms.catalog import CatalogTransform
from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
from fastmcp.utilities.versions import VersionSpec, dedupe_with_versions
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import Field

from toolscript.contract.tool import Tool as ScriptTool
from toolscript.contract.tool import ToolOptions
from toolscript.errors import ToolError
from toolscript.mcp.convert import tool_from_mcp
from toolscript_adapters.kit import (
    CODE_DESCRIPTION,
    NAME,
    CodeRunner,
    CodeRunners,
    CodeToolOptions,
    check_code_tool,
    current_session,
)
from toolscript_adapters.mcp.request import CodeRequest


class CodeTransform(CatalogTransform):
    """Shows clients one tool that runs scripts, in the place of a server's tools.

    Each call of a script is a call of the server's own `call_tool`: middleware, authorization,
    visibility, time limits and the server's error masking hold for it. Tools find FastMCP's
    `Context` as ever. What a client may not see, its scripts cannot call.

    Args:
        tool_options: tool name → how the host treats it: what needs an approval, which the person
            at the client is asked for, what only reads.
        trust_annotations: take a tool's annotations for what it does.
        options: see `CodeToolOptions` and `CodeMode`.
    """

    def __init__(
        self,
        *,
        tool_options: Mapping[str, ToolOptions] | None = None,
        trust_annotations: bool = False,
        **options: Unpack[CodeToolOptions],
    ):
        super().__init__()
        check_code_tool(CodeTransform, options)
        self._name = options.get("name", NAME)
        self._tool_options = dict(tool_options or {})
        self._trust_annotations = trust_annotations
        self._runners = CodeRunners(options)

    async def transform_tools(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        """The one tool, with the declarations of everything that this client may call."""
        try:
            context = get_context()
        except RuntimeError:
            # The server looks at its own tools, for no client.
            own = dedupe_with_versions(tools, lambda tool: tool.name)
            return [self._code_tool(self._runner(own).description)]
        return [self._code_tool((await self._runner_for(context)).description)]

    async def get_tool(
        self, name: str, call_next: GetToolNext, *, version: VersionSpec | None = None
    ) -> Tool | None:
        """The code tool by its name; the tools behind it stay there for scripts."""
        if name == self._name:
            return self._code_tool("")
        return await call_next(name, version=version)

    def _code_tool(self, description: str) -> Tool:
        async def run_code(
            code: Annotated[str, Field(description=CODE_DESCRIPTION)], context: Context
        ) -> ToolResult | InputRequiredResult:
            runner = await self._runner_for(context)
            answer = await CodeRequest(runner, context, get_access_token()).answer(code)
            if isinstance(answer, CallToolResult):
                return ToolResult(content=answer.content, is_error=answer.is_error)
            return answer

        return Tool.from_function(
            run_code, name=self._name, description=description, output_schema=None
        )

    async def _runner_for(self, context: Context) -> CodeRunner:
        return self._runner(await self.get_tool_catalog(context))

    def _runner(self, tools: Sequence[Tool]) -> CodeRunner:
        return self._runners.of([self._converted(tool) for tool in tools])

    def _converted(self, tool: Tool) -> ScriptTool:
        return tool_from_mcp(
            tool.to_mcp_tool().model_dump(mode="json", by_alias=True, exclude_none=True),
            _call,
            trust_annotations=self._trust_annotations,
            options=self._tool_options.get(tool.name),
        )


async def _call(name: str, arguments: dict[str, Any]) -> ToolResult:
    """A call of the server that runs the script's request.

    Raises:
        ToolError: the tool is not there for this client, refused its arguments, or failed.
    """
    server = current_session(Context).context.fastmcp
    try:
        result = await server.call_tool(name, arguments)
    except NotFoundError as error:
        raise ToolError(str(error), code="denied") from error
    except ValidationError as error:
        raise ToolError(str(error), code="invalid_args") from error
    except FastMCPToolError as error:
        raise ToolError(str(error)) from error
    if isinstance(result, InputRequiredToolResult):
        raise ToolError(
            f"{name} asks the client for input by its result, which only works when the client "
            "calls it directly; have the call itself approved instead (tool_options)",
            code="denied",
        )
    return result
