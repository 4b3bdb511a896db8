"""The toolset that offers the model one code tool in place of the tools that it wraps."""

from __future__ import annotations

import base64
import copy
import json
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic_ai import AbstractToolset, RunContext, ToolDefinition
from pydantic_ai.exceptions import ApprovalRequired, ToolFailed, UserError
from pydantic_ai.messages import BinaryContent, ToolCallPart, ToolReturn
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.tools import (
    AgentDepsT,
    DeferredToolRequests,
    ToolApproved,
    ToolDenied,
    ToolSelector,
    matches_tool_selector,
)
from pydantic_ai.toolsets import ApprovalRequiredToolset, ToolsetTool, WrapperToolset
from pydantic_core import SchemaValidator, core_schema
from typing_extensions import Unpack

from toolscript.errors import ResumeError
from toolscript.host.approval import Answer, Reject
from toolscript.result import RunResult
from toolscript_adapters.kit import (
    CODE_SCHEMA,
    CodeRunner,
    CodeRunners,
    CodeToolOptions,
    Session,
    check_code_tool,
    for_context,
)
from toolscript_adapters.pydantic_ai.approvals import (
    RaisedQuestions,
    answer_for,
    as_answer,
    nested_call_of,
    request_metadata,
)
from toolscript_adapters.pydantic_ai.nested import (
    ScriptRun,
    callable_from_scripts,
    image_in,
    tool_of,
)

_ARGUMENTS: Final = SchemaValidator(
    core_schema.typed_dict_schema({"code": core_schema.typed_dict_field(core_schema.str_schema())})
)
ApprovalFunction = Callable[[RunContext[AgentDepsT], ToolDefinition, dict[str, Any]], bool]

_MAX_RETRIES: Final = 3
"""How often the model may forget the argument `code`; errors of scripts are not counted."""


@dataclass(kw_only=True)
class _CodeTool(ToolsetTool[AgentDepsT]):
    runner: CodeRunner
    nested: dict[str, ToolsetTool[AgentDepsT]]


