"""`Command`s of nested tools: seen by later calls of the script, folded into one outer result.

LangGraph merges what one step of a graph writes, and a field without a reducer takes one value in
a step. Calls of a script that follow each other are steps, here too: the later one wins. Calls
that overlap are one step, and `collision` tells which field cannot hold what both wrote.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Union, cast

from langchain_core.messages import BaseMessage, ToolMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig

if TYPE_CHECKING:
    from langgraph.channels.base import BaseChannel
    from langgraph.types import Command

_READ: Final = "__pregel_read"
_MESSAGES: Final = "messages"

Steering = Union["Command[Any]", ToolMessage]
Channels = Mapping[str, "BaseChannel[Any, Any, Any]"]

# What LangGraph itself reads a command by; updates may be objects of the state's own class.
_as_tuples: Callable[[Any], Callable[[], Sequence[tuple[str, Any]]]] = attrgetter(
    "_update_as_tuples"
)


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """What a call of a script wrote to fields of the state: all values, field by field."""

    tool: str
    values: Mapping[str, Sequence[Any]]


def written_by(tool: str, steering: Iterable[Steering]) -> Written:
    """What the commands of a call write to this graph's state, its messages aside."""
    values = _by_field(_writes(_here(steering)))
    values.pop(_MESSAGES, None)
    return Written(tool, values)


def collision(
    own: Written, meanwhile: Iterable[Written], channels: Channels
) -> tuple[str, list[str]] | None:
    """The first field that cannot take what these calls wrote to it at once, and their tools."""
    others = list(meanwhile)
    for name in own.values:
        at_once = [one for one in others if name in one.values]
        every = [value for one in (*at_once, own) for value in one.values[name]]
        if len(every) > 1 and not _takes_together(channels.get(name), every):
            return name, [*(one.tool for one in at_once), own.tool]
    return None


def steering_items(value: Any) -> tuple[Steering, ...]:
    """The commands and messages of a result that steers the graph; empty for any other."""
    command = _command_class()
    if command is None:
        return ()
    if isinstance(value, command):
        return (cast("Command[Any]", value),)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if any(isinstance(item, command) for item in items) and all(
            isinstance(item, command | ToolMessage) for item in items
        ):
            return tuple(items)
    return ()


def messages_in(items: Iterable[Steering]) -> list[ToolMessage]:
    """The tool messages that say to the caller what a steering result did."""
    found: list[Any] = []
    for item in items:
        found += [item] if isinstance(item, ToolMessage) else _update_of(item).get(_MESSAGES, [])
    return [message for message in found if isinstance(message, ToolMessage)]


def channels_of(config: RunnableConfig) -> Channels:
    """The channels of the graph in which this runs; empty outside of one."""
    read = config.get("configurable", {}).get(_READ)
    # LangGraph binds them as the second argument, and its ToolNode reads them there, too.
    return read.args[1] if read is not None else {}


def state_with(state: Any, steering: Sequence[Steering], channels: Channels) -> Any:
    """The graph's state as it is once these commands are in it, by the graph's own reducers.

    Fields that the graph does not have change nothing, as in LangGraph.
    """
    written = _writes(_here(steering))
    if isinstance(state, list):
        return [*cast("list[Any]", state), *(m for _, value in written for m in value)]
    changes: dict[str, Any] = {}
    for name, values in _by_field(written).items():
        if channels and name not in channels:
            continue
        changes[name] = _reduced(channels[name], values) if channels else values[-1]
    if isinstance(state, Mapping):
        return {**cast("Mapping[str, Any]", state), **changes}
    known = {name: value for name, value in changes.items() if hasattr(state, name)}
    if hasattr(state, "model_copy"):
        return state.model_copy(update=known)
    return dataclasses.replace(state, **known) if known else state


def folded(
    outer: ToolMessage,
    steering: Sequence[Steering],
    *,
    state: Any,
    channels: Channels,
) -> Any:
    """One valid result of the code tool: `outer` and all that the nested commands want.

    The graph takes exactly one message for the outer call, so the nested ones go: their calls
    are not in the model's message. A field that was written several times, and whose channel
    wants to see each, needs a command for each.
    """
    commands = _commands(steering)
    if not commands:
        return outer
    make = _command_class()
    assert make is not None, "there are commands"
    here = _here(steering)
    elsewhere = [_readdressed(command, outer) for command in commands if command.graph is not None]
    if messages_in(elsewhere):
        # A handoff brings the answer to the outer call along, and leaves this graph.
        return elsewhere if len(elsewhere) > 1 else elsewhere[0]
    written = _writes(here)
    if isinstance(state, list):
        messages = [message for _, value in written for message in value]
        first = make(update=[*messages, outer], goto=_targets(here))
        return [*elsewhere, first] if elsewhere else first
    update: dict[str, Any] = {}
    more: list[Any] = []
    for name, values in _by_field(written).items():
        if name == _MESSAGES:
            update[name] = [message for value in values for message in value]
            continue
        update[name], *others = _as_one_step(channels.get(name), values)
        more += [make(update={name: value}) for value in others]
    update[_MESSAGES] = [*update.get(_MESSAGES, []), outer]
    first = make(update=update, goto=_targets(here))
    return [first, *more, *elsewhere] if more or elsewhere else first


