"""A guest that says anything at all: the run still ends, in one way, with nothing left at work."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clock import Clock, a_clock
from tests.host.support import run, tool
from toolscript.result import RunResult
from toolscript.sandbox.frames import (
    CallFrame,
    CancelFrame,
    EndFrame,
    Frame,
    IdleFrame,
    OutputFrame,
    ProgressFrame,
    StoreFrame,
)
from toolscript.sandbox.runtime import Execution, Program, Usage

JSON = st.sampled_from(
    [b"{}", b"null", b"[1]", b'{"ms": 1}', b'{"ms": -5}', b'"x"', b"1e999", b"", b"{", b"\xff\xfe"]
)
NAMES = st.sampled_from(["t", "none", "sleep", "codemode.search", "__proto__", "", "\ud800"])
SEQS = st.integers(-2, 8)

FRAMES: st.SearchStrategy[Frame] = st.one_of(
    st.builds(CallFrame, SEQS, st.just("tool"), st.integers(-3, 5), JSON, st.none()),
    st.builds(CallFrame, SEQS, st.just("named"), NAMES, JSON, st.integers(-1, 3)),
    st.builds(CallFrame, SEQS, st.just("helper"), NAMES, JSON, st.none()),
    st.builds(CancelFrame, SEQS),
    st.builds(OutputFrame, st.just("text"), st.text(st.characters(), max_size=5)),
    st.builds(OutputFrame, st.just("value"), value=JSON),
    st.builds(StoreFrame, NAMES, st.none() | JSON),
    st.builds(ProgressFrame, st.text(max_size=3), st.none() | st.floats()),
    st.builds(IdleFrame, st.integers(-1, 9)),
    st.builds(
        EndFrame,
        st.sampled_from(["returned", "exited", "threw", "memory", "timeout", "limit"]),
        st.none() | JSON,
        code=st.sampled_from([None, "denied", "nonsense"]),
        tool=st.sampled_from([None, "t"]),
        limit=st.sampled_from([None, "nesting", "nonsense"]),
    ),
)


class Liar(Execution):
    """Says what it was told to say, then rests or breaks off."""

    def __init__(self, batches: list[list[Frame]], breaks: bool) -> None:
        self._batches = batches
        self._breaks = breaks
        self.closed = False

    async def receive(self) -> Sequence[Frame]:
        await asyncio.sleep(0)
        if self._batches:
            return self._batches.pop(0)
        if self._breaks:
            raise OSError("gone")
        await asyncio.Event().wait()
        raise AssertionError

    def resolve(self, seq: int, value: str, **others: Any) -> None:
        assert not self.closed

    def reject(self, seq: int, error: Mapping[str, Any], **others: Any) -> None:
        assert not self.closed

    async def aclose(self) -> None:
        self.closed = True

    @property
    def usage(self) -> Usage:
        return Usage()


class LiarRuntime:
    def __init__(self, execution: Liar) -> None:
        self._execution = execution

    async def open(self, program: Program) -> Liar:
        return self._execution


async def lied_to(batches: list[list[Frame]], breaks: bool, clock: Clock) -> tuple[RunResult, int]:
    at_work = 0

    async def call(args: Any, context: Any) -> Any:
        nonlocal at_work
        at_work += 1
        try:
            await asyncio.sleep(0.001)
            return args
        finally:
            at_work -= 1

    async def time_passes() -> None:
        while True:
            await asyncio.sleep(0.005)
            clock.passes(60)

    passing = asyncio.create_task(time_passes())
    execution = Liar(batches, breaks)
    result = await run(
        "",
        [tool("t", call), tool("u", call, read_only=True)],
        on=LiarRuntime(execution),  # pyright: ignore[reportArgumentType]
        wall_s=60,
        limits={"calls": 5, "output_items": 4},
    )
    passing.cancel()
    assert execution.closed
    return result, at_work


@settings(max_examples=200)
@given(st.lists(st.lists(FRAMES, max_size=5), max_size=5), st.booleans())
def test_whatever_a_guest_says_the_run_ends_in_one_way(
    batches: list[list[Frame]], breaks: bool
) -> None:
    with a_clock() as clock:
        result, at_work = asyncio.run(lied_to(batches, breaks, clock))
    assert result.status in ("completed", "failed")
    assert (result.error is None) == result.ok
    assert at_work == 0
    assert len(result.calls) <= 5
    seqs = [call.seq for call in result.calls]
    assert seqs == sorted(set(seqs))
    assert all(call.status != "pending" for call in result.calls)
    assert RunResult.from_json(result.to_json()) == result
