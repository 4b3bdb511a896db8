"""OpenAPI's `discriminator`: which value of a property goes with which choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from toolscript.contract.shape import Shape, exactly, union


def discriminator_values(
    schema: Mapping[str, Any], keyword: str
) -> tuple[str, list[Shape | None]] | None:
    """The property that tells the choices under a keyword apart, and its value in each of them.

    A choice is named by the `mapping`, else by the last part of its reference; one that is no
    reference has no name. None where the schema has no `discriminator` that can be read.
    """
    declared = schema.get("discriminator")
    if not isinstance(declared, Mapping):
        return None
    discriminator = cast("Mapping[str, Any]", declared)
    name, mapping = discriminator.get("propertyName"), discriminator.get("mapping")
    if not isinstance(name, str):
        return None
    by_target: dict[str, list[Shape]] = {}
    if isinstance(mapping, Mapping):
        for value, target in cast("Mapping[str, Any]", mapping).items():
            by_target.setdefault(str(target), []).append(exactly(str(value)))
    values: list[Shape | None] = []
    for choice in cast("list[Any]", schema[keyword]):
        if not isinstance(choice, Mapping):
            values.append(None)
            continue
        reference = cast("Mapping[str, Any]", choice).get("$ref")
        if not isinstance(reference, str):
            values.append(None)
            continue
        word = reference.rpartition("/")[2]
        values.append(union(by_target.get(reference) or by_target.get(word) or [exactly(word)]))
    return name, values
