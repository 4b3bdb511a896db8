"""The code tool, as a function tool of LlamaIndex."""

# LlamaIndex finds the parameter for its context by comparing annotations with the type, so
# they must not be turned into text here by `from __future__ import annotations`.

import asyncio
import base64
import hashlib
import inspect
import uuid
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final, cast
from weakref import WeakValueDictionary

from llama_index.core.base.llms.types import ImageBlock, TextBlock
from llama_index.core.tools import BaseTool, FunctionTool, ToolMetadata
from llama_index.core.tools.tool_spec.base import BaseToolSpec
from llama_index.core.workflow import Context
from pydantic import BaseModel, Field
from typing_extensions import Unpack

from toolscript.contract.convert import tool_from
from toolscript.contract.tool import Tool
from toolscript.errors import ConfigurationError, ToolError
from toolscript.given import names_in, nearest
from toolscript.result import RunResult
from toolscript_adapters.kit import (
    CODE_DESCRIPTION,
    CodeRunner,
    CodeToolOptions,
    Session,
    check_code_tool,
    convert_tools,
)
from toolscript_adapters.llama_index.approvals import answer_for
from toolscript_adapters.llama_index.inside import Waiting, id_of_call
from toolscript_adapters.llama_index.nested import ScriptRun, image_in, tool_of

_STORE: Final = "toolscript_store"
"""Where the workflow's state keeps what scripts store."""


class _Arguments(BaseModel):
    code: str = Field(description=CODE_DESCRIPTION)


class _Metadata(ToolMetadata):
    """A description with declarations is longer than 1,024 characters.

    LlamaIndex takes that for a mistake, unless its integration for a provider says otherwise.
    """

    def to_openai_tool(self, skip_length_check: bool = True) -> dict[str, Any]:
        return super().to_openai_tool(skip_length_check=True)


class CodeModeTool(FunctionTool):
    """One tool that runs scripts over others. Give it to an agent in their place.

    Args:
        tools: tools, functions and tool specs as agents of LlamaIndex take them, and whatever
            else `CodeMode` takes; in a list, or as a mapping of namespace to tools.
        requires_approval: names of tools whose calls a person has to approve.
        options: see `CodeToolOptions`. Functions for `authority` and `approver` get the
            `ScriptRun`.

    Raises:
        ContractError, ConfigurationError: as `CodeMode` does.
    """

    def __init__(
        self,
        tools: Any,
        *,
        requires_approval: Collection[str] = (),
        **options: Unpack[CodeToolOptions],
    ):
        check_code_tool(CodeModeTool, options)
        asking = names_in("CodeModeTool(requires_approval=)", requires_approval)
        converted = convert_tools(_opened(tools), lambda tool: _converted(tool, asking))
        self._runner = CodeRunner(converted, options, keeps=True, stores=True, image=image_in)
        _check_names(asking, self._runner)
        self._at_work: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        super().__init__(
            async_fn=self._run,
            metadata=_Metadata(
                name=self._runner.name,
                description=self._runner.description,
                fn_schema=_Arguments,
            ),
        )

    async def aclose(self) -> None:
        """Accept no more scripts, and end those at work."""
        await self._runner.aclose()

    async def _run(self, ctx: Context, code: str) -> str | list[TextBlock | ImageBlock]:
        call_id = id_of_call()
        place = f"toolscript_run_{_digest(call_id, code)}"
        waiting: dict[str, Any] | None = await ctx.store.get(place, default=None)
        run_id: str = waiting["run_id"] if waiting else f"run_{uuid.uuid4().hex}"
        session = Session(ScriptRun(ctx), call_id or "script", run_id)
        again: list[int] = waiting["interrupted"] if waiting else []
        kept: dict[str, Any] = dict(await ctx.store.get(_STORE, default=None) or {})
        try:
            # A workflow that is restored runs a waiting step once more, also when the event that
            # the step waits for is there already and has it run, too.
            async with self._at_work.setdefault(run_id, asyncio.Lock()):
                result = await self._result(session, code, again, kept)
        except Waiting:
            # The step will be run again, which leads here once more.
            interrupted = self._runner.interrupted(session)
            await ctx.store.set(place, {"run_id": run_id, "interrupted": interrupted})
            raise
        if waiting is not None:
            await ctx.store.set(place, None)
        if result.store_writes.set or result.store_writes.delete:
            await ctx.store.set(_STORE, kept)
        text = self._runner.text(result)
        if not result.ok:
            raise ToolError(text)
        images = _images(self._runner, result)
        return [TextBlock(text=text), *images] if images else text

    async def _result(
        self, session: Session[ScriptRun], code: str, again: list[int], store: dict[str, Any]
    ) -> RunResult:
        runner = self._runner
        if await runner.waits(session, code):
            result = await runner.go_on(session, again=again, store=store)
        else:
            result = await runner.begin(code, session, store=store)
        tries: Counter[str] = Counter()
        while result.status == "paused":
            # One by one: an answer that came is on record before the next one is waited for.
            pending = result.pending[0]
            answer = await answer_for(pending, session.context.context, tries[pending.id])
            tries[pending.id] += 1
            result = await runner.go_on(session, {pending.id: answer}, store=store)
        return result


def _check_names(asking: frozenset[str], runner: CodeRunner) -> None:
    """Nobody would be asked about a tool whose name is misspelt.

    Raises:
        ConfigurationError: for the first such name.
    """
    known = [tool.name for tool in runner.engine.contract.tools]
    for name in sorted(asking.difference(known)):
        raise ConfigurationError(
            f"CodeModeTool(requires_approval=): there is no tool {name!r}{nearest(name, known)}; "
            f"the tools are {', '.join(known)}"
        )


def _opened(tools: Any) -> Any:
    """The tools, with tool specs in place of which their tools come."""
    if isinstance(tools, Mapping):
        groups = cast("Mapping[str, Any]", tools)
        return {name: _opened(group) for name, group in groups.items()}
    found: list[Any] = []
    for tool in tools:
        found += tool.to_tool_list() if isinstance(tool, BaseToolSpec) else [tool]
    return found


def _converted(tool: Any, requires_approval: frozenset[str]) -> Tool:
    if isinstance(tool, BaseTool):
        return tool_of(tool, requires_approval)
    if inspect.isroutine(tool):
        # As agents of LlamaIndex take functions, with a parameter for the context.
        return tool_of(FunctionTool.from_defaults(tool), requires_approval)
    return tool_from(tool)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def _images(runner: CodeRunner, result: RunResult) -> list[ImageBlock]:
    return [
        ImageBlock(image=base64.b64decode(image.data), image_mimetype=image.mime_type)
        for image in runner.images(result)
    ]
