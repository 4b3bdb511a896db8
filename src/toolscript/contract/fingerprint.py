"""A contract's fingerprint: equal for equal contracts, in any order and any process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from toolscript.contract.entry import Entry
from toolscript.contract.tool import JsonSchema, ToolOptions


def contract_fingerprint(entries: Sequence[Entry], input_schema: JsonSchema | None = None) -> str:
    """Hexadecimal SHA-256 of what a model or a journal relies on.

    That is names, descriptions, schemas, and the options that say what a call may do. The order
    of the tools, their functions, and how the host times and retries them do not count.
    """
    tools = [_tool(entry) for entry in sorted(entries, key=_place)]
    return _digest({"input": input_schema, "tools": tools})


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


def _digest(value: Any) -> str:
    """A hash of a JSON value that does not depend on the order of keys.

    Every container is hashed by the hashes of its members, once, without recursion: a schema may
    be nested thousands deep, and may hold one part at many places or even inside itself.
    """
    done: dict[int, str] = {}
    pending = [value]
    open_now: set[int] = set()
    seen: list[Any] = []  # kept, so that no identity is used twice
    while pending:
        here = pending[-1]
        key = id(here)
        if key in done:
            pending.pop()
            continue
        members = _members(here)
        waiting = [each for each in members if id(each) not in done and id(each) not in open_now]
        if waiting:
            open_now.add(key)
            pending.extend(waiting)
            continue
        pending.pop()
        open_now.discard(key)
        seen.append(here)
        # A member that is still open holds this value itself; it counts as that and no more.
        parts = [done.get(id(each), "inside itself") for each in members]
        done[key] = _hashed("\0".join([_head(here), *parts]))
    return done[id(value)]


def _members(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value)
        return [members[name] for name in sorted(members, key=str)]
    return list(cast("Sequence[Any]", value)) if isinstance(value, list | tuple) else []


def _head(value: Any) -> str:
    """What a value says apart from its members."""
    if isinstance(value, Mapping):
        return json.dumps(sorted(map(str, cast("Mapping[str, Any]", value))))
    if isinstance(value, list | tuple):
        return "[]"
    if value is None or isinstance(value, str | int | float | bool):
        return f"={json.dumps(value)}"
    # A value that is no JSON: its type tells more than an address that changes every time.
    return f"<{type(value).__qualname__}>"


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
