"""The plugin, and the code tool that it gives to an agent."""

from __future__ import annotations

import asyncio
import base64
from collections import Counter
from collections.abc import AsyncGenerator, Collection
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

from strands import Agent
from strands.interrupt import InterruptException
from strands.middleware import ExecuteToolStage, InvokeModelStage
from strands.middleware.stages import InvokeModelContext
from strands.plugins import Plugin
from strands.types.media import ImageFormat
from strands.types.tools import (
    AgentTool,
    ToolContext,
    ToolGenerator,
    ToolResult,
    ToolResultContent,
    ToolSpec,
    ToolUse,
)
from typing_extensions import Unpack

from toolscript.contract.tool import Tool
from toolscript.errors import ResumeError, ToolError
from toolscript.given import names_in
from toolscript.result import OutputItem, RunResult
from toolscript_adapters.kit import (
    CODE_SCHEMA,
    NAME,
    SUMMARY,
    CodeRunner,
    CodeRunners,
    CodeToolOptions,
    Session,
    check_code_tool,
    code_of,
)
from toolscript_adapters.strands.approvals import answers_for
from toolscript_adapters.strands.execution import note_what_is_returned
from toolscript_adapters.strands.nested import ScriptRun, image_in, tool_of

_STORE: Final = "toolscript_store"
"""Where the agent's state keeps what scripts store."""

_LOOK_S: Final = 0.05
"""How often a running script looks for the agent's cancellation, which nobody announces."""


class CodeModePlugin(Plugin):
    """Has the model call an agent's tools from scripts, by one tool that runs these.

    Args:
        keep: names of tools that stay with the model.
        requires_approval: names of tools whose calls a person has to approve. The agent stops
            with an interrupt for each; its `reason` holds tool and arguments.
        options: see `CodeToolOptions`. Functions for `authority` and `approver` get the
            `ScriptRun`.
    """

    def __init__(
        self,
        *,
        keep: Collection[str] = (),
        requires_approval: Collection[str] = (),
        **options: Unpack[CodeToolOptions],
    ):
        super().__init__()
        check_code_tool(CodeModePlugin, options)
        self._keep = names_in("CodeModePlugin(keep=)", keep)
        self._requires_approval = names_in("CodeModePlugin(requires_approval=)", requires_approval)
        self._runners = CodeRunners(options, keeps=True, stores=True, image=image_in)
        self._made: WeakKeyDictionary[AgentTool, tuple[ToolSpec, Tool]] = WeakKeyDictionary()
        self._code_tool = _CodeTool(self, options)

    @property
    def name(self) -> str:
        return "toolscript"

    def init_agent(self, agent: Agent) -> None:
        agent.tool_registry.register_tool(self._code_tool)
        agent.add_middleware(InvokeModelStage.Input, self._show_one_tool)
        agent.add_middleware(ExecuteToolStage.Input, note_what_is_returned)

    def runner_of(self, agent: Agent) -> CodeRunner:
        """The runner of scripts over the tools that the agent has at this moment."""
        return self._runners.of([self._as_tool(tool) for tool in self._for_scripts(agent)])

    def _as_tool(self, tool: AgentTool) -> Tool:
        """The tool for scripts; made once, since types of results take their time to read."""
        spec = tool.tool_spec
        made = self._made.get(tool)
        if made is None or made[0] != spec:
            made = self._made[tool] = (spec, tool_of(tool, self._requires_approval))
        return made[1]

    def _for_scripts(self, agent: Agent) -> list[AgentTool]:
        return [
            tool
            for name, tool in agent.tool_registry.registry.items()
            if tool is not self._code_tool
            and name not in self._keep
            and tool.tool_type != "structured_output"
        ]

    def _show_one_tool(self, context: InvokeModelContext) -> InvokeModelContext:
        agent = cast(Agent, context.agent)
        hidden = {tool.tool_name for tool in self._for_scripts(agent)}
        own = self._code_tool.tool_name
        shown = [spec for spec in context.tool_specs if spec["name"] not in hidden | {own}]
        return context.replace(
            tool_specs=[*shown, self._code_tool.spec_with(self.runner_of(agent).description)]
        )


