"""`normalise.json`: the forms in which models write scripts."""

from __future__ import annotations

from tests.cases.operations import tools_of
from tests.cases.support import Case, each_case, same
from toolscript import CodeMode


@each_case("normalise.json")
async def test_normalise(case: Case) -> None:
    async with CodeMode(tools_of(["echo"])) as codemode:
        result = await codemode.run(case["source"])
    if case.get("must_error"):
        assert not result.ok
    elif not result.ok:
        assert case.get("allow_error"), result.error
    elif result.has_value and result.value is not None:
        wanted = [case[key] for key in ("expected_value", "allow_value") if key in case]
        assert any(same(result.value, value) for value in wanted), result.value
    else:
        assert case.get("expected_value_absent") or case.get("allow_absent")
