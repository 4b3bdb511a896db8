"""What a model reads when its script fails."""

from __future__ import annotations

import pytest

from tests.script.harness import problems
from toolscript.script.hints import hint_for
from toolscript.script.script import prepare

TOOLS = ("list_sites", "get_weather")
GLOBALS = ("console", "text", "store", "load")


def hint(source: str, name: str, message: str, line: int | None = 1, column: int = 1) -> str:
    return hint_for(
        source,
        name=name,
        message=message,
        line=line,
        column=column,
        globals_known=GLOBALS,
        tool_names=TOOLS,
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("require", "modules"),
        ("fetch", "network"),
        ("process", "environment"),
        ("fs", "file system"),
        ("Buffer", "btoa"),
        ("setTimeout", "timers"),
        ("Temporal", "Date"),
        ("AbortController", "Promise.race"),
        ("print", "console.log"),
        ("None", "null"),
        ("get_weather", "tools.get_weather"),
        ("get_wether", "tools.get_weather"),
        ("consle", "console"),
        ("whatever", "tools.list_sites"),
    ],
)
def test_a_name_that_is_not_there(name: str, says: str) -> None:
    assert says in hint(f"return {name}", "ReferenceError", f"{name} is not defined", 1, 8)


def test_an_absent_name_comes_with_what_is_there() -> None:
    told = hint("fetch('x')", "ReferenceError", "fetch is not defined")
    assert "tools.list_sites" in told
    assert "console" in told


@pytest.mark.parametrize(
    ("source", "message", "column"),
    [
        ("const s = tools.list_sites({}); return s.map(f)", "not a function", 45),
        ("const s = tools.list_sites({}); return s.map(f)", "s.map is not a function", 40),
        ("const s = tools.list_sites({}); return s.a.b",
         "cannot read property 'b' of undefined", 40),
        ("const s = tools.list_sites({}); return s.a.b",
         "Cannot read properties of undefined (reading 'b')", 43),
        ("for (const s of tools.list_sites({})) {}", "value is not iterable", 17),
        ("const s = tools.list_sites({}); for (const x of s) {}", "s is not iterable", 49),
        ("async function s() {}\nreturn s().map(f)", "not a function", 30),
    ],
)  # fmt: skip
def test_a_missing_await_is_seen(source: str, message: str, column: int) -> None:
    line = 2 if "\n" in source else 1
    assert "await" in hint(source, "TypeError", message, line, column if line == 1 else 15)


def test_an_awaited_result_is_no_promise() -> None:
    told = hint("const s = await tools.list_sites({}); return s.map(f)", "TypeError",
                "not a function", 1, 51)  # fmt: skip
    assert "s.map" in told
    assert "promise" not in told


def test_json_parse_of_a_value() -> None:
    source = "const r = await tools.list_sites({});\nreturn JSON.parse(r)"
    assert "without JSON.parse" in hint(source, "SyntaxError", "unexpected token: 'object'", 2, 8)


def test_await_in_a_plain_function() -> None:
    assert "async" in hint("function f() { await g() }", "SyntaxError", "expecting ';'", 1, 22)


def test_nothing_is_made_up() -> None:
    assert hint("throw new Error('x')", "Error", "x", 1, 7) == ""
    assert hint("throw 1", "", "1", None) == ""


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ("ls", "shell"),
        ("pwd && ls -la", "shell"),
        ("cat package.json | head -5", "shell"),
        ("dir C:\\", "shell"),
        ("def main():\n    return 1", "Python"),
        ("import json\nprint(json.dumps({}))", "Python"),
        ("for x in tools.list():\n    print(x)", "Python"),
        ("if x:\n    y = 1\nelse:\n    y = 2", "Python"),
        ("Please look at the weather in Paris", "text"),
    ],
)
def test_another_language_is_refused_before_it_runs(source: str, language: str) -> None:
    found = problems(source)[0]
    assert "expected JavaScript that calls tools.*" in found.message
    assert language in found.message


@pytest.mark.parametrize(
    "source",
    ["const ls = 1; return ls", "ls.x", "cat(1)", "export default 1", "x - 1", "a && b"],
)
def test_javascript_is_no_shell(source: str) -> None:
    assert not problems(source)


