"""The closed schemas of seed 000: what a declaration represents exactly, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from toolscript.contract.entry import Entry
from toolscript.contract.places import Path, shown_path
from toolscript.contract.tool import JsonSchema
from toolscript.errors import ContractError

_ANNOTATIONS: Final = frozenset(
    {
        "$comment",
        "$id",
        "$schema",
        "default",
        "deprecated",
        "description",
        "discriminator",
        "example",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    }
)
"""Keywords that say nothing of which values fit; pydantic emits several of them."""

_ALLOWED: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset({"type", "properties", "required", "additionalProperties"}),
    "array": frozenset({"type", "items"}),
    "string": frozenset({"type", "const"}),
    "number": frozenset({"type"}),
    "integer": frozenset({"type"}),
    "boolean": frozenset({"type"}),
    "null": frozenset({"type"}),
}


def require_exact(entries: Sequence[Entry], input_schema: JsonSchema | None = None) -> None:
    """Refuse tools that seed 000 could not declare exactly.

    Their schemas may only hold closed objects, arrays, strings (with `const`), numbers, integers,
    booleans, null, and unions of closed objects told apart by a required string constant. Both
    schemas and a description are required.

    Raises:
        ContractError: naming the tool and the path of the first part that does not fit.
    """
    if input_schema is not None:
        require_exact_schema(input_schema, "the program input")
    for entry in entries:
        tool = entry.tool
        if not tool.description.strip():
            raise ContractError(
                f'the tool {tool.name!r} has no description; schemas="strict" requires one'
            )
        require_exact_schema(tool.input_schema, f"the input of tool {tool.name!r}")
        if tool.output_schema is None:
            raise ContractError(
                f'the tool {tool.name!r} has no output schema; schemas="strict" requires one'
            )
        require_exact_schema(tool.output_schema, f"the output of tool {tool.name!r}")


def require_exact_schema(schema: JsonSchema, owner: str) -> None:
    """Refuse a schema outside of the closed subset; `owner` says whose it is.

    Raises:
        ContractError: naming the owner and the path of the first part that does not fit.
    """
    pending: list[tuple[object, Path]] = [(schema, None)]
    while pending:
        node, path = pending.pop()
        try:
            pending.extend(_parts(node, path))
        except _NotExact as error:
            raise ContractError(
                f"{owner} cannot be declared exactly: {error} at {shown_path(path)}; change the "
                'schema, take a profile that declares it loosely, or pass schemas="lenient"'
            ) from None


class _NotExact(Exception):
    """Why one part of a schema is outside of the subset."""


def _parts(node: object, path: Path) -> list[tuple[object, Path]]:
    """The parts of an exact schema, after it was found to be one itself."""
    if not isinstance(node, Mapping):
        raise _NotExact("a schema must be an object")
    schema = {
        keyword: value
        for keyword, value in cast("Mapping[str, Any]", node).items()
        if keyword not in _ANNOTATIONS
    }
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return _choices(schema, keyword, path)
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _ALLOWED:
        raise _NotExact("`type` must be one of " + ", ".join(_ALLOWED))
    for keyword in schema:
        if keyword not in _ALLOWED[kind]:
            raise _NotExact(f"`{keyword}` of a schema of type {kind} has no exact type")
    if kind == "object":
        return _properties(schema, path)
    if kind == "array":
        if "items" not in schema:
            raise _NotExact("an array needs `items`")
        return [(schema["items"], (path, "items"))]
    if not isinstance(schema.get("const", ""), str):
        raise _NotExact("`const` must be a string")
    return []


def _properties(schema: Mapping[str, Any], path: Path) -> list[tuple[object, Path]]:
    if schema.get("additionalProperties") is not False:
        raise _NotExact("an object must have `additionalProperties: false`")
    declared = schema.get("properties", {})
    required = schema.get("required", [])
    if not isinstance(declared, Mapping):
        raise _NotExact("`properties` must be an object")
    properties = cast("Mapping[str, Any]", declared)
    if not isinstance(required, list):
        raise _NotExact("`required` must be a list")
    for name in cast("list[Any]", required):
        if name not in properties:
            raise _NotExact(f"`required` names {name!r}, which is no property")
    return [(part, ((path, "properties"), name)) for name, part in properties.items()]


def _choices(schema: Mapping[str, Any], keyword: str, path: Path) -> list[tuple[object, Path]]:
    """The branches of a discriminated union."""
    if len(schema) > 1:
        others = ", ".join(f"`{other}`" for other in schema if other != keyword)
        raise _NotExact(f"{others} beside `{keyword}` has no exact type")
    branches = schema[keyword]
    if not isinstance(branches, list) or len(cast("list[Any]", branches)) < 2:
        raise _NotExact(f"`{keyword}` needs at least two branches")
    listed = cast("list[Any]", branches)
    tags = [_constants(branch) for branch in listed]
    shared = set(tags[0]).intersection(*tags[1:])
    if not any(len({tag[name] for tag in tags}) == len(tags) for name in shared):
        raise _NotExact(
            f"the branches of `{keyword}` must be closed objects with a required property that "
            "has another string `const` in each"
        )
    return [(branch, ((path, keyword), str(number))) for number, branch in enumerate(listed)]


def _constants(branch: object) -> dict[str, str]:
    """The required string constants of a branch that is an object; empty for anything else."""
    if not isinstance(branch, Mapping):
        return {}
    schema = cast("Mapping[str, Any]", branch)
    properties, required = schema.get("properties"), schema.get("required")
    if (
        schema.get("type") != "object"
        or not isinstance(properties, Mapping)
        or not isinstance(required, list)
    ):
        return {}
    found: dict[str, str] = {}
    for name, part in cast("Mapping[str, Any]", properties).items():
        if not isinstance(part, Mapping) or name not in required:
            continue
        member = cast("Mapping[str, Any]", part)
        if member.get("type") == "string" and isinstance(member.get("const"), str):
            found[name] = member["const"]
    return found
