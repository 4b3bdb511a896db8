"""Declarations of whole contracts: complete, sorted, the same every time, true to the calls."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tsc import in_function, problems
from toolscript import (
    CodeMode,
    ContractError,
    Decision,
    ErrorClass,
    GlobalFunction,
    Manifest,
    Namespace,
    Policy,
    Tool,
    ToolOptions,
    mcp_structured_content_schema,
    render_declarations,
    render_tool_output_type,
    render_tool_sample,
    render_tool_signature,
)
from toolscript.contract.declarations import MCP_TYPESCRIPT_PREAMBLE
from toolscript.contract.declare import declare_contract, declare_tool
from toolscript.contract.entry import Entry
from toolscript.contract.fingerprint import contract_fingerprint
from toolscript.contract.names import ToolGroup, name_tools, tool_identifier
from toolscript.contract.signature import Manner
from toolscript.contract.strict import require_exact

STRING: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}


def closed(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


def call(args: Any, context: Any) -> Any:
    raise AssertionError("declaring calls nothing")


def tool(name: str, given: Any = True, result: Any = None, **options: Any) -> Tool:
    return Tool(name, f"Does {name}.", given, result, call, ToolOptions(**options))


def entries(*tools: Tool, **spaces: list[Tool]) -> tuple[Entry, ...]:
    groups = [ToolGroup(None, tools), *(ToolGroup(name, some) for name, some in spaces.items())]
    return name_tools(groups).entries


def wrong(declarations: str, *statements: str, **options: Any) -> list[str]:
    """Those statements that do not compile; the declarations must."""
    modules = {each: in_function(declarations, each) for each in statements}
    found = problems({"": in_function(declarations), **modules}, **options)
    assert found[""] == [], found[""]
    return [each for each in statements if found[each]]


def catalogue(shared: Path) -> list[ToolGroup]:
    def group(name: str, specs: list[dict[str, Any]]) -> ToolGroup:
        return ToolGroup(
            tool_identifier(f"at {name}"),
            [
                Tool(
                    spec["name"],
                    spec.get("description") or "",
                    spec.get("inputSchema") or True,
                    spec.get("outputSchema"),
                    call,
                )
                for spec in specs
            ],
        )

    folder = shared / "data" / "mcp_catalogs"
    servers = json.loads((folder / "live_servers.json").read_text())
    return [
        group("github", json.loads((folder / "github.json").read_text())),
        *(group(server["server"], server["tools"]) for server in servers),
    ]


def test_every_tool_of_the_catalogues_compiles(shared: Path) -> None:
    named = name_tools(catalogue(shared), clash="suffix").entries
    assert len(named) > 450
    text = declare_contract(named)
    modules = {"all": text, "every name": declare_contract(named, every_name=True)}
    modules |= {str(entry.index): declare_tool(entry) for entry in named}
    assert {name: found[:2] for name, found in problems(modules).items() if found} == {}
    assert declare_contract(named[::-1]) == text
    schemas = [
        {
            "name": entry.tool.name,
            "description": entry.tool.description,
            "parameters": entry.tool.input_schema,
        }
        for entry in named
    ]
    assert len(text) < len(json.dumps(schemas))


def test_the_same_text_and_fingerprint_in_another_process(shared: Path) -> None:
    program = (
        "from pathlib import Path; from tests.contract.test_declare import *;"
        f"named = name_tools(catalogue(Path({str(shared)!r})), clash='suffix').entries;"
        "print(contract_fingerprint(named), hash(declare_contract(named).encode()) and "
        "__import__('hashlib').sha256(declare_contract(named).encode()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).resolve().parents[2],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_calls_that_fit_and_calls_that_do_not() -> None:
    search = tool(
        "search", closed({"q": STRING, "limit": NUMBER}, ["q"]), {"type": "array", "items": STRING}
    )
    text = declare_contract(
        entries(search, tool("ping"), tool("my-tool", closed({}), NUMBER), github=[search])
    )
    good = [
        "(await tools.search({ q: 'x' })).map((each) => each.length);",
        "await tools.search('x');",
        "await github.search({ q: 'x', limit: 1 });",
        "await tools.ping();",
        "await tools.my_tool();",
        "await tools.my_tool({});",
    ]
    bad = [
        "await tools.search({});",
        "await tools.search();",
        "await tools.search({ q: 1 });",
        "await tools.search({ q: 'x', other: 1 });",
        "(await tools.search({ q: 'x' })).foo;",
        "tools.search({ q: 'x' }).length;",
        "await github.ping();",
        "await tools['my-tool']();",
        "await tools.search('x', { limit: 1 });",
    ]
    assert wrong(text, *good, *bad) == bad
    checked = declare_contract(
        entries(search, tool("my-tool", closed({})), github=[search]), every_name=True
    )
    works = [
        "await tools['my-tool']();",
        "await tools.search('x', { limit: 1 });",
        "await tools.github.search('x');",
    ]
    assert wrong(checked, *works, "await tools.search('x', { q: 1 });") == [
        "await tools.search('x', { q: 1 });"
    ]


def test_a_checker_knows_every_spelling() -> None:
    tools = [tool("my-tool", closed({}), NUMBER), tool("call", closed({"q": STRING}), NUMBER)]
    sources: list[Any] = ["auto", "module"]
    for source in sources:
        engine = CodeMode([*tools, Namespace("github", tools)], source=source)
        good = [
            "const n: number = await codemode.my_tool();",
            "const n: number = await codemode['my-tool']();",
            "const n: number = await tools.call({ q: 'x' });",
            "(await codemode.search('x', { limit: 3 })).map((each) => each.declaration);",
            "tools.list().map((each) => each.name);",
            "await tools.github.my_tool();",
        ]
        bad = ["await codemode.serch('x');", "await tools.call(1);"]
        assert wrong(engine.contract.checked, *good, *bad) == bad
    assert "codemode" not in CodeMode(tools).declarations()


def test_names_that_need_care_are_members() -> None:
    names = ["then", "constructor", "__proto__", "toString", "new", "class", "get", "readonly"]
    text = declare_contract(entries(*(tool(name, closed({}), NUMBER) for name in names)))
    calls = [f"const n: number = await tools.{name}();" for name in names]
    assert wrong(text, *calls, "await tools.valueOf2();") == ["await tools.valueOf2();"]


def test_shared_and_recursive_types_are_named_once() -> None:
    definitions = {
        "Node": {
            "type": "object",
            "properties": {
                "value": STRING,
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
            "required": ["value"],
        }
    }
    tree = {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/Node"}},
        "required": ["root"],
        "$defs": definitions,
    }
    other = {
        "$ref": "#/$defs/Node",
        "$defs": {"Node": closed({"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}})},
    }
    text = declare_contract(
        entries(tool("save", tree), tool("load", True, tree), tool("odd", other))
    )
    assert text.count("type Node =") == 1
    assert wrong(
        text,
        "await tools.save({ root: { value: 'a', children: [{ value: 'b' }] } });",
        "await tools.save({ root: { value: 'a', children: [{}] } });",
        "await tools.odd({ next: { next: null } });",
        "await tools.odd({ next: { value: 'a' } });",
    ) == [
        "await tools.save({ root: { value: 'a', children: [{}] } });",
        "await tools.odd({ next: { value: 'a' } });",
    ]


def test_comments_tell_how_a_tool_behaves() -> None:
    text = declare_contract(
        entries(
            tool("read", read_only=True, examples=({"q": "x"},)),
            tool("drop", destructive=True, requires_approval=True, hidden=False),
            tool("set", idempotent=True, requires_approval=lambda args: True),
            tool("old", manifest=Manifest(effects=frozenset({"b", "a"}), maturity="deprecated")),
            tool("secret", hidden=True),
        ),
        manner=Manner(effects=True),
    )
    for words in (
        "Read-only.",
        '@example await tools.read({"q": "x"})',
        "Destructive. Requires approval.",
        "Idempotent. May require approval.",
        "Effects: a, b.",
        "@deprecated",
    ):
        assert words in text
    assert "secret" not in text
    assert "Effects" not in declare_contract(entries(tool("x", manifest=Manifest(frozenset("a")))))


def test_namespaces_bring_descriptions_and_error_classes() -> None:
    github = Namespace(
        "github", [tool("a")], "Issues and code.", ErrorClass("GithubError", "tool name")
    )
    codemode = CodeMode([github, tool("b")])
    text = codemode.declarations()
    assert "/** Issues and code. */\ndeclare const github" in text
    statement = "try { await github.a(); } catch (e) { if (e instanceof GithubError) { const n: string = e['tool name']; const c: string = e.code; } }"
    assert wrong(text, statement) == []


def test_program_input_is_readonly_all_the_way() -> None:
    text = declare_contract(
        (), input_schema=closed({"rows": {"type": "array", "items": closed({"n": NUMBER})}})
    )
    good = "const n: number | undefined = input.rows.map((row) => row.n)[0];"
    bad = [
        "input.rows = [];",
        "input.rows.push({ n: 1 });",
        "input.rows[0]!.n = 2;",
        "input.other;",
    ]
    assert wrong(text, good, *bad) == bad


def test_argument_types_are_bounded() -> None:
    wide = closed({f"property_{n}": STRING for n in range(2_000)}, [])
    text = declare_contract(entries(tool("wide", wide), tool("small", closed({"a": STRING}))))
    assert len(text) < 1_000
    assert "wide(args?: unknown)" in text
    assert "property_1999" in declare_contract(
        entries(tool("wide", wide)), manner=Manner(max_chars=None)
    )


SHAPE = {
    "oneOf": [
        closed({"kind": {"type": "string", "const": "circle"}, "r": NUMBER}),
        closed({"kind": {"type": "string", "const": "square"}, "s": NUMBER}),
    ]
}


def test_exact_arguments_and_readonly_results() -> None:
    nested = closed(
        {
            "tags": {"type": "array", "items": STRING},
            "n": closed({"x": NUMBER, "y": NUMBER}, ["x"]),
            "rows": {"type": "array", "items": closed({"id": STRING})},
        },
        ["tags"],
    )
    some = entries(
        tool("put", nested, closed({"xs": {"type": "array", "items": STRING}})),
        tool("draw", closed({"shape": SHAPE}), STRING),
        tool("top", SHAPE, STRING),
        tool("none", closed({}), STRING),
    )
    require_exact(some)
    text = declare_contract(some, manner=Manner(exact=True, string_argument=False), form="module")
    text += "\ndeclare const t: Tools;"
    good = [
        "await t.put({ tags: ['x'] });",
        "const v = { tags: ['x'], n: { x: 1 } }; await t.put(v);",
        "const rows = [1].map((n) => ({ id: String(n) })); await t.put({ tags: [], rows });",
        "await t.put({ tags: [], n: Math.random() > 0.5 ? { x: 1 } : { x: 1, y: 2 } });",
        "await t.draw({ shape: { kind: 'circle', r: 1 } });",
        "await t.top({ kind: 'square', s: 1 });",
        "await t.none(); await t.none({});",
        "(await t.put({ tags: [] })).xs.map((x) => x.length);",
    ]
    bad = [
        "const v = { tags: ['x'], z: 1 }; await t.put(v);",
        "const v = { tags: ['x'], n: { x: 1, q: 1 } }; await t.put(v);",
        "const v = { tags: [], rows: [{ id: 'a', z: 1 }] }; await t.put(v);",
        "await t.put({ tags: [1] });",
        "const s = { kind: 'circle' as const, r: 1, s: 2 }; await t.draw({ shape: s });",
        "const s = { kind: 'circle' as const, r: 1, z: 2 }; await t.top(s);",
        "const o = { a: 1 }; await t.none(o);",
        "(await t.put({ tags: [] })).xs.push('a');",
        "(await t.put({ tags: [] })).xs = [];",
    ]
    for options in ({}, {"exactOptionalPropertyTypes": True}):
        assert wrong(text, *good, *bad, **options) == bad


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        (tool("a", {"type": "object"}, STRING), r"input of tool 'a'.*additionalProperties.* at \$"),
        (
            tool("a", closed({"b": {"enum": ["x"]}}), STRING),
            r"`type` must be.* at \$\.properties\.b",
        ),
        (tool("a", closed({"b": {"type": "string", "pattern": "x"}}), STRING), "`pattern`"),
        (tool("a", closed({}), None), "no output schema"),
        (tool("a", closed({}), {"anyOf": [STRING, NUMBER]}), "output of tool 'a'.*branches"),
        (replace(tool("a", closed({}), STRING), description=" "), "no description"),
    ],
)
def test_strict_contracts_refuse_with_tool_and_place(tool: Tool, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        CodeMode([tool], profile="contract")


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ([tool("-a")], "id of a binding"),
        ([tool("a", {"enum": ["x" * 65_536]})], "input schema of tool 'a' has 65"),
        ([tool("a", True, {"default": float("nan")})], "output schema of tool 'a' is no JSON"),
    ],
)
def test_tools_of_constrained_contracts_are_bounded(tools: list[Tool], message: str) -> None:
    policy = Policy(authorize=lambda request: Decision("allow"), version="1")
    with pytest.raises(ContractError, match=message):
        CodeMode(tools, profile="constrained", policy=policy)
    CodeMode([tool("a")], profile="constrained", policy=policy)


def test_fingerprints_follow_the_contract() -> None:
    a, b = tool("a", closed({"x": STRING, "y": NUMBER})), tool("b")
    base = contract_fingerprint(entries(a, b))
    backwards = closed({"y": NUMBER, "x": STRING}, ["x", "y"])
    same = [
        entries(b, a),
        entries(replace(a, call=lambda args, context: 1), b),
        entries(replace(a, input_schema=backwards), b),
        entries(replace(a, options=ToolOptions(timeout=3.0, tags=frozenset({"t"}))), b),
    ]
    assert {contract_fingerprint(each) for each in same} == {base}
    different = [
        entries(a),
        entries(replace(a, name="c"), b),
        entries(replace(a, description="Other."), b),
        entries(replace(a, input_schema=closed({"x": STRING})), b),
        entries(replace(a, output_schema=STRING), b),
        entries(replace(a, options=ToolOptions(read_only=True)), b),
        entries(replace(a, options=ToolOptions(requires_approval=True)), b),
        entries(replace(a, options=ToolOptions(requires_approval=lambda args: True)), b),
        entries(b, space=[a]),
    ]
    found = [contract_fingerprint(each) for each in different]
    found += [base, contract_fingerprint(entries(a, b), STRING)]
    assert len(set(found)) == len(found)


MCP_RESULT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "content": {"type": "array", "items": {"type": "object"}},
        "isError": {"type": "boolean"},
        "structuredContent": {"$ref": "#/$defs/Total"},
        "_meta": {"type": "object"},
    },
    "required": ["content"],
    "$defs": {"Total": {"type": "object", "properties": {"n": NUMBER}, "required": ["n"]}},
}


def test_results_of_mcp_tools() -> None:
    assert mcp_structured_content_schema(STRING) is None
    assert mcp_structured_content_schema(None) is None
    bare = {**MCP_RESULT, "properties": dict(MCP_RESULT["properties"])}
    del bare["properties"]["structuredContent"]
    assert mcp_structured_content_schema(bare) is True
    assert render_tool_output_type(bare) == "CallToolResult"
    assert render_tool_output_type(MCP_RESULT) == "CallToolResult<{ n: number; }>"
    assert render_tool_output_type(None) == "unknown"
    text = render_declarations([tool("total", closed({}), MCP_RESULT)])
    assert MCP_TYPESCRIPT_PREAMBLE in text
    good = "const n: number | undefined = (await tools.total()).structuredContent?.n;"
    bad = "const n: string | undefined = (await tools.total()).structuredContent?.n;"
    assert wrong(text, good, bad) == [bad]


def test_renderers_for_one_tool() -> None:
    shell = tool("run-shell", closed({"command": STRING, "timeout": NUMBER}, ["command"]), STRING)
    assert render_tool_signature(shell) == (
        "run_shell(args: string | { command: string; timeout?: number; }): Promise<string>;"
    )
    assert (
        render_tool_signature(shell, input_max_chars=9)
        == "run_shell(args: unknown): Promise<string>;"
    )
    sample = render_tool_sample(shell)
    assert sample.startswith("Does run-shell.\ndeclare const tools: {")
    assert wrong(sample.partition("\n")[2], "await tools.run_shell('ls');") == []


def test_globals_are_functions_and_namespaces() -> None:
    functions = [
        GlobalFunction("greet", call, "Greets.", closed({"who": STRING}), STRING),
        GlobalFunction(
            "models.of", call, signature="(type: string, id?: string): Promise<string[]>"
        ),
        GlobalFunction(
            "models.all", call, spread=True, input_schema={"type": "array", "items": NUMBER}
        ),
    ]
    text = render_declarations(globals=functions)
    good = [
        "(await greet({ who: 'a' })).length;",
        "(await models.of('a')).length;",
        "await models.all(1, 2, 3);",
    ]
    bad = ["await greet({ who: 1 });", "await models.of();", "await models.all('x');"]
    assert wrong(text, *good, *bad) == bad
    with pytest.raises(ContractError, match="cannot be a global"):
        render_declarations(globals=[GlobalFunction("a-b", call)])
