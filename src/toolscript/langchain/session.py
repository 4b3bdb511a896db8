"""What a code run lends to the tools that its script calls, and what they leave with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool

from toolscript.errors import ToolError
from toolscript.langchain.commands import (
    Channels,
    Steering,
    Written,
    collision,
    state_with,
    written_by,
)
from toolscript.langchain.inject import Inject
from toolscript.langchain.pausing import Pauses, can_pause

if TYPE_CHECKING:
    from langgraph.prebuilt import ToolRuntime

    from toolscript.contract.tool import ToolContext


Place = tuple[int, ...]
"""The call's number in its script; where a tool ran a script of its own, that follows."""


@dataclass(frozen=True, slots=True)
class NestedCall:
    """One call as middleware sees it and may change it.

    `state` is the graph's, with what earlier calls of the script wrote. `runtime` is None
    outside of a graph; `config` None leaves it to LangChain's own context.
    """

    place: Place
    tool: BaseTool
    args: dict[str, Any]
    id: str
    config: RunnableConfig | None
    state: Any
    runtime: ToolRuntime[Any, Any] | None


Execute = Callable[[NestedCall], Awaitable[Any]]
"""Runs a nested call and gives the message or command that LangChain makes of it."""

Around = Callable[[NestedCall, Execute, "Session"], Awaitable[Any]]
"""Middleware around a nested call; may run it once, several times or not at all."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What one nested call gave beside its value."""

    place: Place
    artifact: Any
    steering: tuple[Steering, ...]


@dataclass(slots=True)
class Session:
    """One code run, seen by its nested calls.

    Attributes:
        call_id: id of the outer tool call; nested ids are `<call_id>:<seq>`.
        run_id: id of the code run.
        config: the outer run's config, so that nested runs are its children in traces.
        runtime: the outer call's runtime, or None outside of a graph.
        inject: values of custom injected arguments.
        around: middleware around each nested call.
        channels: the graph's, with its reducers; empty outside of a graph.
        pauses: interrupts and answers of this execution.
        kept: artifacts and commands of nested calls.
        written: what calls of this execution wrote to the graph's state, as they ended.
    """

    call_id: str
    run_id: str
    config: RunnableConfig | None = None
    runtime: ToolRuntime[Any, Any] | None = None
    inject: Inject = field(default_factory=dict[str, Any])
    around: Around | None = None
    channels: Channels = field(default_factory=dict[str, Any])
    pauses: Pauses = field(default_factory=Pauses)
    kept: list[Kept] = field(default_factory=list[Kept])
    written: list[tuple[Place, Written]] = field(default_factory=list[tuple[Place, Written]])

    def place_of(self, context: ToolContext) -> Place:
        """Where a call stands, counted from the outermost script."""
        inner = context.run_id.removeprefix(self.run_id)
        return (*(int(step) for step in inner.split(".") if step), context.seq)

    def id_of(self, place: Place) -> str:
        """Id of a nested call, by which it also asks: one task may run several scripts."""
        return f"{self.call_id}:{'.'.join(map(str, place))}"

    def nested_call(self, tool: BaseTool, args: dict[str, Any], place: Place) -> NestedCall:
        call_id = self.id_of(place)
        config = self.config and self.pauses.config_for(self.config, call_id)
        runtime = self.runtime
        if runtime is None or config is None:
            return NestedCall(place, tool, args, call_id, config, None, None)
        state = state_with(runtime.state, self.steering(), self.channels)
        own = dataclasses.replace(runtime, tool_call_id=call_id, config=config, state=state)
        return NestedCall(place, tool, args, call_id, config, state, own)

    def steering(self) -> list[Steering]:
        """Commands and messages of nested calls, in the order in which the script made them."""
        ordered = sorted(self.kept, key=lambda one: one.place)
        return [item for one in ordered for item in one.steering]

    @property
    def may_pause(self) -> bool:
        """Whether there is a graph that an interrupt can pause."""
        return self.config is not None and can_pause(self.config)

    def ask(self, asker: str, seq: int, question: Any, *, new: bool = True) -> tuple[Any, ...]:
        """See `Pauses.ask`."""
        return self.pauses.ask(self.config or {}, asker, seq, question, new=new)

    def private_state(self) -> dict[str, Any]:
        """All of the graph's state, with fields that middleware keeps from tools."""
        values = {name: one.get() for name, one in self.channels.items() if one.is_available()}
        return state_with(values, self.steering(), self.channels)

    def write(self, place: Place, tool: str, steering: tuple[Steering, ...], since: int) -> None:
        """Take what a call wrote to the state, which began when `since` others had ended so.

        Raises:
            ToolError: another call wrote to the same field meanwhile, and one would be lost.
        """
        own = written_by(tool, steering)
        # What a tool's own script wrote is no other call's: it came before the tool's word.
        meanwhile = [one for at, one in self.written[since:] if at[: len(place)] != place]
        found = collision(own, meanwhile, self.channels)
        if found is not None:
            name, tools = found
            raise ToolError(
                f"{' and '.join(dict.fromkeys(tools))}: calls that ran at the same time wrote "
                f"different values to the field {name!r} of the graph's state, which holds one; "
                f"what {tool} wrote was left out. Await one call before the next is made, or have "
                f"the application give {name!r} a reducer (Annotated[..., reducer])",
                code="invalid_result",
            )
        self.written.append((place, own))

    def keep(self, place: Place, artifact: Any, steering: tuple[Steering, ...]) -> None:
        if artifact is not None or steering:
            self.kept.append(Kept(place, artifact, steering))


current_session: ContextVar[Session | None] = ContextVar("toolscript_session", default=None)
