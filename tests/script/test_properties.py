"""What holds for every script, and for every text at all."""

from __future__ import annotations

import _quickjs  # type: ignore[import-not-found]
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.script.harness import PREFIX
from toolscript.errors import SourceError
from toolscript.script.brackets import find_unbalanced
from toolscript.script.constrained import check_constrained
from toolscript.script.diagnostic import ScriptError, excerpt
from toolscript.script.hints import hint_for
from toolscript.script.options import parse_source
from toolscript.script.script import Script, prepare
from toolscript.script.text import from_units, to_units

TYPES = (
    "number", "string[]", "A | B", "{ a: 1; b?: '😀' }", "Array<Map<string, X[]>>", "'é' | null",
    "(a: number, ...b: T[]) => void", "[a: string, b?: number]", "typeof x", "keyof T",
    "{\n  a: number\n  b: string\n}", "T extends infer U ? U : never", "`a-${string}`",
)  # fmt: skip
TYPED = (
    "const v: {T} = 1;", "let v: {T}", "let v!: {T};", "f(x as {T}, y!);", "return x as {T}",
    "function f<T>(a: {T}, b?: {T}, ...c: any[]): {T} { return a as any }", "type Q = {T};",
    "const f = (a: {T}, { b }: {T} = {} as any): {T} => a;", "interface I { a: {T} }",
    "class A<T> extends B<{T}> implements C { private x: {T} = 1; declare y: {T}; z?(): void }",
    "const f = async <T,>(a: T): Promise<{T}> => { return a };", "m = new Map<{T}, {T}>();",
    "try { g() } catch (e: unknown) { h(e as {T}) }", "for (const x of y as {T}) { z!.w }",
    "abstract class A { abstract a(): {T}; protected abstract b: {T} }", "s = x satisfies {T};",
    "declare const d: {T};", "const t = `${x as {T}} 😀`;", "f<{T}>(1);",
)  # fmt: skip
PLAIN = (
    "const a = 1;", "let b = a ?? c?.d?.[e] ** 2;", "f(`${g`h${i}`} 😀`);", "/[/]}/gu.test(j);",
    "if (k) { l: m } else n++;", "for (const [o, { p = 1 }] of q) ;", "class A { #r = 1; static {} }",
    "const s = async (t, ...u) => { await v; for await (w of x) ; };", "y = z / 2 / (3);",
    "a = { get, set, async, 'b c': 1, [d]: 2, e() {}, get f() { return 1 }, ...g };",
    "switch (h) { case 1: break; default: i }", "try { j } catch { k } finally { l }",
    "label: while (m) { continue label }", "var type = 1, as = 2, of = 3, declare = 4;",
    "// comment ( { `\n", "/* comment ) } */", "return n\n", ";[1].map((x) => x)", "'use strict'",
    "do o--; while (o --> 0)", "(function () {})()", "x = a ? (b) : c => d;", "y = 'it\\'s' + \"\\\"\";",
)  # fmt: skip
PIECES = (
    "}", "{", "(", ")", "})", "/*", "*/", "//", "`", "${", '"', "'", "\\", "\n", "\r", "\u2028",
    ";", "evil()", "evil();", "async", "()", "=>", "<!--", "-->", "<", ">", "a", "1", "/", "return",
    "function", "class", "[", "]", ",", "?", ".", ":", "=", "await", "yield", "import", "export",
    "default", "const", "type", "<T>", "enum", "#x", "@", "try", "```", "~~~", "js", "\ufeff", "😀",
    "\\u0041", "using", "\\n", '\\"', "module.exports=", "import(", "// @options: {}", "def x():",
    " ", "\t", "\0", "\ud83d", "<code>", "</code>",
)  # fmt: skip

typed = st.builds(
    lambda lines, types: "\n".join(
        line.replace("{T}", types[n % len(types)]) for n, line in enumerate(lines)
    ),
    st.lists(st.sampled_from(TYPED + PLAIN), min_size=1, max_size=6),
    st.lists(st.sampled_from(TYPES), min_size=1, max_size=3),
)
plain = st.builds(
    lambda lines, end: end.join(lines),
    st.lists(st.sampled_from(PLAIN), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)
pieces = st.builds(
    lambda parts, between: between.join(parts),
    st.lists(st.sampled_from(PIECES), max_size=14),
    st.sampled_from(["", " ", "\n"]),
)
anything = st.one_of(pieces, st.text(max_size=80), typed, plain)


def prepared(source: str, **how: object) -> Script | None:
    try:
        return prepare(source, **how)  # type: ignore[arg-type]
    except (ScriptError, SourceError):
        return None


@settings(max_examples=300)
@given(typed)
def test_erasing_keeps_every_line_and_column(source: str) -> None:
    script = prepared(source, form="body")
    if script is None:
        return
    before, after = to_units(source), to_units(script.code)
    assert len(before) == len(after)
    for kept, written in zip(after, before, strict=True):
        if kept != written:
            assert kept in " ;()"
            assert written not in "\r\n\u2028\u2029"


@settings(max_examples=200)
@given(plain)
def test_erasing_javascript_changes_nothing(source: str) -> None:
    script = prepared(source, form="body")
    if script is not None:
        assert script.code == source


@settings(max_examples=200)
@given(typed)
def test_erasing_twice_is_erasing_once(source: str) -> None:
    script = prepared(source, form="body")
    if script is not None and script.code.strip():
        again = prepared(script.code, form="body")
        assert again is not None
        assert again.code == script.code


@settings(max_examples=500)
@given(anything, st.sampled_from(["auto", "body", "module"]), st.booleans())
def test_any_text_ends_in_a_script_or_a_refusal(source: str, form: str, typescript: bool) -> None:
    script = prepared(source, form=form, typescript=typescript)
    if script is None:
        return
    context = _quickjs.Context()
    context.eval("globalThis.ran = 0; globalThis.evil = () => { ran++ };")
    try:
        context.eval(f"{PREFIX}{script.code}\n}})")
    except _quickjs.JSException:
        return
    # Compiled, but not called: whatever ran has left its wrapper.
    assert context.eval("ran") == 0


@settings(max_examples=200)
@given(anything, st.integers(-2, 40), st.integers(-2, 200))
def test_every_position_leads_into_the_source(source: str, line: int, column: int) -> None:
    script = prepared(source)
    if script is None:
        return
    for found in (script.locate(line, column), script.typed.locate(line, column)):
        assert 1 <= found[0] <= source.count("\n") + 1
        assert 1 <= found[1] <= len(to_units(source)) + 1


@settings(max_examples=200)
@given(anything, st.integers(-2, 40), st.integers(-2, 200))
def test_no_text_breaks_what_looks_at_it(source: str, line: int, column: int) -> None:
    check_constrained(source)
    find_unbalanced(to_units(source))
    excerpt(source, line, column)
    for name, message in (
        ("TypeError", "not a function"),
        ("TypeError", "cannot read property 'a' of undefined"),
        ("ReferenceError", "a is not defined"),
        ("SyntaxError", "unexpected token"),
    ):
        hint_for(source, name=name, message=message, line=line, column=column)
    try:
        parse_source(source)
    except SourceError:
        return


@settings(max_examples=100)
@given(plain)
def test_what_the_engine_compiles_is_balanced(source: str) -> None:
    context = _quickjs.Context()
    try:
        context.eval(f"{PREFIX}{source}\n}})")
    except _quickjs.JSException:
        return
    assert find_unbalanced(to_units(source)) is None


@given(st.text())
def test_code_units_lead_back(text: str) -> None:
    assert from_units(to_units(text)) == text