class CodeModeToolset(WrapperToolset[AgentDepsT]):
    """Offers the tools of another toolset to scripts, and the model one tool that runs these.

    Args:
        wrapped: the toolset; what scripts cannot call stays with the model.
        tools: which of its tools go to scripts, as everywhere in PydanticAI.
        options: see `CodeToolOptions`. Functions for `authority` and `approver` get the
            `RunContext`.
    """

    def __init__(
        self,
        wrapped: AbstractToolset[AgentDepsT],
        *,
        tools: ToolSelector[AgentDepsT] = "all",
        **options: Unpack[CodeToolOptions],
    ):
        super().__init__(wrapped)
        check_code_tool(CodeModeToolset, options)
        self._selector = tools
        self._runners = CodeRunners(for_context(options, _context_of), keeps=True, image=image_in)
        self._raised = RaisedQuestions()
        self.approved_before = False

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        return self.around(await self.wrapped.for_run(ctx))

    async def for_run_step(self, ctx: RunContext[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        return self.around(await self.wrapped.for_run_step(ctx))

    def visit_and_replace(self, visitor: Any) -> AbstractToolset[AgentDepsT]:
        return self.around(self.wrapped.visit_and_replace(visitor))

    def approval_required(
        self,
        approval_required_func: ApprovalFunction[AgentDepsT] = lambda ctx, tool_def, args: True,
    ) -> ApprovalRequiredToolset[AgentDepsT]:
        """Has a person approve a script before it is begun; its calls may ask once more."""
        asked = copy.copy(self)
        asked.approved_before = True
        return ApprovalRequiredToolset(asked, approval_required_func)

    def around(self, wrapped: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT]:
        """This toolset around another one, with the same engines and waiting runs."""
        if wrapped is self.wrapped:
            return self
        other = copy.copy(self)
        other.wrapped = wrapped
        return other

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        offered = await self.wrapped.get_tools(ctx)
        nested = {
            name: tool for name, tool in offered.items() if await self._for_scripts(ctx, tool)
        }
        if not nested:
            return offered
        runner = self._runners.of([tool_of(tool.tool_def) for tool in nested.values()])
        kept = {name: tool for name, tool in offered.items() if name not in nested}
        if runner.name in kept:
            raise UserError(
                f"there is a tool {runner.name!r} already; give the code tool another name="
            )
        return {**kept, runner.name: self._code_tool(runner, nested)}

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[AgentDepsT],
        tool: ToolsetTool[AgentDepsT],
    ) -> Any:
        if not isinstance(tool, _CodeTool):
            return await super().call_tool(name, tool_args, ctx, tool)
        try:
            return await self._run(tool_args["code"], ctx, tool)
        except ResumeError as error:
            raise ToolFailed(str(error)) from error

    async def _for_scripts(
        self, ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> bool:
        return callable_from_scripts(tool.tool_def) and await matches_tool_selector(
            self._selector, ctx, tool.tool_def
        )

    def _code_tool(
        self, runner: CodeRunner, nested: dict[str, ToolsetTool[AgentDepsT]]
    ) -> _CodeTool[AgentDepsT]:
        return _CodeTool(
            toolset=self,
            tool_def=ToolDefinition(
                name=runner.name,
                description=runner.description,
                parameters_json_schema=dict(CODE_SCHEMA),
                metadata={"code_arg_name": "code", "code_arg_language": "typescript"},
            ),
            max_retries=_MAX_RETRIES,
            args_validator=_ARGUMENTS,
            runner=runner,
            nested=nested,
        )

    async def _run(
        self, code: str, ctx: RunContext[AgentDepsT], tool: _CodeTool[AgentDepsT]
    ) -> ToolReturn[Any]:
        session = self._session(ctx, tool)
        run = session.context
        try:
            result = await self._begin_or_go_on(code, ctx, tool.runner, session)
            decisions: Mapping[str, Answer] = {}
            while decisions := await _decided_at_once(result, run.manager, decisions.keys()):
                result = await tool.runner.go_on(session, decisions)
        except ApprovalRequired:
            # A tool raised it itself; others of the script may have done so meanwhile.
            raise ApprovalRequired(request_metadata(run.raised.asked.values())) from None
        if result.status == "paused":
            calls = (nested_call_of(pending, session.call_id) for pending in result.pending)
            raise ApprovalRequired(request_metadata(calls))
        self._raised.forget(session.run_id)
        if not result.ok:
            raise ToolFailed(tool.runner.text(result))
        return _returned(tool.runner, result, session)

    def _session(
        self, ctx: RunContext[AgentDepsT], tool: _CodeTool[AgentDepsT]
    ) -> Session[ScriptRun]:
        # Of a call the id stays the same over the runs of the agent in which it waits.
        call_id = ctx.tool_call_id or f"call_{uuid.uuid4().hex}"
        run_id = f"{ctx.conversation_id or uuid.uuid4().hex}:{call_id}"
        manager = ToolManager[Any](
            toolset=self.wrapped,
            root_capability=ctx.root_capability,
            ctx=ctx,
            tools=tool.nested,
        )
        return Session(ScriptRun(ctx, manager, self._raised.of(run_id)), call_id, run_id)

    async def _begin_or_go_on(
        self,
        code: str,
        ctx: RunContext[AgentDepsT],
        runner: CodeRunner,
        session: Session[ScriptRun],
    ) -> RunResult:
        if not await runner.waits(session, code) and (
            self.approved_before or not ctx.tool_call_approved
        ):
            return await runner.begin(code, session)
        if not ctx.tool_call_approved:
            return await runner.go_on(session)
        # With an approval for a script that is not kept any more this is an error: a new run
        # would do once more what was done before the pause.
        told = ctx.tool_call_metadata
        again = session.context.raised.take_answers(session.call_id, told)
        result = await runner.go_on(session, again=again)
        answers = {pending.id: answer_for(pending.id, told) for pending in result.pending}
        return await runner.go_on(session, answers) if answers else result


def _context_of(run: ScriptRun) -> RunContext[Any]:
    return run.context


async def _decided_at_once(
    result: RunResult, manager: ToolManager[Any], refused: Collection[str]
) -> Mapping[str, Answer]:
    """What the agent's own handlers of deferred calls say of the calls that wait.

    An answer that could not be used denies its call: a handler would say the same once more.
    """
    if result.status != "paused":
        return {}
    found = await manager.resolve_deferred_tool_calls(
        DeferredToolRequests(
            approvals=[
                ToolCallPart(tool_name=pending.tool, args=pending.args, tool_call_id=pending.id)
                for pending in result.pending
            ]
        )
    )
    if found is None:
        return {}
    wrong = {one.id: Reject(one.reason) for one in result.pending if one.id in refused}
    return {
        id: wrong.get(id) or as_answer(decision)
        for id, decision in found.to_tool_call_results().items()
        if isinstance(decision, ToolApproved | ToolDenied)
    }


def _returned(
    runner: CodeRunner, result: RunResult, session: Session[ScriptRun]
) -> ToolReturn[Any]:
    images = [
        BinaryContent(data=base64.b64decode(image.data), media_type=image.mime_type or "image/png")
        for image in runner.images(result)
    ]
    return ToolReturn(
        runner.text(result),
        content=[*session.context.shown, *images] or None,
        metadata={
            "run_id": result.run_id,
            "calls": _receipts(result, session),
        },
    )


def _receipts(result: RunResult, session: Session[ScriptRun]) -> list[dict[str, Any]]:
    """The receipts as plain data, each with what its tool keeps for the application."""
    receipts: list[dict[str, Any]] = json.loads(result.to_json())["calls"]
    for receipt in receipts:
        kept = session.context.kept.get(f"{session.call_id}:{receipt['seq']}")
        if kept is not None:
            receipt["metadata"] = kept
    return receipts
