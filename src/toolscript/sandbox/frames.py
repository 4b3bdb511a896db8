"""Frames: all that a guest can say to the host.

A guest is not trusted. Whatever arrives is checked (size, depth, digits, types, order) before
it becomes one of these values; what does not fit ends the run as `worker_exit`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class CallFrame:
    """The script called something that the host answers.

    `kind` "tool": `target` is the index of a `surface.Member`. "named": the script gave a name
    (`tools.call(name, args)`) that the surface does not hold. "helper": `target` is the name of
    a helper or of a built-in that the host answers (`sleep`, `codemode.search`, ...).
    `args` is JSON (UTF-8), checked for depth and digits but not parsed.
    """

    seq: int
    kind: Literal["tool", "named", "helper"]
    target: int | str
    args: bytes
    line: int | None = None


@dataclass(frozen=True, slots=True)
class CancelFrame:
    """The script no longer waits for this helper call (`clearTimeout`)."""

    seq: int


@dataclass(frozen=True, slots=True)
class OutputFrame:
    """One item of output. `value` is JSON text for items of type "value"."""

    type: Literal["text", "value", "image"]
    text: str = ""
    value: bytes | None = None
    data: str = ""
    mime_type: str = ""
    stream: Literal["stdout", "stderr"] = "stdout"
    console: bool = False


@dataclass(frozen=True, slots=True)
class StoreFrame:
    """`store(key, value)`; `value` is JSON, None deletes."""

    key: str
    value: bytes | None


@dataclass(frozen=True, slots=True)
class ProgressFrame:
    """`progress(message, fraction)`."""

    message: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class IdleFrame:
    """Nothing in the guest can go on until the host settles something.

    Sent each time that the guest comes to rest. `settled` counts the `resolve`s and `reject`s
    that the guest had taken by then: while it is below what the host has sent, answers are
    still on their way and the guest is not stalled.
    """

    settled: int


Outcome = Literal[
    "returned",  # `value` is set unless the script returned nothing
    "exited",  # exit() was called
    "threw",  # an exception nobody caught
    "syntax",  # the engine could not compile the code
    "invalid_output",  # the value has no JSON form; message and path say where
    "memory",  # the engine ran out of memory
    "timeout",  # the script used up its computing time
    "limit",  # a limit that the guest library keeps (nesting of values, ...)
    "worker_exit",  # the place of execution died, or broke the protocol
]


@dataclass(frozen=True, slots=True)
class EndFrame:
    """The last frame of an execution."""

    outcome: Outcome
    value: bytes | None = None
    text: str | None = None
    """What printing the returned value shows, where it is a tool's result with two faces."""
    name: str = ""
    message: str = ""
    stack: str = ""
    line: int | None = None
    column: int | None = None
    tool: str | None = None
    code: str | None = None
    details: bytes | None = None
    limit: str | None = None


Frame = CallFrame | CancelFrame | OutputFrame | StoreFrame | ProgressFrame | IdleFrame | EndFrame
