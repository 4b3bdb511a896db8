"""What a user or a model does wrong gets a sentence that says what to do instead."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import Any

import pytest

from toolscript import (
    Authority,
    CodeMode,
    ConfigurationError,
    ContractError,
    ErrorKind,
    InputError,
    Limits,
    Namespace,
    RunFailed,
    RunResult,
    Tool,
    tool_from,
)


def search_orders(status: str, limit: int = 10) -> list[str]:
    """Orders in a state."""
    return [f"{status}-{number}" for number in range(limit)]


async def run(script: str, *tools: Any, **knobs: Any) -> RunResult:
    async with CodeMode(tools or [search_orders], **knobs) as codemode:
        return await codemode.run(script)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (42, ("42", "int", "function")),
        ("search_orders", ("'search_orders'", "str", "function")),
        ({"a": 1}, ("dict",)),
        (None, ("None",)),
    ],
)
def test_what_is_no_tool(given: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(ContractError) as refused:
        tool_from(given)
    for word in words:
        assert word in str(refused.value)


def test_a_function_without_a_name() -> None:
    with pytest.raises(ContractError, match=r"lambda.*name") as refused:
        CodeMode([lambda x: x])
    assert "Tool(" in str(refused.value) or "def" in str(refused.value)


def test_two_tools_of_one_identifier() -> None:
    tools = [
        Tool(name, "", {"type": "object"}, None, lambda args, context: None)
        for name in ("get-user", "get_user")
    ]
    with pytest.raises(ContractError) as refused:
        CodeMode(tools)
    assert "'get-user'" in str(refused.value)
    assert "'get_user'" in str(refused.value)
    assert "clash" in str(refused.value)


def test_a_namespace_that_is_no_name() -> None:
    with pytest.raises(ContractError, match="my server"):
        CodeMode([Namespace("my server", [search_orders])])


def test_a_knob_a_limit_and_a_profile_that_do_not_exist() -> None:
    with pytest.raises(ConfigurationError, match=r"'paralel'.*parallel"):
        CodeMode([], paralel="all")
    with pytest.raises(ConfigurationError, match=r"one of 'all', 'reads', 'serial'"):
        CodeMode([], parallel="some")
    with pytest.raises(ConfigurationError, match=r"'wall_sec'.*wall_s"):
        CodeMode([], limits={"wall_sec": 3})
    with pytest.raises(ConfigurationError, match="wall_s must be above 0"):
        Limits(wall_s=0)
    with pytest.raises(ConfigurationError, match=r"'strict'.*'default'"):
        CodeMode([], profile="strict")


async def test_a_result_that_has_no_json_form() -> None:
    def connect() -> Any:
        """Connect."""
        return {"rows": [1, threading.Lock()]}

    result = await run("return await tools.connect({})", connect)
    assert result.error is not None
    assert result.error.tool == "connect"
    assert "$.rows[1]" in result.error.message
    assert "lock" in result.error.message
    assert result.calls[0].error is not None
    assert result.calls[0].error.code == "invalid_result"


async def test_a_value_that_has_no_json_form() -> None:
    result = await run("return { rows: [1, { when: () => 1 }] }")
    assert result.error is not None
    assert result.error.kind == ErrorKind.INVALID_OUTPUT
    assert "$.rows[1].when" in result.error.message
    assert "function" in result.error.message


async def test_a_syntax_error_has_its_place_an_excerpt_and_a_caret() -> None:
    result = await run(
        "const orders = [];\nconst late = orders.filter((o => o.late);\nreturn late;"
    )
    error = result.error
    assert error is not None
    assert error.kind == ErrorKind.SYNTAX
    assert error.line == 2
    assert error.column is not None
    code, caret = error.excerpt.splitlines()
    assert code == "const late = orders.filter((o => o.late);"
    assert caret.strip() == "^"
    assert error.excerpt in result.text()


async def test_an_unknown_tool_names_the_nearest() -> None:
    result = await run("return await tools.search_order({ status: 'late' })")
    assert result.error is not None
    assert "search_order" in result.error.message
    assert re.search(r"search_orders\b", result.text())


async def test_a_wrong_argument_names_property_value_and_what_is_allowed() -> None:
    result = await run("return await tools.search_orders({ state: 'late', limit: 'ten' })")
    assert result.error is not None
    for word in ("status", "state", "limit", "integer"):
        assert word in result.error.message


async def test_a_script_that_returns_nothing_says_so() -> None:
    result = await run("const orders = 1;", source="body")
    assert result.ok
    assert result.text()
    nothing = await run("for (const x of []) {}")
    assert not nothing.has_value
    assert "return" in nothing.text()


def get_customer() -> dict[str, Any]:
    """A customer."""
    return {"id": 1, "name": "ada", "address": {"city": "Paris"}}


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("customer.nme", "`customer.nme` is undefined"),
        ("customer.nme", "did you mean `name`?"),
        ("customer.nme", "get_customer returned { id: number; name: string"),
        ("customer.address.ciity", "did you mean `city`?"),
    ],
)
async def test_a_field_that_no_result_has_is_named(returned: str, told: str) -> None:
    result = await run(
        f"const customer = await tools.get_customer();\nreturn {returned};", get_customer
    )
    assert result.ok
    assert told in result.text()


@pytest.mark.parametrize(
    "script",
    [
        "await tools.get_customer();",
        "const c = await tools.get_customer(); return ({}).name;",
        "const c = { a: 1 }; return c.b;",
        "const c = await tools.get_customer(); return c.name;",
    ],
)
async def test_what_may_well_be_undefined_gets_no_warning(script: str) -> None:
    assert (await run(script, get_customer)).warnings == ()


@pytest.mark.parametrize(
    "script",
    [
        "let s = 'xxxxxxxx'; for (;;) s += s;",
        "return new Array(2 ** 32);",
        "return new Array(-1);",
        "return 'x'.repeat(2 ** 31);",
    ],
)
async def test_a_length_that_cannot_be_gets_advice(script: str) -> None:
    result = await run(script)
    assert result.error is not None
    assert result.error.kind in (ErrorKind.EXCEPTION, ErrorKind.MEMORY)
    assert result.error.hint


async def test_an_empty_script() -> None:
    result = await run("   ")
    assert result.error is not None
    assert "empty" in result.error.message


async def test_program_input_that_is_missing_wrong_or_not_wanted() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    async with CodeMode([], input_schema=schema) as codemode:
        with pytest.raises(InputError, match="input="):
            await codemode.run("return input")
        with pytest.raises(InputError, match="id"):
            await codemode.run("return input", input={"id": "one"})
        assert (await codemode.run("return input", input={"id": 1})).value == {"id": 1}
    async with CodeMode([]) as codemode:
        with pytest.raises(InputError, match="no program input"):
            await codemode.run("return 1", input=None)


async def test_unwrap_of_a_failed_run() -> None:
    result = await run("throw new TypeError('no good')")
    with pytest.raises(RunFailed, match="no good") as failed:
        result.unwrap()
    assert failed.value.result is result


async def test_a_limit_says_its_name_what_is_allowed_and_what_was_seen() -> None:
    result = await run("return 'x'.repeat(2000)", limits={"value_bytes": 1000})
    error = result.error
    assert error is not None
    assert (error.limit, error.allowed) == ("value_bytes", 1000)
    assert error.seen is not None
    assert error.seen >= 2000
    assert "value_bytes" in error.message


async def test_a_tool_that_takes_too_long_is_named() -> None:
    async def sleepy() -> None:
        """Sleep."""
        await asyncio.sleep(30)

    result = await run("await tools.sleepy({})", sleepy, limits={"wall_s": 0.3})
    assert result.error is not None
    assert result.error.kind == ErrorKind.TIMEOUT
    assert [(call.tool, call.status) for call in result.calls] == [("sleepy", "cancelled")]


@pytest.mark.parametrize(
    "script",
    [
        "return await tools.list_parts({})",
        "return await tools.list_part({})",
        "return await shop.list_parts({})",
        'return await tools["list-parts"]({})',
    ],
)
async def test_a_tool_of_another_namespace_is_named_with_it(script: str) -> None:
    def list_parts() -> int:
        """Count."""
        return 1

    async with CodeMode({"stock": [list_parts], "shop": [search_orders]}) as codemode:
        result = await codemode.run(script)
    assert not result.ok
    assert "Did you mean stock.list_parts?" in result.text()


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("const x = 1;\nthrow 'nope';", 2),
        ("const x = 1;\nif (x) {\n  throw { code: 7 };\n}\nreturn 1;", 3),
        ("const x = 1;\nreturn { a: () => x };", 2),
        ("const f = () => { return 1 };\nreturn [f];", 2),
        ("const f = () => 1;\n[f]", 2),
        ("async () => {\n  return { a: () => 1 };\n}", 2),
        ("if (Math.random() < 2) return { a: () => 1 };\nreturn 1;", None),
        ("try { null.x } catch (e) { throw 'a' }\nthrow 'b';", None),
    ],
)
async def test_a_value_that_ends_the_script_has_a_line_where_one_is_sure(
    script: str, line: int | None
) -> None:
    result = await run(script)
    assert result.error is not None
    assert result.error.line == line
    assert (f"at line {line}" in result.text()) == (line is not None)


def test_an_unknown_keyword_is_told_with_all_that_are_known() -> None:
    unknown: Any = {"nme": "code"}
    with pytest.raises(ConfigurationError, match=r"CodeMode\(\).*'nme'.*\btools, profile") as told:
        CodeMode([], **unknown)
    assert "track_lines" in str(told.value)


def test_an_authority_in_the_place_of_a_budget() -> None:
    ada: Any = Authority(principal="ada")
    with pytest.raises(ConfigurationError, match=r"prompt\(max_tokens=\).*write authority="):
        CodeMode([]).prompt(ada)
