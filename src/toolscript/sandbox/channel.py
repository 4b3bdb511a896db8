"""Byte-channel drivers: what a place outside of this process has to offer to run our runner.

A driver moves bytes and nothing else: it starts a Node.js somewhere (a process, a container, a
machine), gets the source of the runner there, and gives back a channel. Blocks, handshake,
numbers of scripts and their cancellation are `ChannelRuntime`'s.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finished:
    """Why an environment is no longer usable: it was closed, or failed with `error`."""

    kind: Literal["closed", "failed"]
    error: str = ""


class Channel(ABC):
    """Bytes to and from one runner. Used on one event loop, that of the runtime's own thread."""

    @abstractmethod
    async def read(self) -> bytes:
        """The next bytes from the runner; empty when there are no more."""

    @abstractmethod
    async def write(self, data: bytes) -> None:
        """Send bytes to the runner; returns when more may be sent. `OSError` when it is gone."""

    @abstractmethod
    async def finished(self) -> Finished:
        """Waits until the environment behind the channel has ended, and says why."""

    @abstractmethod
    async def aclose(self) -> None:
        """End the environment, whatever it does, and wait until it has ended."""


class Driver(ABC):
    """Starts environments in which a runner runs."""

    @property
    @abstractmethod
    def description(self) -> str:
        """One sentence about the environment, for the person or the agent that uses it."""

    @property
    def sandboxed(self) -> bool:
        """Whether scripts in it need not be trusted."""
        return False

    @property
    @abstractmethod
    def isolation(self) -> Mapping[str, bool | str]:
        """Which protections are in force, by name, as `Runtime.isolation` tells them."""

    @abstractmethod
    async def connect(self, runner_source: str) -> Channel:
        """Start an environment and the runner in it.

        `runner_source` is a self-contained ES module for Node.js that exports
        `startRunner({ input, output })`, which takes Node.js streams. `node_command` gives the
        command of a Node.js that reads the source from the channel itself.

        Called on the event loop of the runtime's own thread. When it is cancelled (the boot
        deadline), what it has started so far must be ended.

        Raises:
            ConfigurationError: if the environment cannot be had here.
        """

    def type_definitions(self) -> Mapping[str, str]:
        """Declaration files (name → text) of what the environment offers, for checking."""
        return {}
