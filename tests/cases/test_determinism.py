"""`determinism.json`: a script takes the same path again, pinned or replayed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.cases.support import Case, each_case, same
from toolscript import CodeMode, Determinism, InlineRuntime, MemoryJournal, RunResult, Tool
from toolscript.host.lease import new_lease


def tool_that_echoes(calls: list[Any]) -> Tool:
    def call(args: Any, context: Any) -> Any:
        calls.append(args)
        return {"got": args, "at": len(calls)}

    return Tool("a", "Gives back what it got.", {"type": "object"}, None, call)


def told(result: RunResult) -> Any:
    calls = [(call.seq, call.tool, call.args, call.status) for call in result.calls]
    return result.ok, result.value, calls, [item.text for item in result.output]


async def interrupted(journal: MemoryJournal, run_id: str) -> MemoryJournal:
    """A journal in which the same run was cut off after all that it did, before its end."""
    stored = await journal.load(run_id)
    assert stored is not None
    copy, lease = MemoryJournal(), replace(new_lease(), expires_at=0.0)
    await copy.create(run_id, stored.head, lease)
    await copy.append(run_id, lease, stored.entries)
    return copy


@pytest.mark.parametrize("clock", ["fixed", "advancing"])
@each_case("determinism.json")
async def test_determinism(case: Case, clock: Any):
    given, expect = case["settings"], case["expect"]
    pinned = Determinism(given["started_at_ms"], given["seed"], clock=clock)
    calls: list[Any] = []
    results: list[RunResult] = []
    journal = MemoryJournal()
    for kept in (None, journal):
        codemode = CodeMode([tool_that_echoes(calls)], runtime=InlineRuntime(), journal=kept)
        calls.clear()
        results.append(await codemode.run(case["script"], determinism=pinned, run_id="run"))
    made = len(calls)
    again = CodeMode(
        [tool_that_echoes(calls)],
        runtime=InlineRuntime(),
        journal=await interrupted(journal, "run"),
    )
    results.append(await again.resume("run"))
    assert len(calls) == made, "the replay made a call"

    first = results[0]
    assert first.ok, first.error
    for other in results[1:]:
        assert told(other) == told(first)
    if "value" in expect and not (clock == "fixed" and "advances" in case["id"]):
        assert same(first.value, expect["value"])
    if expect.get("two_values_differ"):
        assert first.value[0] != first.value[1]
    if "call_ids" in expect:
        assert [call.seq for call in first.calls] == expect["call_ids"]
