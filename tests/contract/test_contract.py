"""What a contract tells: of tools that hide discovery, of warnings, of tools by their names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.shop import get_customer, plain_tool, refund, search_orders
from tests.tsc import in_function, problems
from toolscript import CodeMode, ConfigurationError, InlineRuntime, Tool

SHOP = [search_orders, get_customer, refund]


def search(words: str) -> str:
    """Search the shop's own pages."""
    return f"found {words}"


def describe(name: str) -> str:
    """Describe a product."""
    return f"a fine {name}"


async def test_a_tool_takes_the_name_and_discovery_stays() -> None:
    async with CodeMode([search, describe, *SHOP], check="types") as codemode:
        result = await codemode.run(
            """
            const found = await codemode.$search("customer", { limit: 1 });
            return [
              await codemode.search({ words: "shoes" }), await codemode.describe("shoe"),
              found[0].name, await codemode.$describe("tools.refund"), codemode.list().length,
              await codemode.call("search", { words: "hats" }),
            ];
            """
        )
        own, described, name, text, count, called = result.unwrap()
    assert (own, described, called) == ("found shoes", "a fine shoe", "found hats")
    assert (name, count) == ("tools.get_customer", 5)
    assert "refund(args: { order_id: number; amount: number; }): Promise<boolean>;" in text
    assert codemode.contract.warnings == tuple(
        f"{name!r} is a name of yours, so codemode.{name} is that; discovery is "
        f"codemode.${name} in scripts"
        for name in ("search", "describe")
    )


async def test_a_namespace_takes_the_name_and_discovery_stays() -> None:
    async with CodeMode({"search": [get_customer], "list": [refund]}) as codemode:
        result = await codemode.run(
            "return [(await codemode.$search('refund'))[0].name, codemode.$list().length,"
            " typeof codemode.search.get_customer]"
        )
    assert result.unwrap() == ["list.refund", 2, "function"]


async def test_without_discovery_its_members_are_gone_and_the_alias_is_not() -> None:
    async with CodeMode([search], discovery=False) as codemode:
        assert (await codemode.run("return codemode.search('x')")).unwrap() == "found x"
        result = await codemode.run("return codemode.describe('search')")
    assert result.error is not None
    assert "codemode.describe does not exist" in result.error.message
    assert codemode.contract.warnings == ()


def test_what_is_declared_of_discovery_is_in_the_manner_of_the_contract() -> None:
    text = CodeMode(SHOP, profile="broker").contract.describe("refund")
    assert "Promise<{ result: boolean; text: string }>" in text


def test_fewer_tools_bring_fewer_warnings() -> None:
    broken: dict[str, Any] = {"properties": {"a": 5}}
    contract = CodeMode([plain_tool("one", **broken), plain_tool("two", **broken)]).contract
    one, two = contract.entries
    assert len(contract.warnings) == 2
    assert contract.only([two]).warnings == contract.warnings[1:]
    assert contract.only([one]).warnings == contract.warnings[:1]
    assert contract.only([]).warnings == ()


def test_the_seam_declares_types_by_the_names_of_tools() -> None:
    engine = CodeMode([*SHOP, plain_tool("ping-all")], profile="seam")
    text = engine.declarations()
    uses = """
    const wanted: ToolArgs["refund"] = { order_id: 1, amount: 2 };
    const paid: ToolResults["refund"] = await tools.refund(wanted);
    const answer: JsonValue = await tools.ping_all();
    const people: ToolResults["get_customer"][] = [];
    return [paid.valueOf(), answer, people.map((one) => one.email)];
    """
    found = problems(
        {
            "right": in_function(text, uses),
            "wrong argument": in_function(text, 'const a: ToolArgs["refund"] = { amount: 1 };'),
            "wrong result": in_function(text, 'const a: ToolResults["refund"] = "yes";'),
            "no such tool": in_function(text, 'const a: ToolArgs["buy"] = {};'),
            "every name": in_function(engine.contract.checked, uses),
        },
        lib=["es2022"],
    )
    assert not found["right"]
    assert not found["every name"]
    assert all(found[name] for name in ("wrong argument", "wrong result", "no such tool"))
    assert "A `JsonValue` result has no declared shape" in engine.prompt()
    assert "ToolArgs" not in CodeMode(SHOP).declarations()


def test_what_schemas_say_as_wholes_stands_at_the_tool() -> None:
    def latest(count: int) -> list[str]:
        """Read the news.

        Returns:
            Headlines, the newest first.
        """
        return []

    whole = {"type": "object", "description": "A page.", "properties": {}}
    tool = Tool(
        "page", "Turn to a page.", {**whole, "description": "Where to turn."}, whole, lambda a, c: 1
    )
    text = CodeMode([latest, tool]).declarations()
    assert " * @returns Headlines, the newest first.\n" in text
    assert " * @param args Where to turn.\n * @returns A page.\n".replace(" *", "   *") in text
    again = Tool("page", "Turn to a page. A page.", {"type": "object"}, whole, lambda a, c: 1)
    assert "@returns" not in CodeMode([again]).declarations()
    brief = CodeMode([latest, *SHOP]).prompt(1)
    assert "@returns" not in brief


def test_what_an_inlined_type_says_stands_at_its_property() -> None:
    schema = {
        "$defs": {"Level": {"enum": [1, 2], "description": "How loud."}},
        "properties": {
            "a": {"$ref": "#/$defs/Level"},
            "b": {"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}]},
            "c": {"$ref": "#/$defs/Level", "description": "How bright."},
        },
    }
    text = CodeMode([plain_tool("play", **schema)]).declarations()
    assert text.count("/** How loud. */") == 2
    assert text.count("/** How bright. */") == 1


class Other(InlineRuntime):
    @property
    def language(self) -> str:
        return "python"


def test_a_runtime_of_another_language_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"Other runs python.*TypeScript"):
        CodeMode(SHOP, runtime=Other())
