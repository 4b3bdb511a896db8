"""`static_validation.json`: the syntax rules of the constrained profile."""

from __future__ import annotations

from tests.cases.support import Case, each_case
from toolscript import CodeMode
from toolscript.script.constrained import check_constrained


@each_case("static_validation.json")
def test_static_validation(case: Case) -> None:
    found = check_constrained(_source(case))
    assert (not found) == case["valid"], [str(each) for each in found]
    assert len(found) <= case.get("max_issues", 64)
    assert all(each.line >= 1 and each.column >= 1 for each in found)


@each_case("static_validation.json", where=lambda case: not case["valid"] or "must_not_run" in case)
async def test_nothing_runs(case: Case) -> None:
    async with CodeMode([], profile="constrained") as codemode:
        result = await codemode.run(_source(case))
    assert not result.ok
    assert not result.calls


def _source(case: Case) -> str:
    if "source" in case:
        return case["source"]
    made = case["source_gen"]
    return made["prefix"] + made["text"] * made["times"] + made["suffix"]
