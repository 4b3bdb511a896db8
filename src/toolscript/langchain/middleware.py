"""`CodeModeMiddleware`: an agent's own tools, called from scripts through its own middleware."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, Final, Unpack, cast

from langchain_core.messages import SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from pydantic import PrivateAttr

from toolscript.contract.tool import JsonSchema
from toolscript.extras import needs
from toolscript.given import Wanted, check, check_keywords
from toolscript.host.policy import Authority
from toolscript.langchain.agent import agent_of
from toolscript.langchain.code_tool import SUMMARY, Given, check_code_tool
from toolscript.langchain.engines import EngineOptions, Engines, converted
from toolscript.langchain.inject import Inject
from toolscript.langchain.script_tool import ScriptTool
from toolscript.langchain.session import Around
from toolscript.options import check_options, without_store

with needs("langchain"):
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse

_MOST_MADE: Final = 16

_PATTERNS: Final = Wanted(
    "a list of name patterns",
    lambda value: (
        isinstance(value, list | tuple)
        and all(isinstance(item, str) for item in cast("list[Any]", value))
    ),
    lambda value: f"[{value!r}]" if isinstance(value, str) else "",
)


class CodeModeMiddleware(AgentMiddleware[Any, Any]):
    """Has the model call the agent's tools from scripts, and offers one code tool for it.

    The chosen tools disappear from what the model is shown, and scripts may call them. Every such
    call passes through the agent's own middleware as if the model had made it: `wrap_tool_call`
    of each in the agent's order (retries, custom rules), human approval and call limits.

    Args:
        tools: name patterns of the tools that scripts may call (`["get_*", "search"]`).
        keep: patterns of tools that the model also goes on calling by itself.
        name: what the model calls the code tool.
        prompt_tokens: budget of the declarations in the system prompt.
        result_tokens: budget of what the model reads back.
        authority, approver, inject, output_schemas, options: as for `CodeModeTool`.

    A tool of the agent that no pattern names stays with the model alone. A pattern that names no
    tool is warned of when the agent first runs. Scripts have no `store`: nobody keeps it here.
    """

    def __init__(
        self,
        tools: Sequence[str] = ("*",),
        *,
        keep: Sequence[str] = (),
        name: str = "run_code",
        prompt_tokens: int | None = 8_000,
        result_tokens: int | None = None,
        authority: Given[Authority] | None = None,
        approver: Given[str] | None = None,
        inject: Inject | None = None,
        output_schemas: Mapping[str, JsonSchema] | None = None,
        **options: Unpack[EngineOptions],
    ):
        super().__init__()
        check_keywords(CodeModeMiddleware, options, EngineOptions.__annotations__)
        check_code_tool(
            "CodeModeMiddleware",
            name=name,
            prompt_tokens=prompt_tokens,
            result_tokens=result_tokens,
            authority=authority,
            approver=approver,
            inject=inject,
            output_schemas=output_schemas,
        )
        check_options(options)
        self._patterns = _patterns(tools, "tools")
        self._keep = _patterns(keep, "keep")
        self._prompt_tokens = prompt_tokens
        self._made: dict[tuple[int, ...], tuple[Engines, list[BaseTool]]] = {}
        self._options = without_store(options)
        self._output_schemas = output_schemas or {}
        self._tool = _AgentCodeTool(
            self,
            name=name,
            inject=inject or {},
            result_tokens=result_tokens,
            given={"authority": authority, "approver": approver},
        )
        self.tools = [self._tool]

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        return handler(self._shown(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        return await handler(self._shown(request))

    def engines_for(self, tools: Iterable[BaseTool]) -> Engines:
        """Engines over those of the tools that scripts may call; made once for the same tools."""
        tools = list(tools)
        chosen = [tool for tool in tools if self._is_for_scripts(tool)]
        key = tuple(sorted(map(id, chosen)))
        made = self._made.get(key)
        if made is None:
            # An agent that makes its tools anew for each call must not fill the memory.
            while len(self._made) >= _MOST_MADE:
                self._made.pop(next(iter(self._made)), None)
            engines = Engines(converted(chosen, self._output_schemas), self._options)
            if not self._made:
                # Later ones may be fewer, where another middleware chooses among the tools.
                _warn_of_idle(self._patterns, "tools", tools)
                _warn_of_idle(self._keep, "keep", tools)
            # The tools are held so that their ids stay theirs.
            made = self._made[key] = (engines, chosen)
        return made[0]

    def _shown(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """The request without the tools that scripts call, and with what scripts may call."""
        tools = [tool for tool in request.tools if isinstance(tool, BaseTool)]
        engines = self.engines_for(tools)
        prompt = engines.plain.prompt(max_tokens=self._prompt_tokens)
        text = f"## The tool `{self._tool.name}`\n\n{prompt}"
        shown = [tool for tool in request.tools if self._is_shown(tool)]
        return request.override(
            tools=shown, system_message=_with_text(request.system_message, text)
        )

    def _is_for_scripts(self, tool: BaseTool) -> bool:
        return not isinstance(tool, ScriptTool) and _matches(tool.name, self._patterns)

    def _is_shown(self, tool: Any) -> bool:
        if not isinstance(tool, BaseTool) or not self._is_for_scripts(tool):
            return True
        return _matches(tool.name, self._keep)


class _AgentCodeTool(ScriptTool):
    """The code tool of a middleware: its tools are those of the agent that runs it."""

    _middleware: Any = PrivateAttr()

    def __init__(
        self,
        middleware: CodeModeMiddleware,
        *,
        name: str,
        inject: Inject,
        result_tokens: int | None,
        given: dict[str, Any],
    ):
        super().__init__(name=name, description=f"{SUMMARY} The system prompt lists them.")
        self._middleware = middleware
        self._inject = inject
        self._result_tokens = result_tokens
        self._given = given

    def _engines_for(self, config: RunnableConfig) -> Engines:
        middleware = cast(CodeModeMiddleware, self._middleware)
        return middleware.engines_for(agent_of(config).tools.values())

    def _around(self, config: RunnableConfig, is_async: bool) -> Around | None:
        return agent_of(config).chain(is_async=is_async)


def _patterns(patterns: Sequence[str], what: str) -> tuple[str, ...]:
    check(f"CodeModeMiddleware({what}=)", _PATTERNS, patterns)
    return tuple(patterns)


def _warn_of_idle(patterns: Iterable[str], what: str, tools: Iterable[BaseTool]) -> None:
    """Tell of patterns that name no tool: a typing error would leave scripts without it."""
    names = [tool.name for tool in tools if not isinstance(tool, ScriptTool)]
    for pattern in patterns:
        if pattern == "*" or any(fnmatchcase(name, pattern) for name in names):
            continue
        near = get_close_matches(pattern.strip("*?"), names, n=3, cutoff=0.4) or names[:8]
        warnings.warn(
            f"CodeModeMiddleware({what}=): no tool of the agent matches {pattern!r}; "
            + (f"near it are {', '.join(near)}" if near else "the agent has no tools"),
            stacklevel=2,
        )


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _with_text(message: SystemMessage | None, text: str) -> SystemMessage:
    if message is None:
        return SystemMessage(content=text)
    if isinstance(message.content, str):
        return message.model_copy(update={"content": f"{message.content}\n\n{text}"})
    blocks: list[Any] = [*message.content, {"type": "text", "text": f"\n\n{text}"}]
    return message.model_copy(update={"content": blocks})
