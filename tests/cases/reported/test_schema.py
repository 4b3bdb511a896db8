"""Reported cases about schemas, judged by the TypeScript compiler and by calls."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from tests.cases.reported.support import (
    declarations,
    must_accept,
    must_reject,
    reported,
    run,
    tool_of,
    tools_of,
)
from tests.cases.support import Case
from toolscript import CodeMode


@reported("C013")
async def test_a_recursive_schema_is_a_named_type(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.value == {"root": {"value": "a", "children": [{"value": "b"}]}}, result.text()
    await must_reject(
        tools_of(case), "await tools.save_tree({ root: { value: 'a', children: [{ value: 1 }] } })"
    )


@reported("C014")
async def test_mutual_recursion_emits_each_type_once(case: Case) -> None:
    tools = tools_of(case)
    text = declarations(tools)
    assert text.count("recipes?") == 1
    await must_accept(tools, "await tools.put({ r: { cats: [{ recipes: [{}] }], main: {} } })")
    await must_reject(tools, "await tools.put({ r: { main: { recipes: [{ cats: 1 }] } } })")


@reported("C015")
async def test_definitions_of_draft_7(case: Case) -> None:
    tools = tools_of(case)
    await must_accept(tools, "await tools.greet({ person: { name: 'a' } })")
    await must_reject(tools, "await tools.greet({ person: {} })")
    result = await run(tools, "return await tools.greet({ person: { name: 'a' } })")
    assert result.value == {"person": {"name": "a"}}


@reported("C017")
async def test_inline_nested_objects_keep_their_properties(case: Case) -> None:
    tools = tools_of(case)
    await must_accept(tools, "await tools.n({ nested: { value: 'x' } })")
    await must_reject(tools, "await tools.n({ nested: {} })")
    result = await run(tools, "return await tools.n({ nested: {} })")
    assert result.error is not None
    assert "nested" in result.error.message
    assert "value" in result.error.message


@reported("C018")
async def test_references_to_top_level_definitions(case: Case) -> None:
    tools = tools_of(case)
    await must_accept(
        tools, "await tools.crawl({ url: 'u', f: 'bm25', kinds: ['file', 'member'] })"
    )
    await must_reject(
        tools,
        "await tools.crawl({ url: 'u', f: 'other' })",
        "await tools.crawl({ url: 'u', kinds: 'file' })",
    )


@reported("C019")
async def test_one_bad_reference_leaves_the_other_tools_alone(case: Case) -> None:
    codemode = CodeMode(tools_of(case))
    assert any("upload" in warning for warning in codemode.contract.warnings)
    async with codemode:
        result = await codemode.run("return [await tools.upload({ p: 'x' }), await tools.list({})]")
    assert result.value == [{"variant": {}}, []], result.text()


@reported("C020")
async def test_properties_called_like_keywords(case: Case) -> None:
    tools = tools_of(case)
    result = await run(tools, case["input"]["script"])
    assert result.value == "t", result.text()
    await must_accept(tools, "const r = await tools.img({ q: 'x' }); const t: 'object' = r.type; t")
    await must_reject(tools, "(await tools.img({ q: 'x' })).items[0].titel")


@reported("C022")
async def test_one_of_beside_properties_keeps_both(case: Case) -> None:
    tools = tools_of(case)
    await must_accept(
        tools,
        "await tools.things({ things: [{ p1: 'a', o1: 'b' }, { p1: 'a', o2: 1 }] })",
    )
    await must_reject(
        tools,
        "await tools.things({ things: [{ o1: 'b' }] })",
        "await tools.things({ things: [{ p1: 'a' }] })",
    )


@reported("C023")
async def test_conditionals_leave_the_object_plain(case: Case) -> None:
    tools = tools_of(case)
    await must_accept(
        tools,
        "await tools.cfg({ enable: true, hostname: 'h' })",
        "await tools.cfg({ enable: false })",
    )
    await must_reject(tools, "await tools.cfg({ enable: true, other: 1 })")


@reported("C027")
async def test_descriptions_cannot_break_out(case: Case) -> None:
    tools = tools_of(case)
    await must_accept(tools, 'await tools.d({ a: "it\'s" })')
    await must_reject(tools, "hacked", "evil")


@reported("C032")
async def test_nothing_required_makes_the_argument_optional(case: Case) -> None:
    tools = tools_of(case)
    await must_accept(tools, case["input"]["script"])
    result = await run(tools, case["input"]["script"])
    assert result.value == [{}, {"server": "x"}], result.text()


@reported("C033")
async def test_a_method_discriminator_is_a_union_of_literals(case: Case) -> None:
    tools = tools_of(case)
    result = await run(tools, case["input"]["script"])
    assert result.ok, result.text()
    assert result.value["method"] == "get"
    text = declarations(tools)
    assert all(f'"{word}"' in text for word in ("get", "get_diff", "get_files"))
    await must_reject(
        tools,
        "await tools.pull_request_read({ method: 'merge', owner: 'o', repo: 'r', pullNumber: 1 })",
    )


@reported("C034")
async def test_declarations_and_a_call_compile(case: Case) -> None:
    await must_accept(
        tools_of(case),
        "interface In { a: string }\nconst given: In = { a: 'x' };\n"
        "const got: { ok: boolean } = await tools.rename_symbol(given); return got.ok;",
    )


@reported("C037")
async def test_a_deep_or_malformed_schema_spoils_only_itself(case: Case) -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(200):
        deep = {"type": "object", "properties": {"inner": deep}}
    specs = case["input"]["tools"]
    specs[0]["inputSchema"]["properties"]["x"] = deep
    tools = [tool_of(spec) for spec in specs]
    codemode = CodeMode(tools)
    assert any("bad" in warning for warning in codemode.contract.warnings)
    await must_accept(tools, "await tools.good({ a: 'x' }); await tools.deep({ x: {} })")
    await must_reject(tools, "await tools.good({ a: 1 })")


class R(BaseModel):
    inner: int | R


@reported("C038")
async def test_a_recursive_pydantic_union(case: Case) -> None:
    from langchain_core.tools import tool

    @tool
    def f(w: R) -> str:
        """Take a nested value."""
        return str(w.inner.inner if isinstance(w.inner, R) else w.inner)

    await must_accept([f], "await tools.f({ w: { inner: { inner: { inner: 3 } } } })")
    await must_reject([f], "await tools.f({ w: { inner: 'x' } })")
    result = await run([f], "return await tools.f({ w: { inner: { inner: 3 } } })")
    assert result.value == "3", result.text()
