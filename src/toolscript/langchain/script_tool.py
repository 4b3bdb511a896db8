"""What every tool that runs a model's script has: its argument, its session, its answer."""

from __future__ import annotations

import uuid
from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from langchain_core.callbacks import AsyncCallbackManagerForToolRun, CallbackManagerForToolRun
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import patch_config
from langchain_core.tools import ArgsSchema, BaseTool, InjectedToolArg
from pydantic import BaseModel, Field, PrivateAttr

from toolscript.bridge import run_blocking
from toolscript.langchain.commands import channels_of, folded
from toolscript.langchain.engines import Engines
from toolscript.langchain.inject import Inject
from toolscript.langchain.outcome import message_of
from toolscript.langchain.progress import writes_progress
from toolscript.langchain.running import RunOptions, run_in_graph
from toolscript.langchain.session import Around, Session
from toolscript.result import UNSET

if TYPE_CHECKING:
    from langgraph.prebuilt import ToolRuntime


class Arguments(BaseModel):
    """All that a model may pass; more than that is ignored."""

    code: str = Field(description="The script, in TypeScript or JavaScript.")
    # LangGraph fills it in; models neither see it nor can they pass it.
    runtime: Annotated[Any, InjectedToolArg] = None


class ScriptTool(BaseTool):
    """Runs scripts. A subclass says against which tools, and what goes around their calls."""

    args_schema: ArgsSchema | None = Arguments
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    _given: dict[str, Any] = PrivateAttr(default_factory=dict)
    _inject: Inject = PrivateAttr(default_factory=dict)
    _result_tokens: int | None = PrivateAttr(default=None)

    @abstractmethod
    def _engines_for(self, config: RunnableConfig) -> Engines:
        """The engines of a run with this config."""

    @abstractmethod
    def _around(self, config: RunnableConfig, is_async: bool) -> Around | None:
        """What goes around each nested call of a run with this config."""

    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args, kwargs = super()._to_args_and_kwargs(_with_code(tool_input), tool_call_id)
        return args, {**kwargs, "call_id": tool_call_id}

    def _run(
        self,
        code: str,
        *,
        config: RunnableConfig,
        call_id: str | None = None,
        runtime: Any = None,
        run_manager: CallbackManagerForToolRun | None = None,
    ) -> Any:
        child = patch_config(config, callbacks=run_manager.get_child() if run_manager else None)
        return run_blocking(lambda: self._answer(code, child, call_id, runtime, is_async=False))

    async def _arun(
        self,
        code: str,
        *,
        config: RunnableConfig,
        call_id: str | None = None,
        runtime: Any = None,
        run_manager: AsyncCallbackManagerForToolRun | None = None,
    ) -> Any:
        child = patch_config(config, callbacks=run_manager.get_child() if run_manager else None)
        return await self._answer(code, child, call_id, runtime, is_async=True)

    async def _answer(
        self,
        code: str,
        config: RunnableConfig,
        call_id: str | None,
        injected: Any,
        *,
        is_async: bool,
    ) -> Any:
        """Run the script; what LangChain expects of a tool: its result, and its artifact."""
        runtime = _own_runtime(injected)
        channels = channels_of(config)
        session = Session(
            call_id=call_id or self.name,
            run_id=f"run_{uuid.uuid4().hex}",
            config=config,
            runtime=runtime,
            inject=self._inject,
            around=self._around(config, is_async),
            channels=channels,
        )
        result = await run_in_graph(
            self._engines_for(config),
            code,
            session,
            self._options_for(runtime, config),
            is_async=is_async,
        )
        with_artifact = self.response_format == "content_and_artifact"
        message = message_of(
            result,
            session.kept,
            name=self.name,
            call_id=session.call_id,
            max_tokens=self._result_tokens,
            with_artifact=with_artifact,
        )
        answer = folded(
            message,
            session.steering(),
            state=runtime.state if runtime else None,
            channels=channels,
        )
        if call_id is None and answer is message:
            answer = message.content
        return (answer, message.artifact) if with_artifact else answer

    def _options_for(
        self, runtime: ToolRuntime[Any, Any] | None, config: RunnableConfig
    ) -> RunOptions:
        made: dict[str, Any] = {
            name: value(runtime) if callable(value) else value
            for name, value in self._given.items()
        }
        context = made.get("context")
        return RunOptions(
            input=made.get("input", UNSET),
            context=runtime if context is None else context,
            store=made.get("store"),
            authority=made.get("authority"),
            approver=made.get("approver") or _user(config),
            on_event=writes_progress(runtime),
        )


def _with_code(given: str | dict[str, Any]) -> str | dict[str, Any]:
    """The argument by its name, where a model remembered another tool's name for it."""
    if isinstance(given, dict) and "code" not in given:
        for other in ("script", "source"):
            if isinstance(given.get(other), str):
                return {**given, "code": given[other]}
    return given


def _user(config: RunnableConfig) -> str:
    """The user whom a LangGraph server has authenticated for this run, if there is such a server."""
    return str(config.get("configurable", {}).get("langgraph_auth_user_id") or "")


def _own_runtime(injected: Any) -> ToolRuntime[Any, Any] | None:
    """The runtime, if LangGraph made it: what a model passes by that name is only data."""
    if injected is None or isinstance(injected, dict | list | str | int | float):
        return None
    return cast("ToolRuntime[Any, Any]", injected)
