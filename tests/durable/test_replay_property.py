"""Random scripts, cut off after every entry of their record and gone on with."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript import (
    Approve,
    CodeMode,
    InlineRuntime,
    MemoryJournal,
    RunResult,
    Runtime,
    Tool,
    ToolContext,
    ToolError,
    ToolOptions,
)
from toolscript.events import CallCompleted, CallFailed, Event
from toolscript.host.entries import Finished, entry_from_bytes
from toolscript.host.lease import new_lease

TOOLS = ("read", "put", "gate", "fail")

# Every result makes one line of output, so that the output tells how far a script has come.
PRELUDE = """
const results = [], background = [];
const call = async (tool, n) => {
  let told;
  try { told = await tools[tool]({ n }); } catch (error) { told = error.code; }
  console.log(tool, n, told, Date.now(), Math.random());
  results.push(`${tool} ${n} ${told}`);
  for (let turn = 0; turn < n % 3; turn++) await null;
};
const nap = async (ms) => { await sleep(ms); console.log("slept", Date.now()); };
"""
END = """
await Promise.all(background);
results.sort();
store("results", results.length);
return results;
"""

calls = st.builds(
    "call({}, {})".format, st.sampled_from([json.dumps(t) for t in TOOLS]), st.integers(0, 5)
)
naps = st.builds("nap({})".format, st.integers(0, 2))


def blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = st.lists(inner, min_size=1, max_size=4)
    return st.one_of(
        group.map(lambda parts: f"Promise.all([{', '.join(parts)}])"),
        group.map(lambda parts: f"(async () => {{ {' '.join(f'await {p};' for p in parts)} }})()"),
        inner.map(lambda part: f"{part}.then(() => call('read', 9))"),
    )


steps = st.recursive(st.one_of(calls, naps), blocks, max_leaves=5)
statements = st.one_of(
    steps.map(lambda step: f"await {step};"), steps.map(lambda step: f"background.push({step});")
)
scripts = st.lists(statements, min_size=1, max_size=4).map("\n".join)


class Hands:
    """Tools that may all be made again, and note which calls were really made."""

    def __init__(self) -> None:
        self.made: list[int] = []
        self.replayed = 0
        self.replayed_before_first: int | None = None

    def heard(self, event: Event) -> None:
        if isinstance(event, CallCompleted | CallFailed) and event.call.replayed:
            self.replayed += 1

    async def call(self, args: Any, context: ToolContext) -> Any:
        if self.replayed_before_first is None:
            self.replayed_before_first = self.replayed
        self.made.append(context.seq)
        for _ in range(args["n"]):
            await asyncio.sleep(0)
        if context.tool == "fail":
            raise ToolError("as asked", code="failed")
        return args["n"] * 10

    def engine(self, journal: MemoryJournal, runtime: Runtime | None) -> CodeMode:
        options = {
            "read": ToolOptions(read_only=True),
            "put": ToolOptions(idempotent=True),
            "gate": ToolOptions(idempotent=True, requires_approval=True),
            "fail": ToolOptions(idempotent=True),
        }
        tools = [Tool(n, n, {"type": "object"}, None, self.call, options[n]) for n in TOOLS]
        return CodeMode(
            tools,
            journal=journal,
            runtime=runtime,
            approve=lambda pending: Approve(),
            limits={"parallel": 3},
        )


def lines(result: RunResult) -> list[str]:
    return [item.text for item in result.output]


async def check(script: str, runtime: Runtime | None) -> None:
    journal, hands = MemoryJournal(), Hands()
    whole = await hands.engine(journal, runtime).run(PRELUDE + script + END, run_id="run")
    assert whole.ok, whole.error
    stored = await journal.load("run")
    assert stored is not None
    for length in range(len(stored.entries) + 1):
        prefix = stored.entries[:length]
        done = [e for e in map(entry_from_bytes, prefix) if isinstance(e, Finished)]
        cut, again = MemoryJournal(), Hands()
        lease = replace(new_lease(), expires_at=0.0)
        await cut.create("run", stored.head, lease)
        await cut.append("run", lease, prefix)
        result = await again.engine(cut, runtime).resume("run", on_event=again.heard)
        assert result.ok, result.error
        assert result.value == whole.value
        assert result.store_writes == whole.store_writes
        assert lines(result)[: len(done)] == lines(whole)[: len(done)]
        assert len(lines(result)) == len(lines(whole))
        assert not {entry.seq for entry in done} & set(again.made)
        assert len(again.made) == len(set(again.made))
        if again.made:
            tools_done = sum(entry.tool != "sleep" for entry in done)
            assert again.replayed_before_first == tools_done
        assert result.usage.calls == whole.usage.calls
        assert result.usage.chars_out == whole.usage.chars_out
        # What was gone on with can be gone through again, and takes exactly the same path.
        second = await cut.load("run")
        assert second is not None
        last, idle = MemoryJournal(), Hands()
        await last.create("run", second.head, lease)
        await last.append("run", lease, second.entries)
        repeated = await idle.engine(last, runtime).resume("run")
        assert (repeated.value, lines(repeated)) == (result.value, lines(result))
        assert idle.made == []


@settings(max_examples=20)
@given(script=scripts)
def test_a_run_cut_off_anywhere_comes_to_the_same(script: str):
    asyncio.run(check(script, InlineRuntime()))


@settings(max_examples=6)
@given(script=scripts)
def test_so_it_does_in_worker_processes(script: str):
    asyncio.run(check(script, None))
