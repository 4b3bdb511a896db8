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

from toolscript.errors import ConfigurationError, ToolError
from toolscript.host.threads import in_thread
from toolscript.langchain.commands import Steering
from toolscript.langchain.pausing import steers_graph
from toolscript.langchain.session import Execute, NestedCall, Session, asker_of

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware
    from langgraph.prebuilt.tool_node import ToolCallRequest

Wrapper = Callable[["ToolCallRequest", Callable[["ToolCallRequest"], Any]], Any]
"""`wrap_tool_call` of one middleware or of several, sync or async."""


@dataclass(frozen=True, slots=True)
class Chain:
    """What goes around a nested call: reviewers first, then the wrapper.

    `wrapper` is called as the agent would call it: `is_async` tells which of the two forms.
    """

    reviewers: Sequence[AgentMiddleware[Any, Any]]
    wrapper: Wrapper | None
    is_async: bool

    async def __call__(self, call: NestedCall, execute: Execute, session: Session) -> Any:
        if call.runtime is None or call.config is None:
            raise ToolError(
                f"{call.tool.name} may only be called through the agent's middleware, and there "
                "is no agent here"
            )
        for reviewer in self.reviewers:
            outcome = _reviewed(reviewer, call, session)
            if isinstance(outcome, ToolMessage):
                return outcome
            call = outcome
        if self.wrapper is None:
            return await execute(call)
        return await self._wrapped(self.wrapper, call, execute)

    async def _wrapped(self, wrapper: Wrapper, call: NestedCall, execute: Execute) -> Any:
        request = _request(call)
        loop = asyncio.get_running_loop()

        async def run(changed: ToolCallRequest) -> Any:
            return await execute(_changed(call, changed))

        def run_blocking(changed: ToolCallRequest) -> Any:
            return asyncio.run_coroutine_threadsafe(run(changed), loop).result()

        with set_config_context(call.config or {}) as context:
            if self.is_async:
                wrapping: Awaitable[Any] = wrapper(request, run)
                return await coro_with_context(cast(Any, wrapping), context)
            return await in_thread(lambda: context.run(wrapper, request, run_blocking))


def chain_of(middleware: Sequence[AgentMiddleware[Any, Any]], *, is_async: bool) -> Chain:
    """The chain of some middleware, the first one outermost.

    Raises:
        ConfigurationError: for one that has only the other form of `wrap_tool_call`, which would
            be left out otherwise.
    """
    from langchain.agents.middleware import AgentMiddleware

    wrapper: Wrapper | None = None
    for one in reversed(middleware):
        kind = type(one)
        sync_form = kind.wrap_tool_call is not AgentMiddleware.wrap_tool_call
        async_form = kind.awrap_tool_call is not AgentMiddleware.awrap_tool_call
        if not sync_form and not async_form:
            continue
        if not (async_form if is_async else sync_form):
            missing = "awrap_tool_call" if is_async else "wrap_tool_call"
            raise ConfigurationError(
                f"middleware {one.name} has no {missing}, so it could not go around the calls of "
                f"a script that runs {'async' if is_async else 'sync'}; define it"
            )
        own = cast("Wrapper", one.awrap_tool_call if is_async else one.wrap_tool_call)
        wrapper = own if wrapper is None else _outside(own, wrapper)
    return Chain(reviewers_of(middleware), wrapper, is_async)


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


def _outside(outer: Wrapper, inner: Wrapper) -> Wrapper:
    def composed(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
        return outer(request, lambda changed: inner(changed, execute))

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
    asker, pauses = asker_of(call.place), session.pauses
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
