"""Scripts as models write them against declarations: what should compile does, what should not
does not, with the declarations that a model reads and with those of the checker."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import pytest

from tests.tsc import in_function, problems
from toolscript import CodeMode, ErrorClass, GlobalFunction, Namespace, Tool

S: Final = {"type": "string"}
N: Final = {"type": "number"}


def an_object(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


def tool(name: str, given: Any, result: Any = None) -> Tool:
    return Tool(name, "Does it.", given, result, lambda arguments, context: None)


NODE: Final = {
    "Node": an_object(
        "value", value=S, children={"type": "array", "items": {"$ref": "#/$defs/Node"}}
    )
}
PETS: Final = {
    "Cat": an_object("kind lives", kind={"const": "cat"}, lives=N),
    "Dog": an_object("kind name", kind={"const": "dog"}, name=S),
}


@cache
def engine() -> CodeMode:
    named = an_object("a", a=N)
    item = an_object("id", id=N, type=S, items={"type": "array", "items": S})
    return CodeMode(
        [
            tool(
                "save_tree",
                {**an_object("root", root={"$ref": "#/$defs/Node"}), "$defs": NODE},
                {"$ref": "#/$defs/Node", "$defs": NODE},
            ),
            tool(
                "list_pets",
                an_object(),
                {
                    "$defs": PETS,
                    "type": "array",
                    "items": {"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]},
                },
            ),
            tool(
                "page",
                an_object("", cursor={"anyOf": [S, {"type": "null"}]}, limit={"type": "integer"}),
                an_object(
                    "items",
                    items={"type": "array", "items": item},
                    next={"anyOf": [S, {"type": "null"}]},
                ),
            ),
            tool(
                "meta",
                an_object(
                    "values",
                    values={"type": "object", "additionalProperties": {"anyOf": [S, N]}},
                ),
                {"type": "object", "additionalProperties": N},
            ),
            tool(
                "pair",
                an_object(
                    "at",
                    at={"type": "array", "prefixItems": [N, N], "items": False, "minItems": 2},
                ),
                {"type": "array", "prefixItems": [S, N], "items": False, "minItems": 2},
            ),
            tool("read", an_object("method", method={"enum": ["get", "diff"]}, page=N)),
            *(tool(name, named, N) for name in ("constructor", "new", "then", "delete", "my-v.2")),
            tool("shell", an_object("command", command=S, timeout=N), S),
            tool("nothing", an_object(), {"type": "null"}),
            tool(
                "either",
                {
                    **an_object("", id=N, name=S),
                    "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
                },
                N,
            ),
            tool("maybe", an_object(), {"anyOf": [an_object("a", a=S), {"type": "null"}]}),
            Namespace(
                "github",
                [tool("create_issue", an_object("title", title=S), an_object("number", number=N))],
                error_class=ErrorClass("GitHubError", "member"),
            ),
        ],
        globals=[
            GlobalFunction(
                "host.sum", print, input_schema={"type": "array", "items": N}, output_schema=N,
                spread=True,
            ),
            GlobalFunction("pick", print, signature="(kind: string, id?: string): Promise<string[]>"),
        ],
        shortcuts={"sh": "shell"},
        input_schema=an_object("task", task=S, tags={"type": "array", "items": S}),
    )  # fmt: skip


RIGHT: Final = [
    'interface R { value: string; children?: R[] } const r: R = { value: "a" }; await tools.save_tree({ root: r });',
    'const t = await tools.save_tree({ root: { value: "a" } }); return t.children?.[0]?.children?.[0]?.value.length;',
    'for (const p of await tools.list_pets()) { if (p.kind === "cat") p.lives.toFixed(); else p.name.trim(); }',
    "const pets = await tools.list_pets(); pets.sort((a, b) => a.kind.localeCompare(b.kind)); pets.push(...pets);",
    "let cursor: string | null | undefined = null; const all: number[] = [];"
    " do { const p = await tools.page({ cursor, limit: 5 }); all.push(...p.items.map((i) => i.id)); cursor = p.next; } while (cursor); return all;",
    'const p = await tools.page(); p.items[0].items?.join(","); p.items[0].type?.trim();',
    "const values: Record<string, number> = {}; values.a = 1; const m = await tools.meta({ values }); return Object.values(m).reduce((a, b) => a + b, 0);",
    "const at: [number, number] = [1, 2]; const [name, n] = await tools.pair({ at }); name.trim(); n.toFixed();",
    'const r: any = await tools.read({ method: "get" }); r.whatever.you.like;',
    "await tools.constructor({ a: 1 }); await tools.new({ a: 1 }); await tools.then({ a: 1 }); await tools.delete({ a: 1 }); await tools.my_v_2({ a: 1 });",
    'await tools.shell("ls"); await tools.shell({ command: "ls", timeout: 5 }); await sh("ls");',
    "const n: null = await tools.nothing(); await tools.nothing({}); return n;",
    'await tools.either({ id: 1 }); await tools.either({ name: "x" }); await tools.either({ id: 1, name: "x" });',
    "const o = await tools.maybe(); if (o) o.a.trim(); return o?.a;",
    'try { (await github.create_issue({ title: "a" })).number.toFixed(); } catch (e) {'
    " if (e instanceof GitHubError) e.member.trim(); else if (e instanceof ToolError) e.tool.trim(); else throw e; }",
    '(await host.sum(1, 2, 3)).toFixed(); (await pick("a"))[0].trim(); (await pick("a", "b")).length;',
    "input.task.trim(); return input.tags?.map((t) => t.trim());",
    "type A = Parameters<typeof tools.page>[0]; type R = Awaited<ReturnType<typeof tools.page>>; const a: A = { limit: 1 }; const r: R = await tools.page(a); return r.next;",
    "const all = await Promise.all([1, 2].map((limit) => tools.page({ limit }))); return all.flatMap((r) => r.items).filter((i) => i.id > 1);",
    'const done = await Promise.allSettled([tools.page(), tools.nothing()]); for (const s of done) if (s.status === "rejected") console.log(s.reason);',
    'store("k", { a: 1 }); load("k")?.a; await sleep(1); progress("x", 0.5); emit({}); text("x"); image("aGk=", "image/png");',
]

WRONG: Final = [
    "await tools.save_tree({ root: { value: 1 } });",
    'await tools.save_tree({ root: { value: "a", children: [{}] } });',
    "for (const p of await tools.list_pets()) p.lives;",
    "(await tools.page()).next.length;",
    'await tools.page({ limit: "5" });',
    "await tools.page({ curser: null });",
    "await tools.meta({ values: { a: true } });",
    "await tools.meta({});",
    "await tools.pair({ at: [1] });",
    "const [a, b, c] = await tools.pair({ at: [1, 2] });",
    'await tools.read({ method: "post" });',
    '(await tools.read({ method: "get" })).title;',
    "await tools.constructor({});",
    "await tools.new();",
    'await tools.then({ a: "x" });',
    "await tools.shell({ timeout: 5 });",
    "await tools.either({});",
    "(await tools.maybe()).a;",
    'await github.creat_issue({ title: "a" });',
    'await host.sum("a");',
    "await pick();",
    'input.task = "x";',
    'input.tags!.push("x");',
    'fetch("x");',
    "process.exit();",
    "tools.page().items;",
    "await sh();",
    'store("k");',
]


@cache
def verdicts() -> dict[str, list[tuple[int, str]]]:
    contract = engine().contract
    return problems(
        {
            f"{which} {snippet}": in_function(declarations, snippet)
            for which, declarations in (
                ("read", contract.declarations),
                ("check", contract.checked),
            )
            for snippet in (*RIGHT, *WRONG)
        }
    )


@pytest.mark.parametrize("which", ["read", "check"])
@pytest.mark.parametrize("snippet", RIGHT)
def test_what_should_compile(which: str, snippet: str) -> None:
    assert verdicts()[f"{which} {snippet}"] == []


@pytest.mark.parametrize("which", ["read", "check"])
@pytest.mark.parametrize("snippet", WRONG)
def test_what_should_not_compile(which: str, snippet: str) -> None:
    assert verdicts()[f"{which} {snippet}"]
