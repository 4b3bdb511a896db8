"""A contract's fingerprint: equal for equal contracts, in any order and any process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from toolscript.contract.entry import Entry
from toolscript.contract.tool import JsonSchema, ToolOptions


def contract_fingerprint(entries: Sequence[Entry], input_schema: JsonSchema | None = None) -> str:
    """Hexadecimal SHA-256 of what a model or a journal relies on.

    That is names, descriptions, schemas, and the options that say what a call may do. The order
    of the tools, their functions, and how the host times and retries them do not count.
    """
    tools = [_tool(entry) for entry in sorted(entries, key=_place)]
    return hashlib.sha256(_canonical({"input": input_schema, "tools": tools})).hexdigest()


def _place(entry: Entry) -> tuple[str, str]:
    return (entry.namespace or "", entry.tool.name)


def _tool(entry: Entry) -> dict[str, Any]:
    tool = entry.tool
    return {
        "name": tool.name,
        "namespace": entry.namespace,
        "identifier": entry.identifier,
        "description": tool.description,
        "input": tool.input_schema,
        "output": tool.output_schema,
        "options": _options(tool.options),
    }


def _options(options: ToolOptions) -> dict[str, Any]:
    manifest = options.manifest
    approval = options.requires_approval
    return {
        "read_only": options.read_only,
        "destructive": options.destructive,
        "idempotent": options.idempotent,
        "requires_approval": "by arguments" if callable(approval) else approval,
        "capabilities": sorted(options.capabilities),
        "hidden": options.hidden,
        "examples": [dict(example) for example in options.examples],
        "output_kind": options.output_kind,
        "effects": sorted(manifest.effects) if manifest else [],
        "manifest_capabilities": sorted(manifest.capabilities) if manifest else [],
        "maturity": manifest.maturity if manifest else "stable",
    }


@dataclass(frozen=True, slots=True)
class _Close:
    """Marks, among what is still to be written, the end of a container."""

    container: int
    text: str


def _canonical(value: Any) -> bytes:
    """JSON with sorted keys, made without recursion: schemas may be nested thousands deep.

    A container inside itself is written as the number of levels out to where it began.
    """
    parts: list[str] = []
    open_at: dict[int, int] = {}
    pending: list[Any] = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, _Close):
            parts.append(here.text)
            del open_at[here.container]
        elif not isinstance(here, Mapping | list | tuple):
            parts.append(f"{json.dumps(here, default=_foreign)},")
        elif id(cast("object", here)) in open_at:
            parts.append(f"<{len(open_at) - open_at[id(cast('object', here))]}>,")
        else:
            container = cast("Mapping[str, Any] | Sequence[Any]", here)
            members = _members(container)
            is_object = isinstance(container, Mapping)
            parts.append("{" if is_object else "[")
            open_at[id(container)] = len(open_at)
            pending.append(_Close(id(container), "}," if is_object else "],"))
            pending.extend(reversed(members))
    return "".join(parts).encode("utf-8", "surrogatepass")


def _members(container: Mapping[str, Any] | Sequence[Any]) -> list[Any]:
    """The members in canonical order; an object's are its keys and values by turns."""
    if not isinstance(container, Mapping):
        return list(container)
    pairs = sorted(
        ((str(key), value) for key, value in container.items()), key=lambda pair: pair[0]
    )
    return [each for pair in pairs for each in pair]


def _foreign(value: object) -> str:
    """A value that is no JSON: its type tells more than an address that changes every time."""
    return f"<{type(value).__qualname__}>"
