"""`declarations.json`: declarations and the calls that they allow, judged by the compiler."""

from __future__ import annotations

from functools import cache
from typing import Any

from tests.cases.support import Case, each_case, read_cases
from tests.tsc import in_function, problems
from toolscript import CodeMode, GlobalFunction, Tool, render_declarations


def never(args: Any, context: Any) -> Any:
    raise AssertionError("rendering calls nothing")


def tools_of(case: Case) -> list[Tool]:
    return [
        Tool(
            name=spec["name"],
            description=spec.get("description", ""),
            input_schema=spec.get("input_schema", True),
            output_schema=spec.get("output_schema"),
            call=never,
        )
        for spec in case["tools"]
    ]


def globals_of(case: Case) -> list[GlobalFunction]:
    return [
        GlobalFunction(
            name=spec["name"],
            call=never,
            description=spec.get("description", ""),
            input_schema=spec.get("input_schema"),
            output_schema=spec.get("output_schema"),
            signature=spec.get("signature"),
            spread=spec.get("spread", False),
        )
        for spec in case.get("globals", [])
    ]


def declarations(case: Case) -> dict[str, str]:
    """By both renderers: the one for other hosts, and the engine's."""
    engine = CodeMode(tools_of(case), globals=globals_of(case))
    return {
        "rendered": render_declarations(tools_of(case), globals=globals_of(case)),
        "engine": engine.declarations(),
    }


@cache
def verdicts() -> dict[str, list[tuple[int, str]]]:
    modules = {
        f"{case['id']} {renderer} {kind} {number}": in_function(text, snippet)
        for case in read_cases("declarations.json")
        for renderer, text in declarations(case).items()
        for kind in ("must_compile", "must_not_compile")
        for number, snippet in enumerate(case[kind])
    }
    return problems(modules)


@each_case("declarations.json")
def test_declarations(case: Case) -> None:
    for renderer in ("rendered", "engine"):
        for number, snippet in enumerate(case["must_compile"]):
            found = verdicts()[f"{case['id']} {renderer} must_compile {number}"]
            assert not found, f"{renderer}: {snippet}: {found}"
        for number, snippet in enumerate(case["must_not_compile"]):
            found = verdicts()[f"{case['id']} {renderer} must_not_compile {number}"]
            assert found, f"{renderer}: {snippet} must not compile"


@each_case("declarations.json")
def test_declarations_are_those_of_the_set_of_tools(case: Case) -> None:
    forward = render_declarations(tools_of(case), globals=globals_of(case))
    backward = render_declarations(tools_of(case)[::-1], globals=globals_of(case)[::-1])
    assert forward == backward
