"""`Command`s of nested tools: seen by later calls of the script, folded into one outer result."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Union, cast

from langchain_core.messages import ToolMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig

if TYPE_CHECKING:
    from langgraph.channels.base import BaseChannel
    from langgraph.types import Command

_READ: Final = "__pregel_read"
_MESSAGES: Final = "messages"

Steering = Union["Command[Any]", ToolMessage]
Channels = Mapping[str, "BaseChannel[Any, Any, Any]"]


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
    """The graph's state as it is once these commands are in it, by the graph's own reducers."""
    written = _writes(_commands(steering), "")
    if not written:
        return state
    if isinstance(state, list):
        return [*cast("list[Any]", state), *(m for _, value in written for m in value)]
    changes: dict[str, Any] = {}
    for channel in dict.fromkeys(channel for channel, _ in written):
        values = [value for name, value in written if name == channel]
        changes[channel] = _reduced(channels.get(channel), values)
    if isinstance(state, Mapping):
        return {**cast("Mapping[str, Any]", state), **changes}
    if hasattr(state, "model_copy"):
        return state.model_copy(update=changes)
    return dataclasses.replace(state, **changes)


def folded(
    outer: ToolMessage,
    steering: Sequence[Steering],
    *,
    state: Any,
    channels: Channels,
) -> Any:
    """One valid result of the code tool: `outer` and all that the nested commands want.

    The graph takes exactly one message for the outer call, so the nested ones go: their calls
    are not in the model's message. A field that was written several times, and whose reducer
    wants to see each, needs a command for each.
    """
    commands = _commands(steering)
    if not commands:
        return outer
    make = _command_class()
    assert make is not None, "there are commands"
    here = [command for command in commands if command.graph is None]
    elsewhere = [_readdressed(command, outer) for command in commands if command.graph is not None]
    if messages_in(elsewhere):
        # A handoff brings the answer to the outer call along, and leaves this graph.
        return elsewhere if len(elsewhere) > 1 else elsewhere[0]
    written = _writes(here, outer.tool_call_id)
    if isinstance(state, list):
        messages = [message for _, value in written for message in value]
        first = make(update=[*messages, outer], goto=_targets(here))
        return [*elsewhere, first] if elsewhere else first
    update: dict[str, Any] = {}
    more: list[Any] = []
    for channel, value in written:
        if channel == _MESSAGES:
            update[channel] = [*update.get(channel, []), *value]
        elif channel in update and hasattr(channels.get(channel), "operator"):
            more.append(make(update={channel: value}))
        else:
            update[channel] = value
    update[_MESSAGES] = [*update.get(_MESSAGES, []), outer]
    first = make(update=update, goto=_targets(here))
    return [first, *more, *elsewhere] if more or elsewhere else first


def _commands(steering: Iterable[Steering]) -> list[Command[Any]]:
    return [item for item in steering if not isinstance(item, ToolMessage)]


def _writes(commands: Iterable[Command[Any]], outer_id: str) -> list[tuple[str, Any]]:
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


def _update_of(command: Command[Any]) -> dict[str, Any]:
    update: Any = command.update
    if isinstance(update, Mapping):
        found = dict(cast("Mapping[str, Any]", update))
        if _MESSAGES in found:
            found[_MESSAGES] = _as_messages(found[_MESSAGES])
        return found
    return {} if update is None else {_MESSAGES: _as_messages(update)}


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


def _reduced(channel: BaseChannel[Any, Any, Any] | None, values: Sequence[Any]) -> Any:
    if channel is None:
        return values[-1]
    copy = channel.copy()
    for value in values:
        copy.update([value])
    return copy.get()


def _command_class() -> type[Any] | None:
    types = sys.modules.get("langgraph.types")
    return types.Command if types else None
