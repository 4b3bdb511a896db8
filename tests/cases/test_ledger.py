"""`ledger.json`: one account of all that leaves a run, in bytes (seed 002)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases.support import Case, each_case, same
from toolscript import CodeMode, ConfigurationError, RunResult


def _bytes(value: Any) -> int:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "backslashreplace"))


def _logs(result: RunResult) -> list[str]:
    return [item.text for item in result.output]


@each_case("ledger.json")
async def test_ledger(case: Case) -> None:
    expect = case["expect"]
    limits = {"total_bytes": case["max_output_bytes"]}
    if expect.get("construct_error"):
        with pytest.raises(ConfigurationError):
            CodeMode([], profile="seam", limits=limits)
        return
    async with CodeMode([], profile="seam", limits=limits) as codemode:
        result = await codemode.run(case["program"])
    assert result.ok == expect["ok"], result.text()
    if "kind" in expect:
        assert result.error is not None
        assert result.error.kind.replace("_", "-") == expect["kind"]
    if "value" in expect:
        assert same(result.value, expect["value"])
    if "value_length" in expect:
        assert len(result.value) == expect["value_length"]
    if "message" in expect:
        assert result.error is not None
        assert result.error.message == expect["message"]
    if "logs" in expect:
        assert _logs(result) == expect["logs"]
    if "log_count" in expect:
        assert len(result.output) == expect["log_count"]
        assert result.output[0].text.startswith(expect["first_log_prefix"])
    if "sum_at_most" in expect:
        rest = result.error.message if result.error else result.value
        assert _bytes(_logs(result)) + _bytes(rest) <= expect["sum_at_most"]
