"""Schemas as a prompt shows them: what was said once is not said again.

Servers describe the same parameter in each of their tools: `owner`, the repository's owner. A
model that read it once knows it. Shared definitions stay as they are: they become types that
are declared once anyway. The walk is iterative, and nothing that was given is changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from toolscript.contract.entry import Entry
from toolscript.contract.tool import JsonSchema

_DEEPEST: Final = 40
"""Levels of a schema that are looked at; what is below stays as it is."""

_TOOL_INDENT: Final = 2
"""How far the members of an object of tools are indented."""


def without_repetitions(entries: Sequence[Entry]) -> list[Entry]:
    """The tools, each description of a property only where a property of that name has it first.

    The tools of each object are taken by their names, as they are declared.
    """
    seen: set[tuple[str | None, str, str]] = set()
    ordered = sorted(entries, key=lambda one: (one.namespace or "", one.identifier, one.tool.name))
    return [
        replace(
            entry,
            tool=replace(
                entry.tool, input_schema=_told_once(entry.tool.input_schema, entry.namespace, seen)
            ),
        )
        for entry in ordered
    ]


def comments_behind(declarations: str) -> str:
    """The same text with each comment of one line behind the property of one line that it is on.

    Comments on tools stay where they are.
    """
    lines: list[str] = []
    comment = ""
    several = False
    for line in declarations.splitlines():
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if text.startswith("// ") and indent > _TOOL_INDENT:
            if comment:
                lines.append(comment)
                several = True
            comment = line
            continue
        if comment and not several and text.endswith(";") and not text.startswith("}"):
            line += f" {comment.lstrip(' ')}"
        elif comment:
            lines.append(comment)
        comment, several = "", False
        lines.append(line)
    return "\n".join(lines)


def _told_once(
    schema: JsonSchema, namespace: str | None, seen: set[tuple[str | None, str, str]]
) -> JsonSchema:
    if not isinstance(schema, Mapping):
        return schema
    root = dict(schema)
    new: set[tuple[str | None, str, str]] = set()
    work: list[tuple[dict[str, Any], int]] = [(root, 0)]
    while work:
        node, depth = work.pop()
        named = node.get("properties")
        if isinstance(named, Mapping) and depth < _DEEPEST:
            copies: dict[str, Any] = {}
            for name, part in cast("Mapping[str, Any]", named).items():
                copies[name] = part
                if isinstance(part, Mapping):
                    copy = dict(cast("Mapping[str, Any]", part))
                    copies[name] = copy
                    work.append((copy, depth + 1))
                    described = copy.get("description")
                    if isinstance(described, str):
                        key = (namespace, name, described)
                        if key in seen:
                            del copy["description"]
                        new.add(key)
            node["properties"] = copies
        items = node.get("items")
        if isinstance(items, Mapping) and depth < _DEEPEST:
            node["items"] = dict(cast("Mapping[str, Any]", items))
            work.append((node["items"], depth + 1))
    seen |= new
    return root
