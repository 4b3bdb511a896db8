"""Imports come from the host's modules and from nowhere else."""

from __future__ import annotations

import pytest

from tests.script.harness import GuestError, problems, value_of
from toolscript.script.diagnostic import ScriptError
from toolscript.script.script import prepare_module

MODULES = {
    "math": "export const pi = 3; export default (n) => n * pi; export function twice(n) "
    "{ return 2 * n } export let { a, b: [c] } = { a: 1, b: [2] };",
    "more": 'export * from "math"; export { pi as "a-b", twice as dup } from "math"; '
    'export * as all from "math"; import m from "math"; export const six = m(2);',
    "types": "export interface A {}\nexport type B = 1;\nexport const n: number = 4;",
}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ('import m from "math"; export default () => m(2)', 6),
        ('import m, { pi, twice as t } from "math"; return [m(1), pi, t(4)]', [3, 3, 8]),
        ('import * as ns from "math"; return ns.pi', 3),
        ('import { a, c } from "math"; a + c', 3),
        ('import "math"; return 1', 1),
        ('const { pi } = await import("math"); return pi', 3),
        ('import("math").then((m) => m.pi)', 3),
        ('return twice(2);\nimport { twice } from "math";', 4),
        ('import { n, type A } from "types"; const x: A = {}; return n', 4),
        ('import { "a-b" as ab } from "more"; return ab', 3),
    ],
)
def test_import(source: str, value: object) -> None:
    assert value_of(source, MODULES) == value


def test_a_module_gives_all_that_it_exports() -> None:
    body = prepare_module(MODULES["more"], modules=("math",))
    for name in ("a-b", "dup", "all", "six"):
        assert f'"{name}"' in body
    assert "default: _" in body


@pytest.mark.parametrize("name", ["fs", "node:fs", "/etc/passwd", "./x", "https://x.y/z.js"])
def test_an_unknown_module_is_refused_with_what_there_is(name: str) -> None:
    found = problems(f'import x from "{name}"; return x')[0]
    assert name in found.message
    assert "tools" in found.hint
    there = problems(f'import x from "{name}"; return x', modules=("math",))[0]
    assert "math" in there.hint


def test_a_missing_export_is_named() -> None:
    with pytest.raises(GuestError, match="no export"):
        value_of('import { nope } from "math"; return nope', {"math": MODULES["math"]})


def test_import_meta_is_refused() -> None:
    assert "import.meta" in problems("return import.meta")[0].message


def test_a_broken_module_is_refused() -> None:
    with pytest.raises(ScriptError):
        prepare_module("export const a = (")
    with pytest.raises(ScriptError):
        prepare_module("enum A { B }\nexport default A")
    with pytest.raises(ScriptError):
        prepare_module('import x from "nowhere"; export default x')


def test_types_may_import_whatever_they_like() -> None:
    assert value_of("let x: typeof import('node:fs'); let y: import('p').Q; return 1") == 1
