"""The toolset that offers the model one code tool in place of the tools that it wraps."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Unpack

from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.tools import BaseTool, FunctionTool
from google.adk.tools import ToolContext as AdkContext
from google.adk.tools.base_toolset import BaseToolset
from google.genai.types import FunctionDeclaration, Part

from toolscript.contract.tool import Namespace, Tool
from toolscript.errors import ResumeError, ToolError
from toolscript.result import RunResult
from toolscript_adapters.google_adk import confirming
from toolscript_adapters.google_adk.convert import is_for_scripts, tool_from_adk
from toolscript_adapters.google_adk.nested import ScriptRun, WaitsForConfirmation
from toolscript_adapters.kit import (
    CODE_SCHEMA,
    CodeRunner,
    CodeRunners,
    CodeToolOptions,
    Session,
    check_code_tool,
    code_of,
    for_context,
)

_STORE: Final = "toolscript_store"
"""Where the session's state keeps what scripts store."""


class CodeModeToolset(BaseToolset):
    """Offers tools to scripts, and the model one tool that runs these.

    Confirmations pause the agent as everywhere in ADK: answer the `adk_request_confirmation` with
    `{"confirmed": true}`, and the script goes on behind it, repeating nothing. For sessions that
    outlive this process, give a `journal` that does, too.

    Args:
        tools: functions, tools and toolsets of ADK, `Tool`s; or name of a namespace → those. What
            scripts cannot call (long-running tools, those that the model's own service runs)
            stays with the model.
        options: see `CodeToolOptions` and `CodeMode`. Functions for `authority` and `approver`
            get the context of the code tool's call; approvals are the session's user's by default.

    Raises:
        ContractError, ConfigurationError: as `CodeMode` does.
    """

    def __init__(
        self,
        tools: Sequence[Any] | Mapping[str, Sequence[Any]],
        **options: Unpack[CodeToolOptions],
    ):
        super().__init__()
        check_code_tool(CodeModeToolset, options)
        self._groups = dict(tools) if isinstance(tools, Mapping) else {"": tools}
        options.setdefault("approver", _user)
        self._runners = CodeRunners(for_context(options, _context_of), keeps=True, stores=True)
        self._check()

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        offered = _Offered()
        for name, members in self._groups.items():
            for member in members:
                if isinstance(member, BaseToolset):
                    for tool in await member.get_tools_with_prefix(readonly_context):
                        offered.add(name, tool)
                else:
                    offered.add(name, member)
        contract = offered.contract()
        if not contract:
            return offered.kept
        return [*offered.kept, _CodeTool(self._runners.of(contract), offered.nested)]

    async def close(self) -> None:
        for members in self._groups.values():
            for member in members:
                if isinstance(member, BaseToolset):
                    await member.close()

    def _check(self) -> None:
        """ADK leaves out a toolset that fails to list its tools, so what can be said now is."""
        offered = _Offered()
        for name, members in self._groups.items():
            for member in members:
                if not isinstance(member, BaseToolset):
                    offered.add(name, member)
        self._runners.of(offered.contract())


@dataclass(slots=True)
class _Offered:
    """What the toolset's members are at the moment.

    Attributes:
        groups: tools for scripts, by namespace.
        nested: those of them that are ADK's, by key: the name, behind that of a namespace.
        kept: what the model keeps.
    """

    groups: dict[str, list[Tool]] = field(default_factory=dict[str, list[Tool]])
    nested: dict[str, BaseTool] = field(default_factory=dict[str, BaseTool])
    kept: list[BaseTool] = field(default_factory=list[BaseTool])

    def add(self, group: str, member: Any) -> None:
        """Add a tool, or a function that becomes one."""
        if isinstance(member, Tool):
            self._into(group, member)
            return
        tool = member if isinstance(member, BaseTool) else FunctionTool(member)
        if not is_for_scripts(tool):
            self.kept.append(tool)
            return
        key = f"{group}.{tool.name}" if group else tool.name
        self.nested[key] = tool
        self._into(group, tool_from_adk(tool, key))

    def contract(self) -> list[Tool | Namespace]:
        """Tools without a namespace, and the namespaces."""
        named = [Namespace(name, tools) for name, tools in self.groups.items() if name]
        return [*self.groups.get("", ()), *named]

    def _into(self, group: str, tool: Tool) -> None:
        self.groups.setdefault(group, []).append(tool)


class _CodeTool(BaseTool):
    """The one tool that the model gets. Also goes on with a script when a person has answered."""

    def __init__(self, runner: CodeRunner, nested: Mapping[str, BaseTool]):
        super().__init__(name=runner.name, description=runner.description)
        self._runner = runner
        self._nested = nested

    def _get_declaration(self) -> FunctionDeclaration:
        return FunctionDeclaration(
            name=self.name,
            description=self.description,
            parameters_json_schema=dict(CODE_SCHEMA),
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: AdkContext) -> Any:
        try:
            return await self._run(code_of(args), tool_context)
        except (ToolError, ResumeError) as error:
            return {"error": str(error)}

    async def _run(self, code: str, context: AdkContext) -> dict[str, Any]:
        run = ScriptRun(context, self._nested)
        call_id = context.function_call_id or ""
        session = Session(run, call_id, f"{context.session.id}:{call_id}")
        store: dict[str, Any] = dict(context.state.get(_STORE) or {})
        try:
            result = await self._begin_or_go_on(code, session, store)
        except WaitsForConfirmation:
            interrupted = self._runner.interrupted(session)
            return await confirming.request(context, confirming.running_calls(run), interrupted)
        if result.status == "paused":
            return await confirming.request(context, confirming.pending_calls(result))
        if result.store_writes.set or result.store_writes.delete:
            context.state[_STORE] = store
        return _answer(self._runner, result)

    async def _begin_or_go_on(
        self, code: str, session: Session[ScriptRun], store: dict[str, Any]
    ) -> RunResult:
        run = session.context
        said = run.context.tool_confirmation
        if said is not None:
            asked, again = confirming.last_asked(run.context)
            run.confirmed = confirming.confirmations_for(asked, said)
            decisions = confirming.answers_for(asked, said)
            return await self._runner.go_on(session, decisions, again=again, store=store)
        if await self._runner.waits(session, code):
            # ADK makes a call again whose answer it did not get to see.
            return await self._runner.go_on(session, store=store)
        return await self._runner.begin(code, session, store=store)


def _answer(runner: CodeRunner, result: RunResult) -> dict[str, Any]:
    answer: dict[str, Any] = {"result" if result.ok else "error": runner.text(result)}
    images = runner.images(result)
    if images:
        answer["images"] = [
            Part.from_bytes(
                data=base64.b64decode(image.data), mime_type=image.mime_type or "image/png"
            )
            for image in images
        ]
    return answer


def _context_of(run: ScriptRun) -> AdkContext:
    return run.context


def _user(context: AdkContext) -> str:
    return context.user_id
