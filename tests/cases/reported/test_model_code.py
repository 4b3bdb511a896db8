"""Reported cases about the code that models write."""

from __future__ import annotations

import pytest

from tests.cases.reported.support import reported, run, run_each, tools_of
from tests.cases.support import Case, same
from toolscript import ErrorKind


@reported("C063")
async def test_code_among_prose_and_stop_tags(case: Case) -> None:
    results = await run_each([], case["input"]["scripts"])
    assert [result.value for result in results] == ["valid", "valid"], results[1].text()
    kept = await run([], "return 'a\\n```js\\nb```' + `\n\\`\\`\\`ts`")
    assert kept.value == "a\n```js\nb```\n```ts", kept.text()


@reported("C064")
async def test_a_script_that_ends_in_an_assignment(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert "3" in result.text(), result.text()


@reported("C065")
async def test_a_last_expression_over_several_lines(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.ok, result.text()
    assert '"total": 1' in result.text() or '"total":1' in result.text()


@reported("C066")
async def test_every_form_of_default_export(case: Case) -> None:
    results = await run_each([], case["input"]["scripts"])
    for script, result in zip(case["input"]["scripts"], results, strict=True):
        assert result.value == {"ok": True}, (script, result.text())


@reported("C067")
async def test_promises_in_the_result_are_settled(case: Case) -> None:
    results = await run_each(tools_of(case), case["input"]["scripts"])
    assert [result.value for result in results] == [1, 1, 1, 1, [1, {"a": 1}]]


@reported("C069")
async def test_awaiting_and_chaining_helpers(case: Case) -> None:
    for await_helper in ("await codemode.search('a')", "codemode.search('a').then((r) => r)"):
        assert (await run(tools_of(case), f"return {await_helper}.catch?.(() => null) ?? 1")).ok
    logged = await run(tools_of(case), case["input"]["scripts"][2])
    assert logged.value == 1, logged.text()


@reported("C070")
async def test_typescript_is_erased(case: Case) -> None:
    wanted = ["1", 1, 2, [1, 2], 1, 4]
    results = await run_each([], case["input"]["scripts"])
    for script, value, result in zip(case["input"]["scripts"], wanted, results, strict=True):
        if "enum " in script or "private readonly" in script:
            # Not erasable: refused with the line and what to write instead.
            assert result.error is not None, script
            assert result.error.kind == ErrorKind.SYNTAX
            assert result.error.line is not None
            assert result.error.hint or "instead" in result.error.message, result.error
        else:
            assert same(result.value, value), (script, result.text())


@reported("C071")
async def test_what_is_absent_is_named_and_what_is_there_works(case: Case) -> None:
    results = await run_each([], case["input"]["scripts"])
    for absent, result in zip(("require", "axios", "fetch", "process"), results, strict=False):
        assert not result.ok, absent
        assert absent in result.text()
        assert "tools" in result.text(), result.text()
    assert [result.value for result in results[5:]] == [{"a": 1}, "1", "YQ=="]
    assert "Buffer" in results[4].text()


@reported("C072")
async def test_shell_commands_are_refused_with_a_reason(case: Case) -> None:
    for result in await run_each([], case["input"]["scripts"]):
        assert result.error is not None
        assert "JavaScript" in result.text(), result.text()
    assert (await run([], "const ls = 1; return ls")).value == 1


@reported("C073")
async def test_timers(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.value is True, result.text()
    waiting = await run([], "await sleep(400); return 1", limits={"cpu_s": 0.2})
    assert waiting.value == 1, waiting.text()
    late = await run([], "await sleep(5000); return 1", limits={"wall_s": 0.2})
    assert late.error is not None
    assert late.error.kind == ErrorKind.TIMEOUT


@reported("C074")
async def test_values_and_logs_both_arrive(case: Case) -> None:
    logged, returned, both, many = await run_each([], case["input"]["scripts"])
    assert '"a"' in logged.text() or "a: 1" in logged.text()
    assert [item.stream for item in logged.output] == ["stdout", "stderr"]
    assert returned.text() == '{"a":1}'
    assert '{"a":1}' in both.text()
    assert "l" in [item.text for item in both.output]
    assert many.error is None or many.error.kind == ErrorKind.OUTPUT_LIMIT
    assert len(many.text(max_tokens=1000)) <= 4 * 1000


@reported("C075")
@pytest.mark.parametrize("index", range(3))
async def test_double_escaped_newlines(case: Case, index: int) -> None:
    wanted = (3, 4, 7)[index]
    result = await run([], case["input"]["scripts"][index])
    assert result.value == wanted, result.text()


@reported("C079")
async def test_positional_arguments(case: Case) -> None:
    one, two, three = await run_each(tools_of(case), case["input"]["scripts"])
    assert one.value == {"city": "Paris"}, one.text()
    assert two.value == {"city": "Paris", "unit": "c"} or (
        two.error is not None and "{" in two.error.message
    ), two.text()
    assert three.value == {"city": "Paris"} or (
        three.error is not None and "{" in three.error.message
    ), three.text()


@reported("C080")
async def test_misspelt_argument_names(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    if result.ok:
        assert result.value == {"source-root": "/x", "page_size": 5}
        assert result.calls[0].note
    else:
        assert "source-root" in result.text()
        assert "page_size" in result.text()


@reported("C081")
async def test_objects_sent_as_json_strings(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.value == {"data": {"name": "J"}, "terms": ["a"]}, result.text()
    assert result.calls[0].note
    refused = await run(tools_of(case), "return await tools.u({ data: 'no json' })")
    assert not refused.ok
    strings = await run(tools_of(case), "return await tools.u({ data: { name: '{\"a\":1}' } })")
    assert strings.value == {"data": {"name": '{"a":1}'}}


@reported("C083")
async def test_a_wrong_idea_of_a_result_is_shown_the_real_shape(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.error is not None
    assert result.error.name == "TypeError"
    assert "data" in result.text(), result.text()
    assert "items" in result.text(), result.text()


@reported("C084")
async def test_unknown_outer_arguments_are_ignored(case: Case) -> None:
    from toolscript import CodeModeTool

    called = case["input"]["provider_tool_call"]
    tool = CodeModeTool([], name=called["name"])
    for arguments in (called["arguments"], {"script": "return 1"}, {"source": "return 1"}):
        message = await tool.ainvoke(
            {"type": "tool_call", "id": "1", "name": called["name"], "args": arguments}
        )
        assert message.text == "1", (arguments, message)


@reported("C086")
async def test_escapes_arrive_as_they_were_written(case: Case) -> None:
    result = await run(tools_of(case), case["input"]["script"])
    assert result.value == 'a\tb\\c"dé\n\u2028\U0001f642', result.text()
    lone = await run(tools_of(case), "return (await tools.w({ s: 'a\\ud800b' })).s.length")
    assert lone.ok, lone.text()
