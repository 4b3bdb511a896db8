"""What a script that computes past the deadline may still hand over."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.clock import Clock
from tests.host.support import run
from toolscript.result import ErrorKind
from toolscript.sandbox.frames import EndFrame, Frame, OutputFrame
from toolscript.sandbox.runtime import Execution, Program, Usage

WALL_S = 60.0


class Computing(Execution):
    """A script that computes beyond its deadline and says late what it has printed."""

    def __init__(self, clock: Clock, late_s: float, share: float) -> None:
        self._clock = clock
        self._late_s = late_s
        self._share = share
        self._computed_s = 0.0

    async def receive(self) -> Sequence[Frame]:
        self._clock.stop()
        self._pass(WALL_S)
        for _ in range(round(self._late_s / 0.25)):
            # Twice, so that what has become due happens, and what that brings about.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            self._pass(0.25)
        await asyncio.sleep(0)
        return [OutputFrame("text", "early"), EndFrame("timeout", message="out of time")]

    def _pass(self, seconds: float) -> None:
        self._clock.passes(seconds)
        self._computed_s += seconds * self._share

    def resolve(self, seq: int, value: str, **others: Any) -> None: ...

    def reject(self, seq: int, error: Mapping[str, Any], **others: Any) -> None: ...

    async def aclose(self) -> None: ...

    @property
    def usage(self) -> Usage:
        return Usage(cpu_s=self._computed_s)


class OneExecution:
    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    async def open(self, program: Program) -> Execution:
        return self._execution


@pytest.mark.parametrize(
    ("late_s", "share", "heard"),
    [
        (0.5, 1.0, True),
        (1.5, 1.0, False),
        # Other work of the machine is no fault of the script.
        (1.5, 0.3, True),
        (4.0, 0.3, False),
    ],
)
async def test_a_script_gets_a_second_of_the_machine_for_its_last_words(
    clock: Clock, late_s: float, share: float, heard: bool
) -> None:
    execution = OneExecution(Computing(clock, late_s, share))
    result = await run("", on=execution, wall_s=WALL_S)  # pyright: ignore[reportArgumentType]
    assert result.error is not None
    assert result.error.kind is ErrorKind.TIMEOUT
    assert [item.text for item in result.output] == (["early"] if heard else [])