@pytest.mark.parametrize(
    ("source", "code", "line"),
    [
        ("tools.a({});\nreturn 1", "unawaited-call", 1),
        ("const x = 1;\ntools['a-b']({}); return x", "unawaited-call", 2),
        ("github.create({});\nreturn 1", "unawaited-call", 1),
        ("xs.forEach(async (x) => { await tools.a(x) }); return 1", "async-callback", 1),
        ("return await tools.a(x = 1)", "named-arguments", 1),
        ("const r = await tools.a({});", "nothing-returned", 1),
    ],
)
def test_advice(source: str, code: str, line: int) -> None:
    found = prepare(source, namespaces=("github",)).warnings
    assert [(each.code, each.line, each.severity) for each in found] == [(code, line, "warning")]


@pytest.mark.parametrize(
    "source",
    [
        "await tools.a({}); return 1",
        "tools.a({})",
        "tools.a({}).catch(() => {}); return 1",
        "const p = tools.a({}); return await p",
        "xs.forEach((x) => f(x)); return 1",
        "await Promise.all(xs.map(async (x) => tools.a(x))); return 1",
        "const r = await tools.a({}); console.log(r); const n = 1",
        "if (x) return 1; const r = 2",
    ],
)
def test_no_advice_where_all_is_well(source: str) -> None:
    assert prepare(source).warnings == ()


@pytest.mark.parametrize(
    ("source", "name", "message", "line", "column", "says"),
    [
        ("console.table(1)", "TypeError", "not a function", 1, 14, "console.log"),
        ("const a = []; a.fliter(f)", "TypeError", "not a function", 1, 23, "a.filter"),
        ("const orders = []; order.x", "ReferenceError", "order is not defined", 1, 20, "`orders`"),
        ("const n = 0; n += 1", "TypeError", "'n' is read-only", 1, 14, "let n"),
        ("return 1n + 1", "TypeError", "cannot convert BigInt to number", 1, 13, "Number("),
        ("const r = {}; r.a[0].b", "TypeError", "cannot read property '0' of undefined", 1, 15,
         "r.a?.[0]"),
        ("if (a and b) {}", "SyntaxError", "Unexpected identifier 'and'", 1, 7, "&&"),
        ("if (a) {} elif (b) {}", "SyntaxError", "expecting ';'", 1, 20, "else if"),
        ("return _.sum(a)", "ReferenceError", "_ is not defined", 1, 8, "no packages"),
        ("callTool('a')", "ReferenceError", "callTool is not defined", 1, 1, "tools.name"),
    ],
)  # fmt: skip
def test_common_mistakes(
    source: str, name: str, message: str, line: int, column: int, says: str
) -> None:
    assert says in hint(source, name, message, line, column)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("SELECT id, total\nFROM orders WHERE late", "SQL"),
        ("-- late ones\nselect * from orders;", "SQL"),
        ("INSERT INTO orders VALUES (1)", "SQL"),
        ("<tool_call><name>list</name></tool_call>", "markup"),
        ("const a = <div className='x'>hi</div>;", "markup"),
        ("return (\n  <b>1</b>\n);", "markup"),
    ],
)
def test_other_languages_are_named(source: str, says: str) -> None:
    found = problems(source)[0]
    assert found.code == "language"
    assert says in found.message


@pytest.mark.parametrize(
    "source", ["const a = `<b>${x}</b>`; f(", "f('<a>b</a>' + ;", "const from = select(1; // FROM"]
)
def test_text_in_a_broken_script_is_not_taken_for_a_language(source: str) -> None:
    assert problems(source)[0].code == "syntax"


def test_a_script_that_is_only_json_is_warned_of() -> None:
    assert prepare('{"tool": "list_sites", "args": {}}').warnings[0].code == "only-json"
    assert prepare("({ a: 1 })").warnings == ()
    assert prepare('({ "a": await tools.list_sites({}) }).a').warnings == ()


def test_what_intl_has_not_is_said_with_what_it_has() -> None:
    source = "return new Intl.RelativeTimeFormat('en').format(-1, 'day')"
    told = hint(source, "TypeError", "not a function", 1, 12)
    assert "Intl.RelativeTimeFormat" in told
    assert "NumberFormat" in told
