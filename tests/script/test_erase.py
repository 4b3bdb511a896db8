"""TypeScript is erased in place; what cannot be erased is refused."""

from __future__ import annotations

import pytest

from tests.script.harness import problems, value_of
from toolscript.script.script import prepare
from toolscript.script.text import to_units


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("const tag = (s: TemplateStringsArray) => s[0]; return tag<string>`t`", "t"),
        ("const tag = (s: any) => s[0]; return tag<Array<{ a: string }>>`t`", "t"),
        ("class A<in T, out U, in out V> { x!: T }\nreturn Object.keys(new A())", ["x"]),
        ("function f<const T extends readonly unknown[]>(x: T): T { return x }\nreturn f([1])", [1]),
        ("const a = 1 as any\n;[2].length\nreturn a", 1),
        ("let a = 5\nconst b = a as any\n(a as any)\nreturn b", 5),
        ("const o: any = { v: [7] }\nconst b = o as any\n[1].push(2)\nreturn b.v", [7]),
        ("class A {\n  a = 1 as any\n  ['b'] = 2\n  c: number\n  ['d']: string\n}\n"
         "return Object.keys(new A())", ["a", "b", "c", "d"]),
        ("class A { a = 1\n  private *g() { yield 1 }\n}\nreturn new A().a", 1),
        ("class A { readonly = 4; declare = 5; abstract = 6; static static = 7 }\n"
         "const a = new A(); return [a.readonly, a.declare, a.abstract, A.static]", [4, 5, 6, 7]),
        ("class A { declare x: number; [k: string]: any; y = 1 }\n"
         "return Object.keys(new A())", ["y"]),
        ("abstract class A { abstract m(): void; abstract readonly p: 1; n() { return 3 } }\n"
         "class B extends A { m() {} p = 1 as const }\nreturn new B().n()", 3),
        ("const f = (a: number):\n  number => a\nreturn f(3)", 3),
        ("const f = async <\n  T\n>(a: T) => a\nreturn f(4)", 4),
        ("function f(): any { return <T,>(\n x: T\n): T => x }\nreturn f()(5)", 5),
        ("function f(this: any, a: number, ...r: number[]) { return [a, r.length] }\n"
         "return f.call(null, 1, 2)", [1, 1]),
        ("function f(a: string): void\nfunction f(a: any) { return a }\nreturn f(6 as any)", 6),
        ("declare const x: number; declare function y(): void; declare module 'z' {}\n"
         "return typeof x", "undefined"),
        ("type A = { a: 1 }\ninterface B { b: 2 }\n(function () {})()\nreturn 7", 7),
        ("const type = 1, as = 2, of = 3, is = 4, readonly = 5;\nreturn [type, as, of, is]",
         [1, 2, 3, 4]),
        ("try { throw new Error('e') } catch (e: unknown) { return (e as Error).message }", "e"),
        ("const s = '😀' as '😀'; let n: '日本' | string = '日本'; return [s, n!]", ["😀", "日本"]),
        ("const m = new Map<string, Array<Map<string, number>>>(); return m.size", 0),
        ("const a = { n: 1 }; return a!.n! as number satisfies number", 1),
        ("return [1, 2].map(<T,>(x: T): T => x)", [1, 2]),
        ("export type { A } from './a'; export type * from './b'; export default () => 8", 8),
        ("return String.raw`C:\\users\\x`", "C:\\users\\x"),
        ("let a = 0, b = 0; [a as any, b as Map<A, B>] = [1, 2] as any; return [a, b]", [1, 2]),
        ("let a; ({ a: a as any } = { a: 3 }); return a", 3),
        ("let a; for (a as any of [4]) ; return a", 4),
        ("const a = 1; return a as number < 5", True),
        ("class A {\n  static\n  readonly y = 1\n}\nreturn [A.y, Object.keys(new A()).length]",
         [1, 0]),
        ("let a: string\na = 'b'\nlet c: string\n`${a}`", "b"),
        ("const a = 'b' as string // c\n;[a].length\nlet d: string\n+1", 1),
        ("const sql = (t: any) => t[0]; return sql<{ id: number; name: string }>`t`", "t"),
    ],
)  # fmt: skip
def test_it_runs_without_its_types(source: str, value: object) -> None:
    assert value_of(source) == value


