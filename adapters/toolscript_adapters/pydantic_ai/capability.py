"""The capability that puts all tools of an agent behind the code tool."""

from __future__ import annotations

from pydantic_ai import AbstractToolset
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.tools import AgentDepsT, ToolSelector
from typing_extensions import Unpack

from toolscript_adapters.kit import CodeToolOptions, check_code_tool
from toolscript_adapters.pydantic_ai.toolset import CodeModeToolset


class CodeModeCapability(AbstractCapability[AgentDepsT]):
    """Offers an agent's tools, wherever they come from, to scripts in place of the model.

    Capabilities that stand before it in the agent's list see the code tool, those after it the
    tools themselves.

    Args:
        tools: which tools go to scripts; the model keeps the others.
        options: see `CodeToolOptions`. Functions for `authority` and `approver` get the
            `RunContext`.
    """

    def __init__(
        self, *, tools: ToolSelector[AgentDepsT] = "all", **options: Unpack[CodeToolOptions]
    ):
        check_code_tool(CodeModeCapability, options)
        self._selector = tools
        self._options = options
        # One for all runs of the agent: it keeps the scripts that wait for an approval.
        self._toolset: CodeModeToolset[AgentDepsT] | None = None

    def get_wrapper_toolset(
        self, toolset: AbstractToolset[AgentDepsT]
    ) -> AbstractToolset[AgentDepsT]:
        if self._toolset is None:
            self._toolset = CodeModeToolset(toolset, tools=self._selector, **self._options)
        return self._toolset.around(toolset)
