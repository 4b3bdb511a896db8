"""`typescript_erase.json`: types are taken out at their place, the rest is refused."""

from __future__ import annotations

from tests.cases.support import Case, each_case, same
from tests.script.harness import problems, run_body, without_types
from toolscript.script.script import prepare
from toolscript.script.text import to_units

_MODULES = {
    "node:path": "export const basename = (path) => path.split('/').at(-1);",
    "node:fs": "export const readFileSync = () => {};",
}


@each_case("typescript_erase.json", name=lambda case: f"erase/{case['id']}")
def test_typescript_erase(case: Case) -> None:
    source: str = case["src"]
    found = problems(source, modules=_MODULES)
    if case["ok"] is None:
        return
    if not case["ok"]:
        assert found
        assert found[0].message
        assert 1 <= found[0].line <= source.count("\n") + 1
        return
    assert not found, found
    script = prepare(source, modules=_MODULES)
    for kept, written in zip(to_units(without_types(source)), to_units(source), strict=True):
        assert kept == written or kept in " ;()", (kept, written)
    value = run_body(script.code, _MODULES, scope=False)
    if case["expect"] is not None:
        assert same(value, case["expect"])