class _CodeTool(AgentTool):
    def __init__(self, plugin: CodeModePlugin, options: CodeToolOptions):
        super().__init__()
        self._plugin = plugin
        self._name = options.get("name", NAME)
        self._summary = options.get("description", SUMMARY)

    @property
    def tool_name(self) -> str:
        return self._name

    @property
    def tool_spec(self) -> ToolSpec:
        # Only with an agent it is known what there is to declare: `spec_with` is what models see.
        return self.spec_with(self._summary)

    @property
    def tool_type(self) -> str:
        return "function"

    def spec_with(self, description: str) -> ToolSpec:
        return {
            "name": self._name,
            "description": description,
            "inputSchema": {"json": dict(CODE_SCHEMA)},
        }

    async def stream(
        self, tool_use: ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> ToolGenerator:
        agent: Agent = invocation_state["agent"]
        runner = self._plugin.runner_of(agent)
        run = ScriptRun(agent, tool_use, invocation_state)
        task = asyncio.create_task(_run(runner, run))
        try:
            async for event in _streamed(run, task):
                yield event
            result = await task
        except (ResumeError, ToolError) as error:
            yield _told(tool_use, "error", [{"text": str(error)}])
            return
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        content: list[ToolResultContent] = [{"text": runner.text(result)}]
        content += [_image(image) for image in runner.images(result)]
        yield _told(tool_use, "success" if result.ok else "error", content)


async def _run(runner: CodeRunner, run: ScriptRun) -> RunResult:
    """Run the script, or go on with it when the agent comes back from an interrupt.

    Raises:
        InterruptException: if the script waits for an answer.
    """
    call_id = run.tool_use["toolUseId"]
    session = Session(run, call_id, f"{run.agent.agent_id}:{call_id}")
    code = code_of(run.tool_use["input"])
    # Strands keeps the agent's state over its interrupts, in a session also over processes.
    place = f"toolscript_interrupted_{call_id}"
    store: dict[str, Any] = run.agent.state.get(_STORE) or {}
    context = ToolContext[Any](run.tool_use, run.agent, run.invocation_state)
    try:
        if await runner.waits(session, code):
            again: list[int] = run.agent.state.get(place) or []
            result = await runner.go_on(session, again=again, store=store)
        else:
            result = await runner.begin(code, session, store=store)
        tries: Counter[str] = Counter()
        while result.status == "paused":
            answers = answers_for(result, context, tries)
            result = await runner.go_on(session, answers, store=store)
            tries.update(answers.keys())
    except InterruptException:
        run.agent.state.set(place, runner.interrupted(session))
        raise
    run.agent.state.delete(place)
    if result.store_writes.set or result.store_writes.delete:
        run.agent.state.set(_STORE, store)
    return result


async def _streamed(run: ScriptRun, task: asyncio.Task[RunResult]) -> AsyncGenerator[Any]:
    """What nested tools yield while the script runs.

    Raises:
        ToolError: if the agent is cancelled meanwhile.
    """
    while not task.done():
        event = asyncio.ensure_future(run.streamed.get())
        try:
            await asyncio.wait([task, event], timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
            if event.done():
                yield event.result()
        finally:
            event.cancel()
        if not task.done() and run.agent.cancel_signal.is_set():
            raise ToolError("the agent was cancelled, and the script with it")
    while not run.streamed.empty():
        yield run.streamed.get_nowait()


def _told(tool_use: ToolUse, status: Any, content: list[ToolResultContent]) -> ToolResult:
    return {"toolUseId": tool_use["toolUseId"], "status": status, "content": content}


def _image(image: OutputItem) -> ToolResultContent:
    format = cast(ImageFormat, image.mime_type.partition("/")[2])
    return {"image": {"format": format, "source": {"bytes": base64.b64decode(image.data)}}}
