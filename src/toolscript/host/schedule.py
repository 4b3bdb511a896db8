"""Which calls may run together, and which one starts next.

Pure bookkeeping: no clock, no event loop. The order of submission is the order of starts. A
shared call may overlap other shared calls; any other call is a barrier: it waits for all that
started before it, and what comes after waits for its end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Generic, Literal, TypeVar

Mode = Literal["all", "reads", "serial"]


class Ticket:
    """A call's place in line. `decided` is set once the call is allowed to run."""

    __slots__ = ("decided", "gone", "order", "running", "shared")

    def __init__(self, *, shared: bool) -> None:
        self.shared = shared
        self.order = 0
        self.decided = False
        self.running = False
        self.gone = False


T = TypeVar("T", bound=Ticket)


class Schedule(Generic[T]):
    """The line of one run.

    Args:
        mode: "all" lets a call that is still being decided be overtaken by later ones; under
            "reads" and "serial" everything behind it waits, since it may be a barrier.
        most: calls that may run at once; None is unbounded.
        groups: overlapping calls start together, and the next ones only when all of these have
            ended (seed 001), instead of whenever one of them ends.
    """

    def __init__(self, *, mode: Mode, most: int | None, groups: bool = False) -> None:
        self._strict = mode != "all"
        self._most = most
        self._groups = groups
        self._line: deque[T] = deque()
        self._ready: list[tuple[int, T]] = []
        self._submitted = 0
        self._exclusive = False
        self.running = 0
        self.peak = 0

    def submit(self, ticket: T) -> None:
        """Give `ticket` the next place in line."""
        self._submitted += 1
        ticket.order = self._submitted
        if self._strict:
            self._line.append(ticket)

    def decide(self, ticket: T) -> None:
        """`ticket` is allowed to run as soon as its turn comes."""
        ticket.decided = True
        if not self._strict:
            heappush(self._ready, (ticket.order, ticket))

    def leave(self, ticket: T) -> None:
        """`ticket` is over: it ended, or it will never start."""
        if ticket.gone:
            return
        ticket.gone = True
        if ticket.running:
            ticket.running = False
            self.running -= 1
            self._exclusive = False

    def take(self) -> Sequence[T]:
        """The calls whose turn it is, in order; they count as running from now on."""
        if self._exclusive or (self._groups and self.running):
            return ()
        turn: list[T] = []
        while (ticket := self._first()) is not None:
            if not ticket.decided or self.running == self._most:
                break
            if not ticket.shared:
                if self.running:
                    break
                self._exclusive = True
            self._drop_first()
            ticket.running = True
            self.running += 1
            turn.append(ticket)
            if self._exclusive:
                break
        if self.running > self.peak:
            self.peak = self.running
        return turn

    def waiting(self) -> bool:
        """Whether any call is in line, or allowed and not started."""
        return self._first() is not None

    def _first(self) -> T | None:
        if self._strict:
            while self._line and self._line[0].gone:
                self._line.popleft()
            return self._line[0] if self._line else None
        while self._ready and self._ready[0][1].gone:
            heappop(self._ready)
        return self._ready[0][1] if self._ready else None

    def _drop_first(self) -> None:
        if self._strict:
            self._line.popleft()
        else:
            heappop(self._ready)


def overlaps(mode: Mode, *, read_only: bool, parallel: bool | None) -> bool:
    """Whether calls of a tool may overlap, by the run's mode and the host's word for the tool."""
    if mode == "serial":
        return False
    if parallel is not None:
        return parallel
    return mode == "all" or read_only
