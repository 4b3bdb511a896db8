"""Which identifier each tool gets, and which names are refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscript import ContractError, Tool, tool_identifier
from toolscript.contract.names import (
    ENGINE_GLOBALS,
    ToolGroup,
    is_identifier,
    name_hash,
    name_tools,
    namespace_problem,
)

NAMES = st.lists(st.text(alphabet="ab-_.1é ", max_size=4), unique=True, max_size=8)


def tool(name: str, source: str | None = None) -> Tool:
    return Tool(name, "Does it.", True, None, lambda args, context: None, source=source)


def identifiers(*names: str, clash: Any = "suffix") -> dict[str, str]:
    named = name_tools([ToolGroup(None, [tool(name) for name in names])], clash=clash)
    return {entry.tool.name: entry.identifier for entry in named.entries}


def test_hash_is_fnv_1a() -> None:
    # Test vectors of the function's authors.
    assert name_hash("") == "811c9dc5"
    assert name_hash("a") == "e40c292c"
    assert name_hash("foobar") == "bf9cf968"


@given(st.text())
def test_any_name_has_an_identifier(name: str) -> None:
    identifier = tool_identifier(name)
    assert is_identifier(identifier)
    assert tool_identifier(identifier) == identifier


@given(NAMES)
def test_suffixes_keep_names_apart_in_any_order(names: list[str]) -> None:
    given_names = identifiers(*names)
    assert sorted(given_names) == sorted(names)
    assert len(set(given_names.values())) == len(names)
    assert all(map(is_identifier, given_names.values()))
    assert identifiers(*reversed(names)) == given_names
    for name, identifier in given_names.items():
        if is_identifier(name):
            assert identifier == name


@given(NAMES)
def test_the_first_one_wins_where_asked_for(names: list[str]) -> None:
    kept = identifiers(*names, clash="first")
    expected: dict[str, str] = {}
    for name in names:
        expected.setdefault(tool_identifier(name), name)
    assert {identifier: name for name, identifier in kept.items()} == expected


def test_a_suffix_that_is_taken_is_not_given_twice() -> None:
    taken = f"a_b__{name_hash('a-b')}"
    assert len(set(identifiers("a_b", "a-b", taken).values())) == 3


def test_a_clash_names_all_tools_and_what_to_do() -> None:
    with pytest.raises(ContractError, match=r"'a-b', 'a\.b'.*tools\.a_b.*clash=\"suffix\""):
        identifiers("a-b", "a.b", clash="error")


def test_two_tools_of_one_name_are_told_apart_by_where_they_are_from() -> None:
    with pytest.raises(ContractError, match=r"'a' from one and 'a' from two.*namespaces"):
        name_tools([ToolGroup(None, [tool("a", "one"), tool("a", "two")])])
    same = tool("a")
    with pytest.raises(ContractError, match="same name"):
        name_tools([ToolGroup(None, [same, same])])


def test_one_name_in_two_namespaces_is_two_tools() -> None:
    named = name_tools([ToolGroup("x", [tool("a")]), ToolGroup("y", [tool("a")])])
    assert [entry.expression for entry in named.entries] == ["x.a", "y.a"]
    assert [entry.index for entry in named.entries] == [0, 1]


def test_groups_of_one_namespace_are_one() -> None:
    with pytest.raises(ContractError, match="namespace x"):
        name_tools([ToolGroup("x", [tool("a")]), ToolGroup("x", [tool("a")])])


@pytest.mark.parametrize("name", ["then", "constructor", "__proto__", "toString", "new", "class"])
def test_inherited_and_reserved_names_are_ordinary_tools(name: str) -> None:
    assert identifiers(name) == {name: name}
    if name in ("new", "class"):
        return
    with pytest.raises(ContractError, match="objects inherit"):
        name_tools([ToolGroup(None, [tool(name)])], names="strict")


@pytest.mark.parametrize(
    "name", ["", "a-b", "1a", "é", "$a", "class", "async", "lambda", "None", "Promise", "eval"]
)
def test_namespaces_that_cannot_be(name: str) -> None:
    assert namespace_problem(name) is not None
    with pytest.raises(ContractError, match="cannot be the name of a namespace"):
        name_tools([ToolGroup(name, [tool("a")])])


def test_a_namespace_hides_no_documented_global() -> None:
    assert namespace_problem("github") is None
    with pytest.raises(ContractError, match="exists already"):
        name_tools([ToolGroup("console", [tool("a")])], taken=ENGINE_GLOBALS | {"console"})
