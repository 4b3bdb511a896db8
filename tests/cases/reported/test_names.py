"""Reported cases about tool names."""

from __future__ import annotations

import pytest

from tests.cases.reported.support import js, namespaces_of, reported, run, tool_of, tools_of
from tests.cases.support import Case
from toolscript import CodeMode, ContractError


@reported("C002")
async def test_tools_of_one_identifier_never_replace_each_other(case: Case) -> None:
    with pytest.raises(ContractError) as refused:
        CodeMode(tools_of(case))
    assert "weather.get" in str(refused.value)
    assert "weather-get" in str(refused.value)

    names = [spec["name"] for spec in case["input"]["tools"]]
    script = f"return await Promise.all({js(names)}.map((name) => tools[name]({{}})))"
    result = await run(tools_of(case), script, clash="suffix")
    assert result.value == ["dot", "dash", "under"], result.text()


@reported("C004")
async def test_names_that_are_printed_can_be_called(case: Case) -> None:
    name = case["input"]["tools"][0]["name"]
    async with CodeMode(tools_of(case)) as codemode:
        told = [
            codemode.prompt(),
            (await codemode.run("return await codemode.search('library')")).text(),
            (await codemode.run(f"return await codemode.describe({js(name)})")).text(),
            (await codemode.run("return await tools.resolve_librari_id({})")).text(),
        ]
        for text in told:
            assert "tools.ctx_tools_resolve_library_id" in text or (
                "ctx_tools_resolve_library_id" in text
                and "ctx.tools.resolve_library_id" not in text
            ), text
        result = await codemode.run("return await tools.ctx_tools_resolve_library_id({})")
    assert result.value == "id"


@reported("C005")
async def test_names_become_legal_and_stay_apart(case: Case) -> None:
    with pytest.raises(ContractError, match="server-1__tool"):
        CodeMode(tools_of(case))

    codemode = CodeMode(tools_of(case), clash="suffix")
    async with codemode:
        listed = await codemode.run("return Object.keys(tools)")
        assert len(set(listed.value)) == 3
        for name in listed.value:
            called = await codemode.run(f"return await tools.{name}({{}})")
            assert called.ok, called.text()
        exact = "return [tools['3d_render'], tools['server-1__tool'], tools['server_1__tool']]"
        values = await codemode.run(f"{exact.replace(']]', ']].map((tool) => tool({}))')}")
    assert values.value == [3, 1, 2], values.text()
    assert [call.tool for call in values.calls] == ["3d_render", "server-1__tool", "server_1__tool"]


@reported("C008")
async def test_namespaces_keep_equal_names_apart(case: Case) -> None:
    result = await run(namespaces_of(case), case["input"]["script"])
    assert result.value == ["A", "B"], result.text()
    direct = await run(
        namespaces_of(case), "return [await wiki.search({}), await arxiv.search({})]"
    )
    assert direct.value == ["A", "B"], direct.text()
    with pytest.raises(ContractError, match="search"):
        CodeMode([tool_of(spec) for spec in case["input"]["tools"]])


@reported("C011")
async def test_looking_at_the_tools_calls_none(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.calls == ()
    called = await run(
        tools_of(case),
        "return [await tools.then({}), await tools.toString({}), await tools.constructor({}),"
        " await tools['__proto__']({}), Object.getPrototypeOf({}) === Object.prototype]",
    )
    assert called.value == [2, 3, 4, 5, True], called.text()
