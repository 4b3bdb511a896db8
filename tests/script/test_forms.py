"""Whatever form a model writes runs, and every position leads back to what it wrote."""

from __future__ import annotations

import pytest

from tests.script.harness import GuestError, problems, run_body, value_of, without_types
from toolscript.errors import SourceError
from toolscript.script.script import prepare


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("return 1", 1),
        ("const a = await tools.echo(2); return a", 2),
        ("1 + 2 // three", 3),
        ("tools.echo({ a: 1 });", {"a": 1}),
        ("{ ok: true, n: 1 }", {"ok": True, "n": 1}),
        ("const a = 1\n;[a, 2]", [1, 2]),
        ('"use strict"; 5', 5),
        ("1, 2", 2),
        ("async () => 12", 12),
        ("/* c */ async ({ tools }) => tools.echo(18) /* d */", 18),
        ("async function () { return 27 }", 27),
        ("async function main({ tools }) { return tools.echo(25) }", 25),
        ("function helper() { return 1 }\nasync function main() { return helper() + 1 }", 2),
        ("const k = (x) => x + 1;\nconst main = async () => k(3);", 4),
        ("(async () => 22)()", 22),
        ("await (async function () { return 23 })()", 23),
        ("module.exports = async () => ({ ok: true })", {"ok": True}),
        ("export default async () => 4", 4),
        ("export default { ok: true }", {"ok": True}),
        ("export default function main({ tools }) { return tools.echo(9) }", 9),
        ("export { main as default };\nfunction main() { return 9 }", 9),
        ("export const a = 1;\na + 1", 2),
        ("export async function main() { return 3 }", 3),
        ("export const run = async ({ tools }) => tools.echo(4)", 4),
        ("using x = { [Symbol.dispose]() {} };\n5", 5),
        ("let n = 3, c = 0; while (n --> 0) c++; c", 3),
        ("const a = 1 as number;\na satisfies number", 1),
        ("import type { X } from 'y';\nconst a: X = 1;\na", 1),
        ("if (1) { 2 }", None),
        ("const z = 10", None),
        ("class A {}", None),
    ],
)
def test_value(source: str, value: object) -> None:
    assert value_of(source) == value


@pytest.mark.parametrize(
    ("source", "form"),
    [
        ("return 1", "body"),
        ("1", "expression"),
        ("() => 1", "function"),
        ("export default () => 1", "module"),
    ],
)
def test_form_is_told(source: str, form: str) -> None:
    assert prepare(source).form == form


def test_a_function_nobody_calls_is_called_only_where_nothing_else_runs() -> None:
    assert value_of("function a() { return 1 }\nfunction b() { return 2 }") is None
    assert value_of("async function f() { return 1 }\nawait f();") == 1


def test_a_body_in_plain_javascript_is_not_touched() -> None:
    source = "const a = /}/.test('}');\r\nif (a) { return `${'x'}` }\r\nreturn 1;\r\n"
    assert prepare(source, form="body").code == source


def test_body_form_takes_no_other_form() -> None:
    assert prepare("1 + 1", form="body").code == "1 + 1"
    assert problems("export default 1", form="body")
    assert problems('import x from "y"; return x', form="body")


def test_module_form_wants_a_callable_default_export() -> None:
    assert problems("return 1", form="module")
    assert problems("export const a = 1", form="module")
    for value in ("1", "{ run() {} }", "class A {}", "`x`"):
        found = problems(f"export default {value}", form="module")
        assert found
        assert "not a function" in found[0].message
    with pytest.raises(GuestError, match="default export is not a function"):
        run_body(prepare("const a = {}; export default a;", form="module").code)


def test_module_text_is_the_source_without_types() -> None:
    source = 'import { type A, b } from "mod";\nexport default (x: A) => b;\n'
    expected = 'import {         b } from "mod";\nexport default (x   ) => b;\n'
    assert without_types(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "}); evil(); (async () => {",
        "return 1 } /* ",
        "a<!--b;/*\n}; evil(); async function x() {\n*/",
        "a<!--b;/*\n}; evil(); (async function(){ //*/",
        "1\n--> }; evil(); {",
        "`${}`}`; evil(); (() => {`",
    ],
)
def test_a_script_cannot_close_its_wrapper(source: str) -> None:
    assert problems(source)


@pytest.mark.parametrize("text", ["", "  \n\t ", "\ufeff", "```js\n```", "// @options: {}\n"])
def test_an_empty_script_is_refused(text: str) -> None:
    with pytest.raises(SourceError):
        prepare(text)


def test_nul_and_half_pairs_are_named_instead_of_lost() -> None:
    assert "NUL" in problems("return 'a\0b'")[0].message
    found = problems("return '\ud83d'")[0]
    assert "surrogate" in found.message
    assert "\\ud83d" in found.hint


def test_positions_lead_back_over_insertions() -> None:
    script = prepare("const a = 1;\n/* c */ foo.bar.baz")
    column = script.code.split("\n")[1].index("foo") + 1
    assert column > 9
    assert script.locate(2, column) == (2, 9)
    assert script.locate(1, 7) == (1, 7)


def test_positions_lead_back_over_fences_and_escapes() -> None:
    assert prepare("Here:\n```js\nreturn foo\n```").locate(3, 8) == (3, 8)
    escaped = prepare("const a = 1;\\nreturn foo")
    assert escaped.code == "const a = 1;\nreturn foo"
    assert escaped.locate(2, 8) == (1, 22)


def test_positions_outside_of_the_code_stay_in_the_source() -> None:
    script = prepare("async function main() { return 1 }")
    assert script.locate(99, 99)[0] == 1
    assert script.locate(0, 0) == (1, 1)


def test_the_last_fetched_value_is_handed_on() -> None:
    code = prepare("const r = await tools.echo(3);").code
    assert "$module.unreturned" in code
    assert code.startswith("const r = await tools.echo(3);\n")
    assert "$module" not in prepare("const r = 3;").code


def test_columns_that_count_bytes_are_understood() -> None:
    script = prepare('const s = "😀é"; return s.a.b')
    assert script.locate(1, 29, in_bytes=True) == (1, 26)
    assert script.locate(1, 26) == (1, 26)
    assert script.locate(7, 3, in_bytes=True)[0] == 1
