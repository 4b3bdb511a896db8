"""The guest library's own globals, against what Node.js 20 says of the same expressions."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from toolscript.sandbox.inline import InlineRuntime
from toolscript.sandbox.runtime import Program
from toolscript.sandbox.surface import Group, Member
from toolscript.testing.guest_host import Ended, execute, surface


def run(code: str) -> Ended:
    program = Program(code=code, surface=surface(["echo"]), cpu_s=10.0)
    ended = asyncio.run(execute(InlineRuntime(), program, {0: lambda args: args}))
    assert ended.outcome in ("returned", "threw"), ended.end
    return ended


def value(expression: str) -> Any:
    ended = run(f"return {expression}")
    assert ended.outcome == "returned", ended.end
    return ended.value


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ("'a', 1, true, null, undefined", "a 1 true null undefined"),
        ("-0, NaN, 10n, Symbol('s')", "-0 NaN 10n Symbol(s)"),
        ("{ a: 1, b: 'x', 'c-d': [1, { e: {} }] }", "{ a: 1, b: 'x', 'c-d': [ 1, { e: {} } ] }"),
        (
            "[[[[1]]]], { a: { b: { c: { d: 1 } } } }",
            "[ [ [ [Array] ] ] ] { a: { b: { c: [Object] } } }",
        ),
        (
            "new Map([['k', { a: [1] }]]), new Set([1, 'a'])",
            "Map(1) { 'k' => { a: [ 1 ] } } Set(2) { 1, 'a' }",
        ),
        (
            "[1, , 3], [ , , ], new Array(3)",
            "[ 1, <1 empty item>, 3 ] [ <2 empty items> ] [ <3 empty items> ]",
        ),
        (
            "() => 1, async () => 1, class A {}, function f() {}",
            "[Function (anonymous)] [AsyncFunction (anonymous)] [class A] [Function: f]",
        ),
        (
            "new (class Foo { x = 1 })(), Object.create(null)",
            "Foo { x: 1 } [Object: null prototype] {}",
        ),
        (
            "new Date(0), /a/g, new Uint8Array(2)",
            "1970-01-01T00:00:00.000Z /a/g Uint8Array(2) [ 0, 0 ]",
        ),
        ("[\"it's\", 'say \"x\"', 'a\\nb']", "[ \"it's\", 'say \"x\"', 'a\\nb' ]"),
        ("{ get x() { return 1 }, set y(v) {} }", "{ x: [Getter], y: [Setter] }"),
        (
            "(() => { const o = { n: 1 }; o.self = o; return o })()",
            "<ref *1> { n: 1, self: [Circular *1] }",
        ),
        ("Array.from({ length: 7 }, (_, i) => i)", "[\n  0, 1, 2, 3,\n  4, 5, 6\n]"),
        (
            "{ a: 'x'.repeat(40), b: 'y'.repeat(40) }",
            "{\n  a: '" + "x" * 40 + "',\n  b: '" + "y" * 40 + "'\n}",
        ),
        ("new Number(3), new String('ab'), [true]", "[Number: 3] [String: 'ab'] [ true ]"),
        ("'%s is %d, %i, %f', 'x', 4.5, 4.5, '1.5'", "x is 4.5, 4, 1.5"),
        ("'%o %O %j %%', [1], { a: 1 }, { b: [2] }", '[ 1 ] { a: 1 } {"b":[2]} %'),
        ("'100%', 'x %s', 5", "100% x %s 5"),
        ("'%s', { a: { b: 1 } }, 'rest'", "{ a: [Object] } rest"),
        (
            "Array.from({ length: 20 }, (_, i) => i * 1000)",
            "[\n      0,  1000,  2000,  3000,\n   4000,  5000,  6000,  7000,\n   8000,  9000, 10000, "
            "11000,\n  12000, 13000, 14000, 15000,\n  16000, 17000, 18000, 19000\n]",
        ),
        (
            "Array.from({ length: 10 }, (_, i) => i % 2 === 0)",
            "[\n  true,  false, true,\n  false, true,  false,\n  true,  false, true,\n  false\n]",
        ),
        (
            "function* f() {}, async function* g() {}, (function* () {})()",
            "[GeneratorFunction: f] [AsyncGeneratorFunction: g] Object [Generator] {}",
        ),
        ("['\\u0000\\u001b\\x7f\\x80\\\\u00ff']", "[ '\\x00\\x1B\\x7F\\x80\\\\u00ff' ]"),
        ("{ $a: 1 }, new (class A extends Map {})([[1, 2]])", "{ '$a': 1 } A(1) [Map] { 1 => 2 }"),
        (
            "{ a: 'one\\n' + 'x'.repeat(80) }",
            "{\n  a: 'one\\n' +\n    '" + "x" * 80 + "'\n}",
        ),
        ("", ""),
    ],
)
def test_console_prints_as_node_does(arguments: str, printed: str) -> None:
    assert run(f"console.log({arguments})").printed == printed


def test_long_maps_and_sets_are_cut() -> None:
    many = "Array.from({ length: 102 }, (_, i) => i)"
    assert run(f"console.log(new Set({many}))").printed.endswith("\n  99,\n  ... 2 more items\n}")
    printed = run(f"console.log(new Map({many}.map((i) => [i, i])))").printed
    assert printed.endswith("\n  99 => 99,\n  ... 2 more items\n}")


def test_a_printed_error_says_what_and_where() -> None:
    printed = run("const e = new TypeError('bad');\nconsole.log(e)").printed
    assert printed.startswith("TypeError: bad\n    at ")
    assert "(script:1:" in printed
    printed = run("try { await tools.nope } catch (e) { console.log(e) }").printed
    assert printed.startswith("ToolError: tools.nope does not exist.")
    assert "code: 'unknown_tool'" in printed


def test_what_cannot_be_shown_is_said_so() -> None:
    code = "console.log(new Proxy({}, { ownKeys() { throw new Error('trap') } })); return 1"
    ended = run(code)
    assert ended.value == 1
    assert "trap" in ended.printed


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (
            "new URL('https://User:pa@EXAMPLE.com:443/a/../b c?x=1#f').href",
            "https://User:pa@example.com/b%20c?x=1#f",
        ),
        ("new URL('../z?q', 'http://a.b/c/d/e').href", "http://a.b/c/z?q"),
        ("new URL('//x.y/p', 'https://q.r').href", "https://x.y/p"),
        ("new URL('#h', 'https://q.r/p?q').href", "https://q.r/p?q#h"),
        ("new URL('?n', 'https://q.r/p?q#h').href", "https://q.r/p?n"),
        ("new URL('mailto:a@b').pathname", "a@b"),
        ("new URL('http://0x7f.1/').hostname", "127.0.0.1"),
        ("new URL('file:///a/b').href", "file:///a/b"),
        ("new URL('https://a.b/c?d=1&d=2').searchParams.getAll('d')", ["1", "2"]),
        (
            "(() => { const u = new URL('https://a.b/'); u.searchParams.set('q', 'ü &'); u.hash = 'x'; u.port = '8080'; return u.href })()",
            "https://a.b:8080/?q=%C3%BC+%26#x",
        ),
        ("URL.canParse('nope') || URL.canParse('http://')", False),
        ("[...new URLSearchParams('a=1&b=x+y&c')]", [["a", "1"], ["b", "x y"], ["c", ""]]),
        ("new URLSearchParams({ b: 2, a: 'x y' }).toString()", "b=2&a=x+y"),
        ("JSON.stringify(new URL('https://a.b'))", '"https://a.b/"'),
        ("Array.from(new TextEncoder().encode('aé€😀\\ud800'))", list("aé€😀\ufffd".encode())),
        (
            "new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xe2, 0x82]))",
            "a\ufffd\ufffd",
        ),
        ("btoa('hi') + atob('aGk=')", "aGk=hi"),
        ("structuredClone({ a: [new Date(0)], m: new Map([[1, { z: 1 }]]) }).m.get(1)", {"z": 1}),
        ("structuredClone(new Date(0)).toISOString()", "1970-01-01T00:00:00.000Z"),
    ],
)
def test_helpers_of_the_web(expression: str, expected: Any) -> None:
    assert value(expression) == expected


def test_bytes_that_are_no_text_can_be_refused() -> None:
    code = "new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff]))"
    end = run(code).end
    assert end is not None
    assert end.name == "TypeError"


def test_clones_keep_cycles_and_refuse_functions() -> None:
    code = "(() => { const a = {}; a.a = a; const c = structuredClone(a); return c !== a && c.a === c })()"
    assert value(code) is True
    code = "(() => { try { structuredClone({ f() {} }) } catch (e) { return e.name } })()"
    assert value(code) == "DataCloneError"


@pytest.mark.parametrize(
    ("call", "mime"),
    [
        ("image(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))", "image/png"),
        ("image('data:image/gif;base64,R0lGODlhAQABAAAAACw=')", "image/gif"),
        ("image('/9j/4AAQ')", "image/jpeg"),
        ("image('UklGRgoAAABXRUJQVlA4IA==', 'image/webp')", "image/webp"),
        ("image('aGVsbG8=')", None),
        ("image('iVBORw0KGgo=', 'image/gif')", None),
        ("image('not base64!')", None),
        ("image('data:image/svg+xml,<svg/>')", None),
        ("image({})", None),
    ],
)
def test_images_are_what_their_bytes_say(call: str, mime: str | None) -> None:
    ended = run(call)
    assert [item.mime_type for item in ended.output] == ([mime] if mime else [])
    if mime is None:
        assert ended.end is not None
        assert ended.end.name == "TypeError"


def test_both_orders_of_progress() -> None:
    progress = run("progress(1, 4, 'step'); progress('half', 0.5); progress(3, 4)").progress
    told = [(item.message, item.fraction) for item in progress]
    assert told == [("step", 0.25), ("half", 0.5), ("3/4", 0.75)]


def test_too_much_in_the_store_is_an_error_of_that_call() -> None:
    shown = json.loads(surface([]))
    shown["options"] = {"store_value_chars": 10, "store_total_chars": 15}
    code = (
        "const seen = []; for (const [k, v] of [['a', 'x'.repeat(20)], ['b', '12345'],"
        " ['c', '1234567'], ['b', undefined], ['c', '1234567']])"
        " try { store(k, v); seen.push('ok') } catch (e) { seen.push(e.code + ' ' + e.details.limit) }"
        " return seen"
    )
    program = Program(code=code, surface=json.dumps(shown))
    ended = asyncio.run(execute(InlineRuntime(), program, {}))
    assert ended.value == [
        "too_large store_value_chars",
        "ok",
        "too_large store_total_chars",
        "ok",
        "ok",
    ]


def test_a_returned_proxy_that_throws_is_told_as_what_it_is() -> None:
    code = "return new Proxy({}, { ownKeys() { throw new Error('shut') } })"
    program = Program(code=code, surface=surface([]), cpu_s=10.0)
    ended = asyncio.run(execute(InlineRuntime(), program, {}))
    assert ended.outcome == "invalid_output"
    assert "shut" in ended.end.message


def test_a_stack_that_a_script_reads_has_its_own_lines() -> None:
    source = "\nconst f = () => {\n  null.x;\n};\ntry { f() } catch (error) { return error.stack }"
    lines = run(source).value.splitlines()
    assert re.findall(r":(\d+):", lines[0]) == ["3"]
    assert re.findall(r":(\d+):", lines[1]) == ["5"]


def test_a_wait_gives_nothing() -> None:
    program = Program(code="return [typeof (await sleep(0))]", surface=surface(["echo"]))
    ended = asyncio.run(execute(InlineRuntime(), program, {"sleep": lambda args: None}))
    assert ended.value == ["undefined"]


@pytest.mark.parametrize(
    ("thrown", "message"),
    [
        ("new Proxy(new Error('inside'), {})", "inside"),
        ("Object.create(new Error('above'))", "above"),
        ("{ message: 'told', code: 7 }", '{"message":"told","code":7}'),
        ("{}", "{}"),
    ],
)
def test_what_is_told_of_a_thrown_object(thrown: str, message: str) -> None:
    ended = run(f"throw {thrown}")
    assert ended.end is not None
    assert ended.end.message == message


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("new TypeError('x')", {"name": "TypeError", "message": "x"}),
        (
            "Promise.allSettled([1, Promise.reject(Object.assign(new Error('no'), { code: 7 }))])",
            [
                {"status": "fulfilled", "value": 1},
                {"status": "rejected", "reason": {"name": "Error", "message": "no", "code": 7}},
            ],
        ),
        (
            "Promise.any([Promise.reject(new RangeError('r'))]).catch((e) => [e])",
            [
                {
                    "name": "AggregateError",
                    "message": "",
                    "errors": [{"name": "RangeError", "message": "r"}],
                }
            ],
        ),
        ("Object.assign(new Error('x'), { toJSON: () => 5 })", 5),
        ("tools.echo({ e: new Error('x') })", {"e": {"name": "Error", "message": "x"}}),
    ],
)
def test_errors_cross_as_what_they_say(expression: str, expected: Any) -> None:
    assert value(f"await {expression}") == expected


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("tools.byu", "Did you mean buy?"),
        ("tools.gte", "Did you mean get?"),
        ("tools.ls", "There are:"),
        ("tools.list_order", "Did you mean list_orders?"),
        ("tools.ListOrders", "Did you mean list_orders?"),
        ("tools.orders_list", "Did you mean list_orders?"),
        ("tools.sendMail", "Did you mean send_mail?"),
        ("tools.mail", "Did you mean send_mail?"),
        ("tools.get_issue", "Did you mean github.get_issue?"),
        ("tools.githubGetIssue", "Did you mean github.get_issue?"),
        ("github.issue_get", "Did you mean get_issue?"),
        ("github.buy", "Did you mean tools.buy?"),
    ],
)
def test_a_name_that_is_nearly_right(read: str, meant: str) -> None:
    names = ["buy", "get", "list_orders", "send_mail"]
    github = Group("github", (Member("get_issue", "get_issue", len(names), None),))
    shown = surface(names, groups=[github])
    program = Program(code=f"return {read}", surface=shown)
    ended = asyncio.run(execute(InlineRuntime(), program, {}))
    assert ended.end is not None
    assert meant in ended.end.message
