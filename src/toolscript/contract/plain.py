"""Schemas that Python code made, as JSON has them: dicts with text as keys, and lists.

Applications write `"required": ("id",)`, freeze their schemas, or key properties by numbers. The
walks are iterative, and what refers to itself still does afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, cast

from toolscript.contract.tool import Tool


def plain_tool(tool: Tool) -> Tool:
    """The tool with plain schemas; itself where they are."""
    inside, outside = plain_schema(tool.input_schema), plain_schema(tool.output_schema)
    if inside is tool.input_schema and outside is tool.output_schema:
        return tool
    return replace(tool, input_schema=inside, output_schema=outside)


def plain_schema(schema: Any) -> Any:
    """The schema in plain containers; itself where it is so already, or is no container."""
    return schema if _is_plain(schema) else _copied(schema)


def _is_plain(schema: Any) -> bool:
    seen: set[int] = set()
    work: list[Any] = [schema]
    while work:
        node = work.pop()
        if isinstance(node, dict):
            named = cast("dict[Any, Any]", node)
            if id(named) not in seen:
                seen.add(id(named))
                if not all(isinstance(key, str) for key in named):
                    return False
                work.extend(named.values())
        elif isinstance(node, list):
            listed = cast("list[Any]", node)
            if id(listed) not in seen:
                seen.add(id(listed))
                work.extend(listed)
        elif isinstance(node, Mapping | tuple | Set):
            return False
    return True


def _copied(schema: Any) -> Any:
    # Originals are kept beside their copies: a container may make its parts as they are asked for.
    copies: dict[int, tuple[Any, Any]] = {}
    work: list[tuple[Any, Any]] = []

    def copy_of(value: Any) -> Any:
        if not isinstance(value, Mapping | list | tuple | Set):
            return value
        source = cast("Any", value)
        if id(source) not in copies:
            copy: Any = {} if isinstance(value, Mapping) else []
            copies[id(source)] = (source, copy)
            work.append((source, copy))
        return copies[id(source)][1]

    root = copy_of(schema)
    while work:
        source, target = work.pop()
        if isinstance(source, Mapping):
            for key, value in cast("Mapping[Any, Any]", source).items():
                target[str(key)] = copy_of(value)
        else:
            target.extend(copy_of(item) for item in _in_order(source))
    return root


def _in_order(values: Sequence[Any] | Set[Any]) -> Sequence[Any]:
    """Members of a set by their text: its own order changes from process to process."""
    return sorted(values, key=str) if isinstance(values, Set) else values