def _commands(steering: Iterable[Steering]) -> list[Command[Any]]:
    return [item for item in steering if not isinstance(item, ToolMessage)]


def _here(steering: Iterable[Steering]) -> list[Command[Any]]:
    """The commands for the graph in which the code tool runs."""
    return [command for command in _commands(steering) if command.graph is None]


def _writes(commands: Iterable[Command[Any]]) -> list[tuple[str, Any]]:
    """(field, value) in order, without the tool messages of nested calls."""
    written: list[tuple[str, Any]] = []
    for command in commands:
        for channel, value in _update_of(command).items():
            if channel != _MESSAGES:
                written.append((channel, value))
                continue
            kept = [message for message in value if not isinstance(message, ToolMessage)]
            if kept:
                written.append((channel, kept))
    return written


def _by_field(written: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for name, value in written:
        found.setdefault(name, []).append(value)
    return found


def _update_of(command: Command[Any]) -> dict[str, Any]:
    update: Any = command.update
    if update is None:
        return {}
    if isinstance(update, list | BaseMessage):
        return {_MESSAGES: _as_messages(update)}
    found = dict(_as_tuples(command)())
    if _MESSAGES in found:
        found[_MESSAGES] = _as_messages(found[_MESSAGES])
    return found


def _as_messages(value: Any) -> list[Any]:
    return convert_to_messages(cast("list[Any]", value) if isinstance(value, list) else [value])


def _readdressed(command: Command[Any], outer: ToolMessage) -> Command[Any]:
    """A command for another graph, in whose history only the outer call exists."""
    update = _update_of(command)
    messages = [
        message for message in update.get(_MESSAGES, []) if isinstance(message, ToolMessage)
    ]
    if not messages:
        return command
    said = messages[-1].model_copy(update={"tool_call_id": outer.tool_call_id, "name": outer.name})
    others = [m for m in update[_MESSAGES] if not isinstance(m, ToolMessage)]
    return dataclasses.replace(command, update={**update, _MESSAGES: [*others, said]})


def _targets(commands: Iterable[Command[Any]]) -> tuple[Any, ...]:
    targets: list[Any] = []
    for command in commands:
        goto: Any = command.goto
        targets += goto if isinstance(goto, list | tuple) else [goto]
    return tuple(targets)


def _reduced(channel: BaseChannel[Any, Any, Any], values: Sequence[Any]) -> Any:
    """What a channel holds when it took these values one after the other."""
    copy = channel.copy()
    for value in values:
        copy.update([value])
    return copy.get()


def _as_one_step(channel: BaseChannel[Any, Any, Any] | None, values: Sequence[Any]) -> list[Any]:
    """What to write in one step so that the channel holds what these writes in turn lead to."""
    if len(values) == 1 or channel is None:
        return [values[-1]]
    has_reducer = hasattr(channel, "operator") or hasattr(channel, "reducer")
    if has_reducer and any(map(_overwrites, values)):
        from langgraph.types import Overwrite

        # Beside an `Overwrite`, LangGraph drops whatever else the step writes.
        return [Overwrite(_reduced(channel, values))]
    return list(values) if _takes_together(channel, values) else [values[-1]]


def _takes_together(channel: BaseChannel[Any, Any, Any] | None, values: Sequence[Any]) -> bool:
    """Whether a channel takes several values in one step, which LangGraph leaves to its kind."""
    if channel is None:
        return True
    from langgraph.errors import InvalidUpdateError

    try:
        channel.copy().update(values)
    except InvalidUpdateError:
        return False
    return True


def _overwrites(value: Any) -> bool:
    """Whether a value replaces what a reducer has gathered, in either form of it."""
    from langgraph.types import Overwrite

    if isinstance(value, Mapping):
        return set(cast("Mapping[str, Any]", value)) == {"__overwrite__"}
    return isinstance(value, Overwrite)


def _command_class() -> type[Any] | None:
    types = sys.modules.get("langgraph.types")
    return types.Command if types else None
