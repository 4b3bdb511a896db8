"""Agent middleware around nested calls.

Middleware meets a model's tool call at two places: `after_model` looks at the message that asks
for it (human in the loop, call limits), `wrap_tool_call` goes around its execution (retry, custom
rules). A nested call passes both, the first one as if a model had asked for just this call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import set_config_context
from langchain_core.runnables.utils import coro_with_context

from toolscript.errors import ToolError
from toolscript.host.threads import in_thread
from toolscript.langchain.commands import Steering
from toolscript.langchain.content import content_text
from toolscript.langchain.pausing import steers_graph
from toolscript.langchain.session import Execute, NestedCall, Session

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware
    from langgraph.prebuilt.tool_node import ToolCallRequest

Run = Callable[["ToolCallRequest"], Awaitable[Any]]
Wrapper = Callable[["ToolCallRequest", Run], Awaitable[Any]]
"""`awrap_tool_call` of one middleware or of several."""

BlockingWrapper = Callable[["ToolCallRequest", Callable[["ToolCallRequest"], Any]], Any]
"""`wrap_tool_call` of one middleware or of several."""


@dataclass(frozen=True, slots=True)
class Chain:
    """What goes around a nested call: reviewers first, then the wrapper."""

    reviewers: Sequence[AgentMiddleware[Any, Any]]
    wrapper: Wrapper | None

    async def __call__(self, call: NestedCall, execute: Execute, session: Session) -> Any:
        if call.runtime is None:
            raise ToolError(
                f"{call.tool.name} may only be called through the agent's middleware, and there "
                "is no agent here"
            )
        for reviewer in self.reviewers:
            outcome = _reviewed(reviewer, call, session)
            if isinstance(outcome, ToolMessage):
                if outcome.status == "error":
                    # The tool was not called: a person said no, or a limit did.
                    raise ToolError(content_text(outcome.content), code="denied")
                return outcome
            call = outcome
        if self.wrapper is None:
            return await execute(call)

        async def run(changed: ToolCallRequest) -> Any:
            return await execute(_changed(call, changed))

        with set_config_context(call.config or {}) as context:
            wrapping = self.wrapper(_request(call), run)
            return await coro_with_context(cast(Any, wrapping), context)


def chain_of(middleware: Sequence[AgentMiddleware[Any, Any]]) -> Chain:
    """The chain of some middleware, the first one outermost; either form of each will do."""
    wrapper: Wrapper | None = None
    for one in reversed(middleware):
        own = _wrapper_of(one)
        if own is not None:
            wrapper = own if wrapper is None else _outside(own, wrapper)
    return Chain(reviewers_of(middleware), wrapper)


def in_thread_of_its_own(wrapper: BlockingWrapper) -> Wrapper:
    """A blocking wrapper for calls that are async."""

    async def wrapped(request: ToolCallRequest, run: Run) -> Any:
        loop = asyncio.get_running_loop()

        async def ran(changed: ToolCallRequest) -> Any:
            return await run(changed)

        def blocking(changed: ToolCallRequest) -> Any:
            return asyncio.run_coroutine_threadsafe(ran(changed), loop).result()

        return await in_thread(lambda: wrapper(request, blocking))

    return wrapped


def reviewers_of(
    middleware: Sequence[AgentMiddleware[Any, Any]],
) -> list[AgentMiddleware[Any, Any]]:
    """Those that decide about a model's tool calls after it has spoken."""
    from langchain.agents.middleware import HumanInTheLoopMiddleware, ToolCallLimitMiddleware

    return [
        one
        for one in middleware
        if isinstance(one, HumanInTheLoopMiddleware | ToolCallLimitMiddleware)
    ]


def _wrapper_of(middleware: AgentMiddleware[Any, Any]) -> Wrapper | None:
    from langchain.agents.middleware import AgentMiddleware

    kind = type(middleware)
    if kind.awrap_tool_call is not AgentMiddleware.awrap_tool_call:
        return cast("Wrapper", middleware.awrap_tool_call)
    if kind.wrap_tool_call is not AgentMiddleware.wrap_tool_call:
        return in_thread_of_its_own(middleware.wrap_tool_call)
    return None


def _outside(outer: Wrapper, inner: Wrapper) -> Wrapper:
    async def composed(request: ToolCallRequest, run: Run) -> Any:
        async def within(changed: ToolCallRequest) -> Any:
            return await inner(changed, run)

        return await outer(request, within)

    return composed


def _reviewed(
    reviewer: AgentMiddleware[Any, Any], call: NestedCall, session: Session
) -> NestedCall | ToolMessage:
    """The call as the reviewer leaves it, or the message that it gives in its place."""
    update = _review(reviewer, call, session)
    if update is None:
        return call
    messages: list[Any] = update.get("messages", [])
    lasting = {name: value for name, value in update.items() if name not in ("messages", "jump_to")}
    if lasting:
        session.keep(call.place, None, (_command(lasting),))
    for said in messages:
        if isinstance(said, ToolMessage) and said.tool_call_id == call.id:
            return said
    for said in reversed(messages):
        if isinstance(said, AIMessage) and said.tool_calls:
            call = replace(call, args=dict(said.tool_calls[-1]["args"]))
            break
    return replace(call, state={**(call.state or {}), **lasting})


def _review(
    reviewer: AgentMiddleware[Any, Any], call: NestedCall, session: Session
) -> dict[str, Any] | None:
    """What the reviewer says about a message that asks for this one call.

    A person's answer that the reviewer cannot use is dropped, and the question asked again: it
    must neither fail the script nor count as an answer.
    """
    asker, pauses = call.id, session.pauses
    state = session.private_state()
    asked = {"name": call.tool.name, "args": call.args, "id": call.id, "type": "tool_call"}
    message = AIMessage(content="", tool_calls=[asked], id=f"{call.id}:asked")
    seen = {**state, "messages": [*state.get("messages", []), message]}
    before = len(pauses.answers.get(asker, ()))
    try:
        return _ask(reviewer, seen, call.config)
    except Exception as error:
        if steers_graph(error) or len(pauses.answers.get(asker, ())) == before:
            raise
        pauses.drop_answers(asker, before)
        return _ask(reviewer, seen, pauses.config_for(session.config or {}, asker, new=False))


def _ask(
    reviewer: AgentMiddleware[Any, Any], state: Any, config: RunnableConfig | None
) -> dict[str, Any] | None:
    from langgraph.runtime import get_runtime

    with set_config_context(config or {}) as context:
        return context.run(lambda: reviewer.after_model(state, get_runtime()))


def _command(update: dict[str, Any]) -> Steering:
    from langgraph.types import Command

    return Command(update=update)


def _request(call: NestedCall) -> ToolCallRequest:
    from langgraph.prebuilt.tool_node import ToolCallRequest

    asked: Any = {"name": call.tool.name, "args": call.args, "id": call.id, "type": "tool_call"}
    return ToolCallRequest(
        tool_call=asked, tool=call.tool, state=call.state, runtime=cast(Any, call.runtime)
    )


def _changed(call: NestedCall, request: ToolCallRequest) -> NestedCall:
    """The call as middleware left it. It stays the same call: its id is the script's."""
    return replace(
        call,
        tool=request.tool or call.tool,
        args=dict(request.tool_call["args"]),
        state=request.state,
        runtime=cast(Any, request).runtime,
    )
