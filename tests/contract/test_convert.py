"""Anything that is a tool somewhere: found by what it is, or refused with advice."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from toolscript import Namespace, ToolOptions, tool_from
from toolscript.contract.convert import tools_from
from toolscript.contract.tool import Tool
from toolscript.errors import ConfigurationError, ContractError

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"enum": ["c", "f"]}},
    "required": ["city"],
}
DEFINITIONS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": "w", "description": "D.", "parameters": SCHEMA}},
    {"type": "function", "name": "w", "description": "D.", "parameters": SCHEMA, "strict": True},
    {"name": "w", "description": "D.", "input_schema": SCHEMA},
    {"name": "w", "description": "D.", "parameters": SCHEMA},
    {"name": "w", "description": "D.", "parametersJsonSchema": SCHEMA},
    {"toolSpec": {"name": "w", "description": "D.", "inputSchema": {"json": SCHEMA}}},
]


def weather(city: str, unit: str = "c") -> list[str]:
    """Say what the weather is."""
    return [city, unit]


async def weather_later(city: str, unit: str = "c") -> list[str]:
    return [city, unit]


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_definitions_of_providers(definition: dict[str, Any]) -> None:
    tool = tool_from(definition, call=weather)
    assert (tool.name, tool.description, tool.input_schema) == ("w", "D.", SCHEMA)
    assert tool.call({"city": "Rome"}, None) == ["Rome", "c"]
    with pytest.raises(ContractError, match="no function: use tool_from"):
        tool_from(definition)


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (lambda city, **rest: [city, rest], ["Rome", {"unit": "f"}]),
        (lambda **found: found, {"city": "Rome", "unit": "f"}),
        (lambda arguments: arguments, {"city": "Rome", "unit": "f"}),
        (lambda arguments, context: [arguments["city"], context], ["Rome", "CONTEXT"]),
    ],
)
def test_forms_of_the_function_behind_a_definition(call: Any, result: Any) -> None:
    tool = tool_from(DEFINITIONS[0], call=call)
    assert tool.call({"city": "Rome", "unit": "f"}, "CONTEXT") == result


async def test_an_async_function_behind_a_definition() -> None:
    tool = tool_from(DEFINITIONS[2], call=weather_later)
    assert await tool.call({"city": "Rome"}, None) == ["Rome", "c"]


def test_a_function_that_cannot_take_the_arguments_is_refused() -> None:
    with pytest.raises(ContractError, match=r"city, unit by name.*\(a, b, c\)"):
        tool_from(DEFINITIONS[0], call=lambda a, b, c: None)


def test_mcp_definitions_need_the_call() -> None:
    definition = {"name": "get", "inputSchema": SCHEMA}
    tool = tool_from(definition, call=lambda name, arguments: [name, arguments], source="shop")
    assert tool.call({"city": "Rome"}, None) == ["get", {"city": "Rome"}]
    assert tool.source == "shop"
    with pytest.raises(ContractError, match=r"'get' has no function.*call\(name, arguments\)"):
        tool_from(definition)


def test_langchain_tools_come_through_their_own_converter() -> None:
    from langchain_core.tools import tool as langchain_tool

    tool = tool_from(langchain_tool(weather))
    assert tool.name == "weather"
    assert isinstance(tool.input_schema, dict)
    assert set(tool.input_schema["properties"]) == {"city", "unit"}


def test_overrides_win_over_what_was_found() -> None:
    options = ToolOptions(read_only=True)
    tool = tool_from(weather, name="w2", description="Other.", options=options, source="me")
    assert (tool.name, tool.description, tool.options, tool.source) == (
        "w2",
        "Other.",
        options,
        "me",
    )
    narrowed = tool_from(weather, input_schema=SCHEMA, output_schema={"type": "array"})
    assert narrowed.input_schema == SCHEMA
    assert narrowed.parse_input is None
    assert narrowed.dump_output is None
    assert narrowed.call({"city": "Rome"}, None) == ["Rome", "c"]
    assert tool_from(narrowed) is narrowed
    assert tool_from(narrowed, name="x").name == "x"


class Weather:
    def today(self) -> str:
        return "sun"


def rows() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Weather, "Weather is a class.*pass an instance"),
        (Weather(), r"object of type .*\.Weather is no tool"),
        (rows(), r"rows\(\) is a generator"),
        (json, "json is a module"),
        (42, "42.*int.*is no tool"),
        (None, "None"),
        ([weather], "is no tool"),
        (Namespace("a", [weather]), "group of tools"),
        ({"type": "web_search_20250305", "max_uses": 3}, "run by the model's provider"),
        ({"a": 1}, "needs a name.*'a'"),
        ({"name": "x"}, "neither a schema nor a description"),
    ],
)
def test_what_is_no_tool_gets_advice(given: Any, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        tool_from(given)


async def test_a_coroutine_in_place_of_a_function() -> None:
    with pytest.raises(ContractError, match="called already: pass the function itself"):
        tool_from(weather_later("Rome"))


def test_a_class_of_a_framework_in_place_of_an_instance() -> None:
    from langchain_core.tools import BaseTool

    class Search(BaseTool):
        name: str = "search"
        description: str = ""

    with pytest.raises(ContractError, match=r"pass an instance, Search\(\)"):
        tool_from(Search)


def test_call_is_for_definitions() -> None:
    with pytest.raises(ContractError, match="belongs to a definition"):
        tool_from(weather, call=weather)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": ""}, "needs a name"),
        ({"call": None}, "must be a function"),
        ({"description": None}, "takes a string"),
    ],
)
def test_a_tool_made_wrong_is_refused(change: dict[str, Any], words: str) -> None:
    parts: dict[str, Any] = {
        "name": "x",
        "description": "",
        "input_schema": {},
        "output_schema": None,
        "call": weather,
    }
    with pytest.raises((ContractError, ConfigurationError), match=words):
        tool_from(Tool(**(parts | change)))


def test_the_place_of_the_wrong_one_is_told() -> None:
    assert [tool.name for tool in tools_from([weather, weather_later])] == [
        "weather",
        "weather_later",
    ]
    with pytest.raises(ContractError, match="tool 2: 7"):
        tools_from([weather, 7])


def test_no_framework_is_imported_for_a_function() -> None:
    code = (
        "import sys; from toolscript import tool_from\n"
        "def f(a: int) -> int: return a\n"
        "tool_from(f); tool_from({'name': 'a', 'inputSchema': {}}, call=print)\n"
        "print([name for name in ('langchain_core', 'mcp', 'quickjs', '_quickjs', 'openai')"
        " if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=True
    )
    assert done.stdout.strip() == "[]"
