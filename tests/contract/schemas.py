"""Random JSON Schemas that real tools could have, and values for them."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b", "c", "x-y", "type", "items", "__proto__", "1st"])
TEXTS = st.sampled_from(["", "red", "green", 'a"b', "l\nm", "*/"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), TEXTS)

VALUES = st.recursive(
    st.one_of(SCALARS, st.just(0.5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)


def annotated(schema: dict[str, Any], words: str | None) -> dict[str, Any]:
    return schema if words is None else {**schema, "description": words}


def scalars() -> st.SearchStrategy[Any]:
    types = st.sampled_from(["string", "integer", "number", "boolean", "null"])
    return st.one_of(
        st.builds(lambda name: {"type": name}, types),
        st.builds(lambda names: {"type": names}, st.lists(types, min_size=1, unique=True)),
        st.builds(lambda value: {"const": value}, VALUES),
        st.builds(lambda values: {"enum": values}, st.lists(SCALARS, min_size=1, max_size=4)),
        st.builds(
            lambda low, text: {"type": "string", "minLength": low, "description": text},
            st.integers(0, 2),
            TEXTS,
        ),
        st.just({"type": "integer", "minimum": 0, "default": 1}),
        st.just({"type": "string", "nullable": True}),
        st.sampled_from([{}, True, False, {"$ref": "#/$defs/Named"}, {"$ref": "#/$defs/Tree"}]),
    )


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": draw(st.sampled_from(["object", ["object", "null"]]))}
    if draw(st.booleans()):
        schema["properties"] = draw(st.dictionaries(NAMES, inner, max_size=3))
        schema["required"] = draw(st.lists(NAMES, max_size=2, unique=True))
    if draw(st.booleans()):
        schema["additionalProperties"] = draw(inner)
    if draw(st.integers(0, 4)) == 0:
        schema["patternProperties"] = {"^x": draw(inner)}
    return schema


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array"}
    if draw(st.booleans()):
        schema["prefixItems"] = draw(st.lists(inner, min_size=1, max_size=3))
    if draw(st.booleans()):
        schema["items"] = draw(inner)
    if draw(st.integers(0, 2)) == 0:
        schema["minItems"] = draw(st.integers(0, 3))
    if draw(st.integers(0, 2)) == 0:
        schema["maxItems"] = draw(st.integers(0, 3))
    return schema


def compounds(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        objects(inner),
        arrays(inner),
        st.builds(lambda parts: {"anyOf": parts}, some),
        st.builds(lambda parts: {"oneOf": parts}, some),
        st.builds(lambda parts: {"allOf": parts}, some),
        st.builds(lambda whole, parts: {**whole, "anyOf": parts}, objects(inner), some),
        st.builds(lambda whole, part: {**whole, "not": part}, objects(inner), inner),
        st.builds(lambda part: {"if": part, "then": {"type": "object"}}, inner),
    )


DEFINITIONS: dict[str, Any] = {
    "Named": {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "label": {"type": "string"}},
        "required": ["id"],
    },
    "Tree": {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
        "additionalProperties": False,
    },
}


def schemas() -> st.SearchStrategy[dict[str, Any]]:
    """Whole documents, with definitions."""
    return st.recursive(scalars(), compounds, max_leaves=8).map(
        lambda schema: {"allOf": [schema], "$defs": DEFINITIONS}
    )


def attempt(schema: Any, random: Random, depth: int = 0) -> Any:
    """A value that was made to fit a schema, and mostly does; whoever asks must still judge it."""
    if not isinstance(schema, dict) or depth > 6:
        return random.choice([None, True, 1, "red", [], {}])
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return random.choice(schema["enum"])
    if "$ref" in schema:
        return attempt(DEFINITIONS[schema["$ref"].rpartition("/")[2]], random, depth + 1)
    value = _typed(schema, random, depth)
    for keyword in ("allOf", "anyOf", "oneOf"):
        parts = schema.get(keyword, [])
        for part in parts if keyword == "allOf" else random.sample(parts, min(len(parts), 1)):
            other = attempt(part, random, depth + 1)
            both = isinstance(value, dict) and isinstance(other, dict)
            value = {**value, **other} if both else other
    return value


def _typed(schema: dict[str, Any], random: Random, depth: int) -> Any:
    names = schema.get("type", ["object", "null", "string"])
    match random.choice(names if isinstance(names, list) else [names]):
        case "object":
            return _object(schema, random, depth)
        case "array":
            before = schema.get("prefixItems", [])
            fewest = schema.get("minItems", 0)
            count = random.randint(fewest, max(schema.get("maxItems", 3), fewest) + 1)
            parts = [*before, *[schema.get("items", True)] * count][:count]
            return [attempt(part, random, depth + 1) for part in parts]
        case "string":
            return random.choice(["", "red", "l\nm"])
        case "integer" | "number":
            return random.choice([0, 1, -1])
        case "boolean":
            return random.choice([True, False])
        case _:
            return None


def _object(schema: dict[str, Any], random: Random, depth: int) -> dict[str, Any]:
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    rest = schema.get("additionalProperties", True)
    made = {
        name: attempt(properties.get(name, rest), random, depth + 1)
        for name in dict.fromkeys([*required, *properties])
        if name in required or random.random() < 0.6
    }
    if random.random() < 0.4:
        made["other"] = attempt(rest, random, depth + 1)
    return made
