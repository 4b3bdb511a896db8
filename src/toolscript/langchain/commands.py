"""`Command`s of nested tools: seen by later calls of the script, folded into one outer result."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from langchain_core.messages import ToolMessage, convert_to_messages

if TYPE_CHECKING:
    from langgraph.types import Command


def steering_items(value: Any) -> tuple[Command[Any] | ToolMessage, ...]:
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


def messages_in(items: Sequence[Command[Any] | ToolMessage]) -> list[ToolMessage]:
    """The tool messages that say to the caller what a steering result did."""
    found: list[ToolMessage] = []
    for item in items:
        if isinstance(item, ToolMessage):
            found.append(item)
        else:
            found += [
                message
                for message in convert_to_messages(_updates(item).get("messages", ()))
                if isinstance(message, ToolMessage)
            ]
    return found


def _updates(command: Command[Any]) -> Mapping[str, Any]:
    update: Any = command.update
    if isinstance(update, Mapping):
        return cast("Mapping[str, Any]", update)
    if isinstance(update, list):
        return {"messages": update}
    return {}


def _command_class() -> type[Any] | None:
    types = sys.modules.get("langgraph.types")
    return types.Command if types else None
