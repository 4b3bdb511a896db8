"""What the checks of `reported_by_users.json` share: the case by its id, and its tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.cases.left_out import LEFT_OUT
from tests.cases.support import Case, read_cases
from toolscript import CodeMode, Namespace, RunResult, Tool, ToolContext, ToolOptions

_FILE = "reported_by_users.json"
CASES: dict[str, Case] = {case["id"]: case for case in read_cases(_FILE)}

CHECKED: set[str] = set()
"""Ids that have a check; `test_every_case_is_accounted_for` compares it with the file."""


def reported(name: str) -> Callable[[Any], Any]:
    """Makes a test the check of one case, which it gets as `case`."""
    CHECKED.add(name)

    def decorate(test: Any) -> Any:
        marks = []
        if name in LEFT_OUT:
            reason = LEFT_OUT[name]
            skip = reason.startswith("not applicable")
            marks = [
                pytest.mark.skip(reason=reason)
                if skip
                else pytest.mark.xfail(reason=reason, strict=True)
            ]
        if name not in CASES:
            marks = [pytest.mark.skip(reason=f"the outside cases are not here: {_FILE}")]
        return pytest.mark.parametrize(
            "case", [pytest.param(CASES.get(name), id=name, marks=marks)]
        )(test)

    return decorate


def tool_of(spec: dict[str, Any]) -> Tool:
    """A tool that does what the case says of it."""

    async def call(args: Any, context: ToolContext) -> Any:
        await asyncio.sleep(spec.get("delay_s", 0))
        if "raises" in spec:
            raise ValueError(spec["raises"])
        if "returns_repeat" in spec:
            text, count = spec["returns_repeat"]
            return text * count
        return args if spec.get("echo") else spec.get("returns")

    return Tool(
        name=spec["name"],
        description=spec.get("description", ""),
        input_schema=spec["inputSchema"],
        output_schema=spec.get("outputSchema"),
        call=call,
        options=ToolOptions(requires_approval=spec.get("needs_approval", False)),
    )


def tools_of(case: Case) -> list[Tool]:
    return [tool_of(spec) for spec in case["input"]["tools"]]


def namespaces_of(case: Case) -> list[Namespace]:
    return [Namespace(spec["namespace"], [tool_of(spec)]) for spec in case["input"]["tools"]]


async def run(tools: Any, script: str, **knobs: Any) -> RunResult:
    async with CodeMode(tools, **knobs) as codemode:
        return await codemode.run(script)


async def run_each(tools: Any, scripts: list[str], **knobs: Any) -> list[RunResult]:
    """Each script by itself, on one engine, which has to be well afterwards."""
    async with CodeMode(tools, **knobs) as codemode:
        results = [await codemode.run(script) for script in scripts]
        # Not within their limits: a worker that was killed has to be replaced first.
        assert (await codemode.run("return 1 + 1", timeout=60)).value == 2
        return results


async def type_errors(tools: Any, script: str) -> list[str]:
    """What the TypeScript compiler has against a script over these tools' declarations."""
    async with CodeMode(tools, check="types") as codemode:
        found = await codemode.validate(script)
    return [str(item) for item in found if item.severity == "error"]


async def must_accept(tools: Any, *scripts: str) -> None:
    for script in scripts:
        assert await type_errors(tools, script) == [], script


async def must_reject(tools: Any, *scripts: str) -> None:
    for script in scripts:
        assert await type_errors(tools, script), script


def declarations(tools: Any) -> str:
    """The declarations, with white space made even so that they can be searched."""
    return " ".join(CodeMode(tools).declarations().split())


def js(value: Any) -> str:
    return json.dumps(value)
