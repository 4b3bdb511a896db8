"""`scheduling.json`: which calls run together, and in which order they start."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.cases.support import PROFILE_OF, Case, each_case
from toolscript import Authority, CodeMode, Decision, Policy, Tool, ToolContext, ToolOptions

_ALLOW = Policy(
    lambda request: Decision("allow", id="d1", policy_version="v1", reason="test"), version="v1"
)


class Bench:
    """The tools of one case, and what they saw of each other."""

    def __init__(self, case: Case) -> None:
        self.running = 0
        self.peak = 0
        self.starts: list[str] = []
        self.sequence: list[str] = []
        self.groups: list[int] = []
        self.tools = [self._tool(spec) for spec in case["tools"]]

    def _tool(self, spec: dict[str, Any]) -> Tool:
        async def call(args: Any, context: ToolContext) -> Any:
            label = f"{spec['name']}{args.get('n', '')}"
            self.starts.append(spec["name"])
            self.sequence.append(f"{label} start")
            if self.running == 0:
                self.groups.append(0)
            self.groups[-1] += 1
            self.running += 1
            self.peak = max(self.peak, self.running)
            try:
                await asyncio.sleep(args.get("ms", spec.get("ms", 0)) / 1000)
            finally:
                self.running -= 1
                self.sequence.append(f"{label} end")
            if spec["op"] == "throw":
                raise ValueError("boom")
            return spec.get("value", args)

        return Tool(
            spec["name"],
            "A tool of a case.",
            {"type": "object"},
            None,
            call,
            ToolOptions(read_only=spec.get("class") == "read"),
        )


@each_case("scheduling.json")
async def test_scheduling(case: Case) -> None:
    expect = case["expect"]
    bench = Bench(case)
    profile = PROFILE_OF[case["profile"]]
    strict = profile == "constrained"
    async with CodeMode(
        bench.tools,
        profile=profile,
        policy=_ALLOW if strict else None,
        input_schema={"type": "object"} if "input" in expect else None,
    ) as codemode:
        given = {"input": expect["input"]} if "input" in expect else {}
        authority = Authority(principal="test") if strict else None
        result = await codemode.run(case["script"], authority=authority, **given)
    if "error_code" in expect:
        assert result.error is not None
        assert result.error.code == expect["error_code"]
    else:
        assert result.ok == expect.get("ok", True), result.text()
    if "value" in expect:
        assert result.value == expect["value"]
    if "peak" in expect:
        assert bench.peak == expect["peak"]
    if "peak_parallelism" in expect:
        assert result.usage.peak_parallel == expect["peak_parallelism"]
    if "groups" in expect:
        assert bench.groups == expect["groups"]
    if "order" in expect:
        assert bench.starts == expect["order"]
    if "sequence" in expect:
        assert bench.sequence[: len(expect["sequence"])] == expect["sequence"]
    if "started" in expect:
        assert len(bench.starts) == expect["started"]
        assert sum(call.started_at is not None for call in result.calls) == expect["started"]
    if "quiescent" in expect:
        assert bench.running == 0
    if "calls" in expect:
        assert len(result.calls) == expect["calls"]
