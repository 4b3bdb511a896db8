"""Values that the embedder gives a run, and what tools give: as they are, or refused in words."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import RootModel

from toolscript import CodeMode, ConfigurationError, ErrorKind, InputError, Tool, ToolContext


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def giving(value: Any, schema: Any) -> Tool:
    async def give(args: Any, context: ToolContext) -> Any:
        return value

    return Tool("give", "Gives a value.", True, schema, give)


@pytest.mark.parametrize("schema", [{}, RootModel[Any]])
async def test_input_has_as_many_levels_as_a_script_can_have(schema: Any) -> None:
    codemode = CodeMode([], input_schema=schema)
    # Of pydantic's values, pydantic itself serialises some 250 levels.
    most = 512 if schema == {} else 250
    result = await codemode.run("return input", input=nested(most))
    assert result.value == nested(most)
    for levels in (513, 900):
        with pytest.raises(InputError, match=r"512 levels|depth exceeded"):
            await codemode.run("return 1", input=nested(levels))
    with pytest.raises(InputError):
        await codemode.run("return 1", input=nested(100_000))


@pytest.mark.parametrize("value", [float("nan"), {"a": [float("inf")]}, object(), {(1,): 2}])
async def test_input_without_a_json_form_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="no JSON form"):
        await CodeMode([], input_schema={}).run("return 1", input=value)


@pytest.mark.parametrize("text", ["abc", "é€", "\U0001f600", '\n"', "\ud800"])
async def test_input_is_measured_in_bytes_of_json(text: str) -> None:
    size = {"abc": 9, "é€": 11, "\U0001f600": 10, '\n"': 10, "\ud800": 12}[text] + 2
    for most, fits in ((size - 1, False), (size, True), (size + 1, True)):
        codemode = CodeMode([], input_schema={}, limits={"input_bytes": most})
        result = await codemode.run("return input.s", input={"s": text})
        assert result.ok == fits
        if fits:
            assert result.value == text
        else:
            assert result.error is not None
            assert result.error.kind == ErrorKind.REJECTED
            assert (result.error.limit, result.error.allowed, result.error.seen) == (
                "input_bytes",
                most,
                size,
            )


async def test_the_constrained_profile_names_too_large_an_input() -> None:
    codemode = CodeMode([], profile="constrained", input_schema={}, limits={"input_bytes": 10})
    result = await codemode.run("return 1;", input="x" * 20)
    assert result.error is not None
    assert result.error.code == "CODE_MODE_INPUT_LIMIT"


async def test_what_was_stored_can_be_given_to_the_next_run() -> None:
    codemode = CodeMode([])
    script = "let v = 1; for (let i = 0; i < 512; i++) v = [v]; store('deep', v)"
    kept = (await codemode.run(script)).store_writes.set
    assert kept == {"deep": nested(512)}
    again = await codemode.run("store('same', load('deep'))", store=kept)
    assert again.store_writes.set == {"same": nested(512)}
    with pytest.raises(ConfigurationError, match=r"\$\.deep.*512 levels"):
        await codemode.run("return 1", store={"deep": nested(513)})
    with pytest.raises(ConfigurationError, match="strings as keys"):
        await codemode.run("return 1", store={1: "x"})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("\ud800", {"type": "string"}),
        ({"s": "a\udc00"}, {"type": "object", "properties": {"s": {"type": "string"}}}),
        ({"\udc00": 1}, {"type": "object", "additionalProperties": {"type": "integer"}}),
        (["\ud800"], {"type": "array", "items": {"type": "string", "maxLength": 1}}),
    ],
)
async def test_lone_surrogates_are_characters_under_every_schema(value: Any, schema: Any) -> None:
    result = await CodeMode([giving(value, schema)]).run("return await tools.give({})")
    assert result.value == value
    taken = CodeMode([], input_schema=schema)
    assert (await taken.run("return input", input=value)).value == value
    result = await CodeMode([giving(value, {"type": "boolean"})]).run("await tools.give({})")
    assert result.error is not None
    assert result.error.code == "invalid_result"
    assert "codec" not in result.error.message
