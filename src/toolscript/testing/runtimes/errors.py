"""What is told of a script that fails, or is none."""

from __future__ import annotations

import pytest

from toolscript.sandbox.runtime import Runtime
from toolscript.testing.runtimes.base import RuntimeTests


class ErrorTests(RuntimeTests):
    """What is told of a script that fails, or is none."""

    @pytest.mark.parametrize(
        ("code", "name", "message", "line", "column"),
        [
            ("\n  null.x", "TypeError", "null", 2, 8),
            ("throw new RangeError('r')", "RangeError", "r", 1, None),
            ("\n\nmissing", "ReferenceError", "missing", 3, None),
            ("throw 'plain'", "", "plain", None, None),
            ("throw { code: 7 }", "", '{"code":7}', None, None),
            ("throw null", "", "null", None, None),
            (
                "class MyError extends Error { name = 'Mine' }\nthrow new MyError('m')",
                "Mine",
                "m",
                2,
                None,
            ),
            (
                "\nclass A extends Error { constructor(m) { super(m) } }\n"
                "class B extends A {}\nconst make = () => new B('m')\nthrow make()",
                "Error",
                "m",
                4,
                None,
            ),
        ],
    )
    def test_errors_say_what_and_where(
        self,
        runtime: Runtime,
        code: str,
        name: str,
        message: str,
        line: int | None,
        column: int | None,
    ) -> None:
        end = self.run(runtime, code).end
        assert end is not None
        assert end.outcome == "threw"
        assert end.name == name
        assert message in end.message
        assert end.line == line
        if column is not None:
            assert end.column is not None

    def test_text_that_is_no_script_is_a_syntax_error(self, runtime: Runtime) -> None:
        for code, line in (("const = 3", 1), ("\n\nlet 1 = 2;\n", 3), ("return (", None)):
            end = self.run(runtime, code).end
            assert end is not None
            assert end.outcome == "syntax"
            if line is not None:
                assert end.line == line

    @pytest.mark.parametrize(
        "code",
        [
            "}); tools.echo({}); (async () => {",
            "}, async function () {",
            "} + function () {",
            "}} tools.echo({}); async function $() { {",
            "/*",
            "`",
        ],
    )
    def test_a_script_cannot_close_what_it_is_wrapped_in(self, runtime: Runtime, code: str) -> None:
        ended = self.run(runtime, code)
        assert ended.outcome == "syntax"
        assert ended.calls == []

    def test_a_hostile_error_is_told_as_far_as_it_can_be(self, runtime: Runtime) -> None:
        for thrown in (
            "new Proxy({}, { get() { throw 1 } })",
            "{ get message() { throw 1 }, toString() { throw 2 } }",
            "Object.defineProperty(new Error('m'), 'name', { get() { throw 1 } })",
            "(() => { const e = new Error('c'); e.cause = e; return e })()",
            "Object.assign(new Error(), { message: { toString() { throw 1 } } })",
            "new Error('x'.repeat(3_000_000))",
            "Symbol('s')",
        ):
            end = self.run(runtime, f"throw {thrown}").end
            assert end is not None
            assert end.outcome == "threw", thrown
            assert len(end.message) <= 70_000

    def test_a_rejection_that_nobody_waits_for_fails_nothing(self, runtime: Runtime) -> None:
        code = "Promise.reject(new Error('late')); queueMicrotask(() => { throw 1 }); await 0; return 1"
        assert self.value(runtime, code) == 1
