"""Schemas that Python code made are read as JSON would have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from toolscript import CodeMode, Tool, render_tool_signature, schema_to_type
from toolscript.contract.plain import plain_schema

S = {"type": "string"}


class Made(Mapping[str, Any]):
    """A mapping that makes its parts whenever they are asked for."""

    def __init__(self, **parts: Any):
        self._parts = parts

    def __getitem__(self, name: str) -> Any:
        part = self._parts[name]
        return Made(**part) if isinstance(part, dict) else part

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "object", "properties": {"a": S}, "required": ("a",)}, "{ a: string; }"),
        ({"type": "object", "properties": {"a": S}, "required": {"a"}}, "{ a: string; }"),
        ({"anyOf": (S, {"type": "null"})}, "string | null"),
        ({"enum": ("x", "y")}, '"x" | "y"'),
        ({"type": ("string", "null")}, "string | null"),
        ({"type": "object", "properties": {2: S, 1: S}}, '{ "1"?: string; "2"?: string; }'),
        ({"prefixItems": (S,), "items": False, "minItems": 1}, "[string]"),
        (
            MappingProxyType({"properties": MappingProxyType({"a": MappingProxyType(S)})}),
            "{ a?: string; }",
        ),
        (Made(type="object", properties={"a": {"type": "string"}}), "{ a?: string; }"),
    ],
)
def test_containers_of_python(schema: Any, text: str) -> None:
    assert schema_to_type(schema) == text
    tool = Tool("t", "T.", {"properties": {"given": schema}, "required": ("given",)}, schema, print)
    assert f"given: {text}; }})" in render_tool_signature(tool)
    contract = CodeMode([tool]).contract
    assert contract.warnings == ()
    assert isinstance(contract.tools[0].output_schema, dict)


def test_what_is_plain_is_not_copied() -> None:
    schema = {"type": "object", "properties": {"a": {"enum": [1, [2]]}}}
    assert plain_schema(schema) is schema
    for value in (True, None):
        assert plain_schema(value) is value


def test_circles_stay_circles() -> None:
    node: dict[str, Any] = {"type": "object", "properties": {"name": S}, "required": ("name",)}
    node["properties"]["child"] = node
    copy = plain_schema(node)
    assert copy["properties"]["child"] is copy
    assert copy["required"] == ["name"]
    assert "child?: T;" in schema_to_type(node, name="T")


def test_depth_is_no_matter() -> None:
    schema: Any = S
    for _ in range(5_000):
        schema = {"anyOf": (schema, {"type": "null"})}
    assert schema_to_type(schema) in ("string | null", "unknown")
    assert len(plain_schema(schema)["anyOf"]) == 2
