"""`CodeModeTool`: the one LangChain tool that runs a model's script against many tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar, Unpack

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseToolkit
from pydantic import PrivateAttr

from toolscript.contract.tool import JsonSchema
from toolscript.engine import CodeMode
from toolscript.given import MAPPING, Wanted, a, check, check_keywords, maybe, one_of
from toolscript.host.policy import Authority
from toolscript.langchain.engines import EngineOptions, Engines, converted
from toolscript.langchain.inject import Inject
from toolscript.langchain.script_tool import ScriptTool
from toolscript.langchain.session import Around
from toolscript.options import without_store
from toolscript.parts import CODE_TOOL
from toolscript.result import UNSET

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware
    from langgraph.prebuilt import ToolRuntime

Value = TypeVar("Value")
Given = Value | Callable[["ToolRuntime[Any, Any] | None"], Value]
"""A value, or a function that makes it for each run from the call's runtime."""

SUMMARY: Final = (
    "Run a TypeScript script that calls tools. Write one script for the whole job: call tools "
    "with await, loop, filter and join in code, and return only what is needed."
)


_TAKES: Final[Mapping[str, Wanted]] = {
    **CODE_TOOL,
    "declarations": one_of("description", "system"),
    "store": maybe(
        Wanted(
            "a mapping that can be written to, or a function that gives one",
            lambda value: isinstance(value, MutableMapping) or callable(value),
        )
    ),
    "middleware": a(list, tuple, words="a list of agent middleware"),
    "inject": maybe(MAPPING),
    "output_schemas": maybe(MAPPING),
}


def check_code_tool(owner: str, **given: Any) -> None:
    """Refuse arguments of a code tool that are of the wrong kind.

    Raises:
        ConfigurationError: for the first.
    """
    for name, value in given.items():
        check(f"{owner}({name}=)", _TAKES[name], value)


class CodeModeTool(ScriptTool):
    """Gives an agent one tool that runs scripts, in place of many tools.

    Works wherever a LangChain tool does: `create_agent`, `ToolNode`, `bind_tools` with a loop of
    one's own; sync and async, many calls at once on one instance. The message's content is for
    the model, its artifact holds the run with a receipt for each call.

    Args:
        tools: LangChain tools, toolkits, functions, `Tool`s, `Namespace`s; or name → tools.
        name: what the model calls it.
        description: replaces the first sentences of the description.
        declarations: where the model reads what scripts may call: in this tool's "description",
            or in the "system" prompt, into which `system_prompt` has to be put then (some
            providers cut long descriptions; `CodeModeMiddleware` does it by itself).
        prompt_tokens: budget of the declarations; above it scripts search for the rest.
        result_tokens: budget of what the model reads back.
        input, context, store, authority: for each run, as in `CodeMode.run`; a function is
            called with the `ToolRuntime`. Tools get the runtime as `context.app` by default. A
            `store` is read before a run and written after one that completed; without one,
            scripts have no `store` and `load`, since nobody would keep the values.
        approver: who answers the approvals for which the graph pauses, for the receipts, where
            the answer does not say it itself; a function is called with the `ToolRuntime`. By
            default the user whom a LangGraph server authenticated.
        middleware: agent middleware around each nested call, the first one outermost: its
            `wrap_tool_call`, and human approval and call limits as if the model had asked.
        inject: values for arguments that are annotated with `InjectedToolArg`, by name.
        output_schemas: tool name → schema of its result, where its annotations do not say it.
        return_direct, tags, metadata, extras: as for any LangChain tool.
        options: knobs and parts of `CodeMode`.

    Raises:
        ConfigurationError, ContractError: as `CodeMode` does, and for an argument of the wrong
            kind.
    """

    _engines: Engines = PrivateAttr()
    _middleware: tuple[AgentMiddleware[Any, Any], ...] = PrivateAttr(default=())
    _prompt: str = PrivateAttr()

    def __init__(
        self,
        tools: Any,
        *,
        name: str = "run_code",
        description: str | None = None,
        declarations: Literal["description", "system"] = "description",
        prompt_tokens: int | None = 8_000,
        result_tokens: int | None = None,
        input: Given[Any] = UNSET,
        context: Given[Any] = None,
        store: Given[MutableMapping[str, Any]] | None = None,
        authority: Given[Authority] | None = None,
        approver: Given[str] | None = None,
        middleware: Sequence[AgentMiddleware[Any, Any]] = (),
        inject: Inject | None = None,
        output_schemas: Mapping[str, JsonSchema] | None = None,
        return_direct: bool = False,
        response_format: Literal["content", "content_and_artifact"] = "content_and_artifact",
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        extras: dict[str, Any] | None = None,
        **options: Unpack[EngineOptions],
    ):
        check_keywords(CodeModeTool, options, EngineOptions.__annotations__)
        check_code_tool(
            "CodeModeTool",
            name=name,
            description=description,
            declarations=declarations,
            prompt_tokens=prompt_tokens,
            result_tokens=result_tokens,
            store=store,
            authority=authority,
            approver=approver,
            middleware=middleware,
            inject=inject,
            output_schemas=output_schemas,
        )
        engines = Engines(
            converted(tools, output_schemas or {}),
            without_store(options) if store is None else options,
        )
        prompt = engines.plain.prompt(max_tokens=prompt_tokens)
        summary = SUMMARY if description is None else description
        super().__init__(
            name=name,
            description=summary if declarations == "system" else f"{summary}\n\n{prompt}",
            return_direct=return_direct,
            response_format=response_format,
            tags=tags,
            metadata=metadata,
            extras=extras,
        )
        self._engines = engines
        self._middleware = tuple(middleware)
        self._prompt = f"## The tool `{name}`\n\n{prompt}"
        self._given = {
            "input": input,
            "context": context,
            "store": store,
            "authority": authority,
            "approver": approver,
        }
        self._inject = inject or {}
        self._result_tokens = result_tokens

    @classmethod
    def from_toolkit(cls, toolkit: BaseToolkit, **options: Any) -> Self:
        """The tool over all tools of a toolkit; takes what the constructor takes."""
        return cls([toolkit], **options)

    @property
    def engine(self) -> CodeMode:
        """The engine that runs the scripts outside of graphs with a checkpointer."""
        return self._engines.plain

    @property
    def system_prompt(self) -> str:
        """What scripts may call, for a system prompt (`declarations="system"`)."""
        return self._prompt

    def _engines_for(self, config: RunnableConfig) -> Engines:
        return self._engines

    def _around(self, config: RunnableConfig, is_async: bool) -> Around | None:
        if not self._middleware:
            return None
        from toolscript.langchain.around import chain_of

        return chain_of(self._middleware)
