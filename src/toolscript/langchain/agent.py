"""What a running agent has around its tools: its tools and the middleware that it was made with.

`create_agent` tells a middleware nothing about the others. They are read from the graph that
executes the current task, which LangGraph hands down for its own use. Where it cannot be read,
nested calls are refused: a rule that is left out in silence is worse than an error.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool

from toolscript.errors import ConfigurationError
from toolscript.langchain.around import (
    BlockingWrapper,
    Chain,
    Wrapper,
    in_thread_of_its_own,
    reviewers_of,
)

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware

_CALL: Final = "__pregel_call"

_wrappers: Any = attrgetter("_wrap_tool_call", "_awrap_tool_call")


@dataclass(frozen=True, slots=True)
class Agent:
    """The agent whose graph executes the current task."""

    tools: Mapping[str, BaseTool]
    middleware: tuple[AgentMiddleware[Any, Any], ...]
    wrap: BlockingWrapper | None
    awrap: Wrapper | None

    def chain(self, *, is_async: bool) -> Chain:
        """All that goes around one of its tool calls, in the agent's own order."""
        wrapper = self.awrap
        if not is_async:
            wrapper = None if self.wrap is None else in_thread_of_its_own(self.wrap)
        return Chain(reviewers_of(self.middleware), wrapper)


def agent_of(config: RunnableConfig) -> Agent:
    """The agent in whose tool node this runs.

    Raises:
        ConfigurationError: if that cannot be told.
    """
    from langchain.agents.middleware import AgentMiddleware
    from langgraph.prebuilt import ToolNode

    tools: dict[str, BaseTool] = {}
    found: dict[int, AgentMiddleware[Any, Any]] = {}
    wrap = awrap = None
    nodes = _nodes(config)
    for node in nodes.values():
        runs = node.bound
        if isinstance(runs, ToolNode):
            tools |= runs.tools_by_name
            wrap, awrap = _wrappers(runs)
        for hook in (getattr(runs, "func", None), getattr(runs, "afunc", None)):
            owner: Any = getattr(hook, "__self__", None)
            if isinstance(owner, AgentMiddleware):
                found[id(cast(Any, owner))] = owner
    if not tools:
        raise ConfigurationError(
            "CodeModeMiddleware cannot see the agent that it is part of, and will not call tools "
            "past its middleware; use it with create_agent, or CodeModeTool(middleware=[...])"
        )
    agent = Agent(tools, tuple(found.values()), wrap, awrap)
    _warn_of_bypassed(agent.middleware)
    return agent


def _nodes(config: RunnableConfig) -> Mapping[str, Any]:
    call = config.get("configurable", {}).get(_CALL)
    schedule = getattr(call, "keywords", {}).get("schedule_task")
    return getattr(getattr(schedule, "__self__", None), "nodes", {})


def _warn_of_bypassed(middleware: tuple[AgentMiddleware[Any, Any], ...]) -> None:
    """Tell of middleware of the application's own that reads tool calls from messages.

    LangChain's own either are asked about each nested call, or do not look at tool calls there.
    """
    known = reviewers_of(middleware)
    for one in middleware:
        kind = type(one)
        if one in known or kind.__module__.startswith(("langchain.", "deepagents.", "toolscript.")):
            continue
        if _has_own(kind, "after_model") or _has_own(kind, "aafter_model"):
            warnings.warn(
                f"{one.name}.after_model sees the call of the code tool and not the calls that a "
                "script makes; if it has rules about tool calls, write them as wrap_tool_call",
                stacklevel=2,
            )


def _has_own(kind: type[Any], hook: str) -> bool:
    from langchain.agents.middleware import AgentMiddleware

    return getattr(kind, hook) is not getattr(AgentMiddleware, hook)
