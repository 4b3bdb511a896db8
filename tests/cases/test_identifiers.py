"""`identifiers.json`: the identifier of a name, by the conventions of the seeds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases.support import Case, each_case
from toolscript import ContractError, Tool, tool_identifier
from toolscript.contract.names import (
    ToolGroup,
    binding_name,
    distinct_identifiers,
    is_identifier,
    name_tools,
    namespace_problem,
    strict_name_problem,
)


def tool(name: str) -> Tool:
    return Tool(name, "Does it.", True, None, lambda args, context: None)


def tools(*names: str) -> list[ToolGroup]:
    return [ToolGroup(None, [tool(name) for name in names])]


def judged(case: Case, convention: str) -> Any:
    expected = case["expected"].get(convention)
    if expected is None:
        pytest.skip(f"the case says nothing of {convention}")
    return expected


@each_case("identifiers.json")
def test_sandbox_identifier(case: Case) -> None:
    assert tool_identifier(case["name"]) == judged(case, "zidane")


@each_case("identifiers.json")
def test_contract_profile_takes_plain_names_only(case: Case) -> None:
    expected = judged(case, "torkbot")
    if isinstance(expected, dict):
        assert strict_name_problem(case["name"])
        with pytest.raises(ContractError, match="is refused"):
            name_tools(tools(case["name"]), names="strict")
    else:
        (entry,) = name_tools(tools(case["name"]), names="strict").entries
        assert entry.identifier == expected


@each_case("identifiers.json")
def test_constrained_binding_name(case: Case) -> None:
    expected = judged(case, "blok_capability")
    if isinstance(expected, dict):
        with pytest.raises(ContractError, match="id of a binding"):
            binding_name(case["name"])
    else:
        assert binding_name(case["name"]) == expected


@each_case("identifiers.json")
def test_any_string_is_a_member(case: Case) -> None:
    (entry,) = name_tools(tools(case["name"])).entries
    assert entry.tool.name == judged(case, "deepseek_member")


@each_case("identifiers.json")
def test_namespace_of_the_seam(case: Case) -> None:
    # That seed keeps `console` and a few of its own; engine globals are our addition.
    problem = namespace_problem(case["name"], taken={"console"})
    assert (problem is None) == judged(case, "deepseek_namespace_ok"), problem


@each_case("identifiers.json")
def test_identifiers_are_legal_stable_and_settled(case: Case) -> None:
    identifier = tool_identifier(case["name"])
    assert is_identifier(identifier)
    assert tool_identifier(case["name"]) == identifier
    assert tool_identifier(identifier) == identifier
    if is_identifier(case["name"]):
        assert identifier == case["name"]


@each_case("identifiers.json", key="collisions")
def test_collision(case: Case) -> None:
    names = case["names"]
    expected = case["expected"]
    if isinstance(expected["zidane"], dict):
        with pytest.raises(ContractError, match="same name"):
            name_tools(tools(*names), clash="first")
    else:
        first = name_tools(tools(*names), clash="first")
        assert [entry.tool.name for entry in first.entries] == [names[0]]
        assert all(name in first.warnings[0] for name in names)
    with pytest.raises(ContractError) as refused:
        name_tools(tools(*names))
    assert all(repr(name) in str(refused.value) for name in names)


def test_the_second_binding_by_id_gets_the_suffix() -> None:
    given = distinct_identifiers(
        [(name, binding_name(name)) for name in ("my_tool", "my-tool", "other")]
    )
    assert given == ["capability_my_tool__a9f9d35e", "capability_my_tool", "capability_other"]
