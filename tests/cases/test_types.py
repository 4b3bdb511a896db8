"""`types.json`: a schema's type, judged by what the compiler lets be assigned to it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.cases.support import Case, each_case, read_cases
from tests.tsc import literal, problems
from toolscript import ContractError, schema_to_type
from toolscript.contract.strict import require_exact_schema


def schema_of(case: Case) -> Any:
    if "schema" in case:
        return case["schema"]
    plan = case["schema_gen"]
    assert plan["op"] == "nest"
    schema = plan["leaf"]
    for _ in range(plan["times"]):
        schema = {
            keyword: schema if part == "$inner" else part for keyword, part in plan["wrap"].items()
        }
    return schema


def module_of(case: Case, comments: bool) -> str:
    text = schema_to_type(schema_of(case), name="T", comments=comments)
    values = [*case["must_accept"], *case["must_reject"]]
    lines = [f"const v{n}: T = {literal(value)};" for n, value in enumerate(values)]
    return "\n".join([text, "export {};", *lines])


@cache
def verdicts() -> dict[str, list[tuple[int, str]]]:
    cases = read_cases("types.json")
    modules = {
        f"{case['id']} {comments}": module_of(case, comments)
        for case in cases
        for comments in (False, True)
    }
    return problems(modules, exactOptionalPropertyTypes=True)


@pytest.mark.parametrize("comments", [False, True], ids=["plain", "commented"])
@each_case("types.json")
def test_type(case: Case, comments: bool) -> None:
    found = verdicts()[f"{case['id']} {comments}"]
    first = module_of(case, comments).split("export {};")[0].count("\n") + 2
    lines = {line for line, _ in found}
    assert not [each for each in found if each[0] < first], "the declaration itself is wrong"
    for place, value in enumerate(case["must_accept"]):
        assert first + place not in lines, f"must accept {value!r}: {found}"
    for place, value in enumerate(case["must_reject"], len(case["must_accept"])):
        assert first + place in lines, f"must reject {value!r}"


@each_case("types.json")
def test_expression(case: Case) -> None:
    text = schema_to_type(schema_of(case))
    limit = case.get("max_chars")
    assert text
    assert limit is None or len(text) <= limit


@each_case("types.json", where=lambda case: case["strict_subset"] != "unspecified")
def test_strict_subset(case: Case) -> None:
    if case["strict_subset"] == "accept":
        require_exact_schema(schema_of(case), "the case")
    else:
        with pytest.raises(ContractError, match="the case cannot be declared exactly"):
            require_exact_schema(schema_of(case), "the case")