@pytest.mark.parametrize(
    "type_",
    [
        "{ [key: string]: unknown }", "{ readonly [K in keyof T]?: T[K] }", "{ a: A; b?(x: A): B }",
        "{ (a: A): B; new (a: A): B; get g(): A; set g(x: A) }", "A.B.C", "A.B.C.D<E>[]", "A | B.C.D | null",
        "(x: A) => A.B.C", "Array<{ [key: string]: A.B.C }>", "A['x'][number]", "keyof typeof x",
        "typeof x.y.z", "[a: A, b?: B, ...c: C[]]", "T extends (infer U)[] ? U : never", "-1",
        "`a-${string}`", "string | (() => void) | null", "abstract new () => A", "\n | A\n | B",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "cast",
    [
        "f(x as {T}, 1)", "[x as {T}, 1][0]", "({ a: x as {T}, b: 1 }).a", "(x as {T}).valueOf()",
        "c ? x as {T} : 1", "(() => x as {T})()", "(x as {T}) ?? 1", "x as {T} ?? 1",
        "f(...[x] as {T}, 1)", "(x satisfies {T})!", "x as unknown as {T}", "g<{T}>(x)",
        "((y: {T}): {T} => y)(x as {T})", "new (class { y: {T} = x as {T} })().y",
    ],
)  # fmt: skip
def test_every_type_is_erased_in_every_expression(cast: str, type_: str) -> None:
    source = f"const x = 7, c = true, f = (y) => y, g = f; return {cast.replace('{T}', type_)}"
    assert value_of(source) == 7


@pytest.mark.parametrize(
    "source",
    [
        "const f = (a, b) => a < b && b > (a); return f(1, 2)",
        "const d = 2, c = 1; return [1 < c, c > (d)]",
        "for (let i = 0; i < 3; i++) { label: while (true) break label }",
        "const { type, as: b, ...rest } = {}; return `${type}${b}` + /[/]\\/(?<a>b)/gu.source",
        "class A { #x = 1; static { this.y = 2 } get x() { return #x in this } async *g() {} }",
        "const x = a?.[0]?.(1) ?? (b ||= 1_000n) ** 2n\nreturn async () => { for await (x of y) ; }",
        "let of = 1, get = 2, set = 3, async = 4, static_ = 5; return { get, set, async, of }",
        "let using = 1\nx = using;",
        "if (x) { a: 1 } else ; do y++; while (y < 3) return { 'a b': 1, [c]: 2, d() {}, ...e }",
    ],
)
def test_javascript_passes_unchanged(source: str) -> None:
    assert prepare(source, form="body").code == source


@pytest.mark.parametrize(
    ("source", "line", "column", "construct", "instead"),
    [
        ("enum E { A }", 1, 1, "enum", "as const"),
        ("const a = 1;\nconst enum E { A }", 2, 1, "enum", "as const"),
        ("namespace N { export const a = 1 }", 1, 1, "namespace", "top level"),
        ("module N { }", 1, 1, "namespace", "top level"),
        ("class A {\n  constructor(public a: number) {} }", 2, 15, "parameter property", "this"),
        ("class A { constructor(readonly a = 2) {} }", 1, 23, "parameter property", "this"),
        ("return <any>x", 1, 8, "<T>value", "as T"),
        ("import fs = require('fs');", 1, 8, "import x = require", "tools"),
        ("import a = B.C;", 1, 1, "import x = A.B", "const x"),
        ("const a = 1; export = a;", 1, 14, "export =", "export default"),
    ],
)
def test_what_produces_code_is_refused(
    source: str, line: int, column: int, construct: str, instead: str
) -> None:
    found = problems(source)[0]
    assert (found.line, found.column) == (line, column)
    assert construct in found.message
    assert instead in found.hint
    assert found.excerpt.split("\n")[1].index("^") == column - 1


def test_columns_count_utf16_units() -> None:
    source = "const s: '😀é' = '😀é'; const t = s as string; return t"
    code = prepare(source).code
    assert to_units(code).index("return") == to_units(source).index("return")
    assert problems("const s = '😀'; enum E {}")[0].column == 17


def test_types_are_left_alone_where_they_are_not_wanted() -> None:
    source = "const a: number = 1; return a"
    assert prepare(source, form="body", typescript=False).code == source


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("return f<import('x').A>(x)", "return f                (x)"),
        ("return f<typeof import('x')>(x)", "return f                    (x)"),
        ("return f<import('x').A<B>>(x)", "return f                   (x)"),
        ("return f<type>(x)", "return f      (x)"),
        ("return f<get>(x) + g<async>`y`", "return f     (x) + g       `y`"),
        ("return f<<T>(x: T) => T>(g)", "return f                (g)"),
        ("return f<(x: A) => B>`t`", "return f             `t`"),
        ("let v = f<T>\n`x`", "let v = f   \n`x`"),
        ("return a < b && c > (d)", "return a < b && c > (d)"),
        ("return a < b || c > (d)", "return a < b || c > (d)"),
        ("return a << b > c", "return a << b > c"),
        ("x = y as Map<string, A<B>>\n\n`q`.z", "x = y                     \n;`q`.z"),
        ("a = b satisfies Map<C, D>\n[1].at(0)", "a = b                    ;[1].at(0)"),
        ("a = b as typeof c\n(d)", "a = b            ;\n(d)"),
        ("a = b as C\n\n// d\n`e`", "a = b     ;\n\n// d\n`e`"),
    ],
)
def test_what_the_parser_reads_as_something_else(source: str, code: str) -> None:
    got = prepare(source, form="body").code
    assert got.replace(";", "").split() == code.replace(";", "").split()
    assert [len(line) for line in got.split("\n")] == [len(line) for line in source.split("\n")]
    if "\n" in source and "f<T>" not in source:
        assert ";" in got
