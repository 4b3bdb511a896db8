"""Values that cross the boundary, in both directions."""

from __future__ import annotations

import pytest

from toolscript.sandbox.runtime import Runtime
from toolscript.testing.runtimes.base import RuntimeTests


class ValueTests(RuntimeTests):
    """Values that cross the boundary, in both directions."""

    @pytest.mark.parametrize(
        "expression",
        [
            "null",
            "true",
            "0",
            "-1.5",
            '"text"',
            "[]",
            "({})",
            '[1, [2, { a: "ü€😀" }], null]',
            '({ "": 1, "a b": 2, constructor: 3, ["__proto__"]: 4 })',
            '"\\ud800"',
            '"line\\nbreak\\u2028"',
        ],
    )
    def test_values_cross_unchanged_in_both_directions(
        self, runtime: Runtime, expression: str
    ) -> None:
        code = (
            f"const value = {expression}; const back = await tools.echo({{ value }});"
            " return [value, back.value, JSON.stringify(value) === JSON.stringify(back.value)]"
        )
        value, back, same = self.value(runtime, code)
        assert value == back
        assert same is True

    def test_nothing_returned_is_no_value(self, runtime: Runtime) -> None:
        for code in ("", "return", "return undefined"):
            ended = self.run(runtime, code)
            assert ended.outcome == "returned"
            assert ended.end is not None
            assert ended.end.value is None

    def test_integers_beyond_doubles_are_exact(self, runtime: Runtime) -> None:
        code = (
            "const { n } = await tools.echo({ n: 9007199254740993n });"
            " return [typeof n, n + 1n, { deep: [2n ** 70n] }]"
        )
        assert self.value(runtime, code) == ["bigint", 2**53 + 2, {"deep": [2**70]}]

    @pytest.mark.parametrize(
        ("expression", "path"),
        [
            ("{ rows: [1, { when: NaN }] }", "$.rows[1].when"),
            ("[() => 1]", "$[0]"),
            ("{ 'a b': Symbol('s') }", '$["a b"]'),
            ("{ m: new Map() }", "$.m"),
            ("(() => { const a = {}; a.self = a; return a })()", "$.self"),
        ],
    )
    def test_what_has_no_json_form_is_refused_with_its_path(
        self, runtime: Runtime, expression: str, path: str
    ) -> None:
        ended = self.run(runtime, f"return {expression}")
        assert ended.outcome == "invalid_output"
        assert ended.end is not None
        assert path in ended.end.message
        code = f"try {{ await tools.echo({{ v: {expression} }}) }} catch (e) {{ return e.message }}"
        ended = self.run(runtime, code)
        assert path.replace("$", "$.v") in ended.value
        assert not ended.calls

    def test_nesting_is_bounded_in_both_directions(self, runtime: Runtime) -> None:
        build = "let v = 1; for (let i = 0; i < {levels}; i++) v = [v];"
        assert self.run(runtime, build.format(levels=500) + "return v").outcome == "returned"
        for levels in (600, 200_000):
            ended = self.run(runtime, build.format(levels=levels) + "return v")
            assert ended.outcome == "invalid_output"
            code = build.format(levels=levels)
            code += "try { await tools.echo({ v }) } catch (e) { return e.code }"
            assert self.value(runtime, code) == "invalid_args"

    def test_promises_inside_the_result_are_settled(self, runtime: Runtime) -> None:
        code = "return [tools.echo({ a: 1 }), { b: tools.echo({ c: Promise.resolve }).catch(() => 2) }]"
        assert self.value(runtime, code) == [{"a": 1}, {"b": 2}]

    def test_large_values_cross(self, runtime: Runtime) -> None:
        code = "const { s } = await tools.echo({ s: 'ü'.repeat(4_000_000) }); return s.length"
        assert self.value(runtime, code) == 4_000_000
