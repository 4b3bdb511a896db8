"""Whether to look again and again for an answer, or to sleep until it is there.

To be woken costs more than a short answer takes, so that looking is quicker where there is a
processor for each side. Where there is none, looking keeps the other side from running. Which of
the two it is changes with what else the machine does: both are tried, and the quicker one stays.

Used on both ends of a worker's pipe; the worker loads this file by its path.
"""

from __future__ import annotations

from collections import deque

# The other way is tried once in so many times: seldom at last, where it keeps losing.
SOONEST = 4
SELDOM = 256
# It has to win so often in a row: a single answer may take long for any reason.
WINS = 2
# Against the middle one of so many answers just before.
COMPARED = 3
# Looking takes a processor from others: it has to be quicker by more than this share.
WORTH = 0.9


class Patience:
    """Decides from answer to answer, and learns how long each took."""

    __slots__ = ("_every", "_latest", "_left", "_looking", "_wins")

    def __init__(self) -> None:
        self._looking = True
        self._every = self._left = SOONEST
        self._wins = 0
        self._latest: deque[float] = deque(maxlen=COMPARED)

    def looks(self) -> bool:
        """Whether to look for the next answer."""
        self._left -= 1
        return self._looking if self._left > 0 else not self._looking

    def took(self, seconds: float, *, looked: bool) -> None:
        """Learn how long an answer took that was looked or slept for."""
        if looked == self._looking:
            self._latest.append(seconds)
            return
        if not self._wins_with(seconds):
            self._wins = 0
            self._every = min(2 * self._every, SELDOM)
        elif self._wins + 1 < WINS:
            self._wins += 1
            self._every = SOONEST
        else:
            self._wins = 0
            self._every = SOONEST
            self._looking = looked
            self._latest.clear()
        self._left = self._every

    def _wins_with(self, seconds: float) -> bool:
        """Whether the way that was tried is better than the other one."""
        if len(self._latest) < COMPARED:
            return False
        usual = sorted(self._latest)[COMPARED // 2]
        return usual * WORTH > seconds if self._looking is False else usual > seconds * WORTH
