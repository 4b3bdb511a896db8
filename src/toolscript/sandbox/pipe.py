"""The host's end of a worker's pipe: what a run needs of it, whatever system carries the bytes."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

READ_BYTES: Final = 1 << 18


class Pipe(ABC):
    """Bytes to and from one worker.

    It belongs to no event loop: whoever has the worker may ask it for what has arrived, and a run
    attaches it to its own loop for as long as it lasts.
    """

    answers_at_once: ClassVar[bool]
    """Whether asking again and again finds an answer sooner than waiting to be told."""

    @abstractmethod
    def receive(self) -> memoryview:
        """What has arrived, empty when the worker has ended; valid until the next call.

        Raises:
            BlockingIOError: if nothing has.
        """

    @abstractmethod
    def wait(self, seconds: float) -> memoryview:
        """`receive` for a pipe that no loop is attached to: waits until something has arrived.

        Raises:
            TimeoutError: if nothing has within that time.
        """

    @abstractmethod
    def attach(self, loop: asyncio.AbstractEventLoop, readable: Callable[[], None]) -> None:
        """Serve a run: `readable` is called on its loop when there is something to receive."""

    @abstractmethod
    def listen(self, on: bool) -> None:
        """Whether `readable` is to be called. At first it is not."""

    @abstractmethod
    def send(self, pieces: Sequence[bytes]) -> None:
        """Send bytes, in the order given. Never blocks: what finds no room yet is sent later."""

    @abstractmethod
    def detach(self) -> bool:
        """End of the run. False if a part of what was to be sent will never be."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the pipe; its worker was killed, or belongs to another process."""
