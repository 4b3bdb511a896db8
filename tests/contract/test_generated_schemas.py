"""Schemas as generators and servers write them: what fits the type fits the validator too.

Each names values that fit and values that do not. The compiler judges the type, the validator
judges the value itself; where a type cannot say what a schema says, the value stands under `only`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import pytest

from tests.tsc import literal, problems
from toolscript import schema_to_type
from toolscript.contract.validation import compile_validator

S: Final = {"type": "string"}
N: Final = {"type": "number"}


def closed(required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def an_object(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


@dataclass(frozen=True)
class Variant:
    """A schema, values that fit, values that do not, and values that only the validator refuses."""

    schema: Any
    good: list[Any]
    bad: list[Any]
    only: list[Any] = field(default_factory=list[Any])


DRAFT_4: Final = "http://json-schema.org/draft-04/schema#"
DRAFT_7: Final = "http://json-schema.org/draft-07/schema#"

PET: Final = {
    "Cat": an_object("m", kind={"const": "cat", "default": "cat", "type": "string"}, m=N),
    "Dog": an_object("b", kind={"const": "dog", "default": "dog", "type": "string"}, b=S),
}

VARIANTS: Final[dict[str, Variant]] = {
    "draft 4 with id and definitions": Variant(
        {
            "$schema": DRAFT_4,
            "id": "http://example.com/root",
            "definitions": {"a": S},
            **an_object("a", a={"$ref": "#/definitions/a"}),
        },
        [{"a": "x"}],
        [{}, {"a": 1}],
    ),
    "draft 4 with an exclusive bound": Variant(
        {"$schema": DRAFT_4, "type": "number", "minimum": 3, "exclusiveMinimum": True},
        [4],
        ["x"],
        [3],
    ),
    "the same without its draft": Variant(
        {"type": "number", "maximum": 3, "exclusiveMaximum": True}, [2], ["x"], [3]
    ),
    "reference with siblings": Variant(
        {"$defs": {"A": an_object("", x=S)}, "$ref": "#/$defs/A", "required": ["x"]},
        [{"x": "s"}],
        [{}, {"x": 1}],
    ),
    "reference into a path": Variant(
        {"properties": {"a": an_object("q", q=S), "b": {"$ref": "#/properties/a"}}},
        [{"b": {"q": "x"}}],
        [{"b": {}}, {"b": {"q": 1}}],
    ),
    "reference to a choice by number": Variant(
        {"properties": {"a": {"anyOf": [S, an_object("k", k=N)]}, "c": {"$ref": "#/properties/a/anyOf/1"}}},
        [{"a": "x", "c": {"k": 1}}],
        [{"c": "x"}, {"c": {}}],
    ),
    "reference relative to an $id": Variant(
        {
            "$id": "https://example.com/schemas/root",
            "$defs": {"o": {"$id": "other", "$defs": {"in": N}, "properties": {"q": {"$ref": "#/$defs/in"}}}},
            "properties": {"x": {"$ref": "other"}, "z": {"$ref": "other#/$defs/in"}},
        },
        [{"x": {"q": 1}, "z": 2}],
        [{"x": {"q": "s"}}, {"z": "s"}],
    ),
    "dynamic reference": Variant(
        {
            "$dynamicAnchor": "node",
            **an_object("v", v=S, kids={"type": "array", "items": {"$dynamicRef": "#node"}}),
        },
        [{"v": "a", "kids": [{"v": "b"}]}],
        [{"v": "a", "kids": [{}]}],
    ),
    "recursive reference": Variant(
        {
            "$schema": "https://json-schema.org/draft/2019-09/schema",
            "$recursiveAnchor": True,
            **an_object("v", v=S, kids={"type": "array", "items": {"$recursiveRef": "#"}}),
        },
        [{"v": "a", "kids": [{"v": "b"}]}],
        [{"v": "a", "kids": [{}]}],
    ),
    "reference to itself": Variant(
        {"$schema": DRAFT_7, **closed("name", name=S, sub={"type": "array", "items": {"$ref": "#"}})},
        [{"name": "x", "sub": [{"name": "y"}]}],
        [{"name": "x", "sub": [{}]}, {"name": "x", "more": 1}],
    ),
    "OpenAPI components and a mapping": Variant(
        {
            "components": {"schemas": {"Cat": an_object("pet m", pet=S, m=N), "Dog": an_object("pet b", pet=S, b=S)}},
            "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
            "discriminator": {
                "propertyName": "pet",
                "mapping": {"cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog"},
            },
        },
        [{"pet": "cat", "m": 1}, {"pet": "dog", "b": "x"}],
        [{"pet": "cat", "b": 1}, {"m": 1}],
    ),
    "nullable reference": Variant(
        {"$defs": {"A": an_object("k", k=S)}, "properties": {"x": {"allOf": [{"$ref": "#/$defs/A"}], "nullable": True}}},
        [{"x": None}, {"x": {"k": "v"}}],
        [{"x": 1}, {"x": {}}],
    ),
    "nullable enumeration": Variant(
        {"type": "string", "enum": ["a", "b"], "nullable": True}, ["a", None], ["c", 1]
    ),
    "types as OpenAPI 3.1 lists them": Variant(
        an_object("", a={"type": ["string", "null"], "enum": ["x", None]}, b={"oneOf": [{"type": "null"}, an_object("z", z=S)]}),
        [{"a": None, "b": None}, {"b": {"z": "q"}}],
        [{"a": "y"}, {"b": {}}],
    ),
    "zod: union told apart by a literal": Variant(
        {"anyOf": [closed("type v", type={"type": "string", "const": "a"}, v=S), closed("type n", type={"type": "string", "const": "b"}, n=N)], "$schema": DRAFT_7},
        [{"type": "a", "v": "x"}, {"type": "b", "n": 1}],
        [{"type": "a", "n": 1}, {"type": "c"}, {"type": "a", "v": "x", "n": 1}],
    ),
    "zod: optional as a union with nothing": Variant(
        {"anyOf": [{"anyOf": [{"not": {}}, S]}, {"type": "null"}]}, ["x", None], [1]
    ),
    "zod: intersection": Variant(
        {"allOf": [an_object("a", a=S), an_object("b", b=N)], "$schema": DRAFT_7},
        [{"a": "x", "b": 1}],
        [{"a": "x"}, {"b": 1}],
    ),
    "pydantic 1: a reference in allOf": Variant(
        {
            "definitions": {"Color": {"title": "Color", "enum": ["red", "blue"], "type": "string"}},
            **an_object("", c={"title": "C", "default": "red", "allOf": [{"$ref": "#/definitions/Color"}]}),
        },
        [{}, {"c": "red"}],
        [{"c": "green"}],
    ),
    "pydantic 2: optional": Variant(
        {"properties": {"a": {"anyOf": [S, {"type": "null"}], "default": None, "title": "A"}}, "title": "X", "type": "object"},
        [{}, {"a": None}, {"a": "x"}],
        [{"a": 1}],
    ),
    "choices that only ask for properties": Variant(
        {"type": "object", "properties": {"a": S, "b": S}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        [{"a": "x"}, {"b": "y"}, {"a": "x", "b": "y"}],
        [{}, {"a": 1}],
    ),
    "constants with descriptions": Variant(
        {"oneOf": [{"const": "a", "description": "First */ one"}, {"const": 3, "title": "B"}, {"const": None}]},
        ["a", 3, None],
        ["c", 4, True],
    ),
    "contradiction in one property": Variant(
        {"allOf": [an_object("", a=S), an_object("", a=N)]}, [{}], [{"a": "x"}, {"a": 1}]
    ),
    "properties beside a reference, nothing else": Variant(
        {"allOf": [an_object("a", a=S), {"properties": {"b": N}, "required": ["b"]}], "unevaluatedProperties": False},
        [{"a": "x", "b": 1}],
        [{"a": "x"}, {"a": "x", "b": "y"}],
        [{"a": "x", "b": 1, "c": 1}],
    ),
    "no items at all": Variant({"type": "array", "items": S, "maxItems": 0}, [[]], [["x"]]),
    "items of no schema": Variant({"type": "array", "items": False}, [[]], [[1]]),
    "old tuple with a rest": Variant(
        {"type": "array", "items": [S], "additionalItems": N, "minItems": 1}, [["a", 1, 2]], [["a", "b"], []]
    ),
    "names from a list": Variant(
        {"$defs": {"K": {"enum": ["x", "y"]}}, "type": "object", "propertyNames": {"$ref": "#/$defs/K"}, "additionalProperties": S},
        [{"x": "a"}, {}],
        [{"z": "a"}, {"x": 1}],
    ),
    "dependencies of properties": Variant(
        {"type": "object", "properties": {"a": S, "b": S}, "dependencies": {"a": ["b"]}},
        [{"b": "x"}, {"a": "x", "b": "y"}, {}],
        [{"a": 1}],
        [{"a": "x"}],
    ),
    "five thousand choices": Variant(
        {"enum": [f"value-{number}" for number in range(5_000)]}, ["value-1", "value-4999"], ["other", 1]
    ),
    "choices of every type": Variant(
        {"enum": [1, "a", True, None, 1.5, {"k": 1}, [1, "z"]]},
        [1, "a", True, None, 1.5, {"k": 1}, [1, "z"]],
        [2, "b", False, {"k": 2}, {}, [1]],
    ),
    "names of every kind": Variant(
        an_object("constructor then toString größe 日本 🙂", constructor=S, then=N, toString=S, **{"größe": S, "日本": N, "🙂": N, "": S, 'a"b': S, "a\nb": N, "a\u2028b": N, "\u202eback": S}),
        [{"constructor": "x", "then": 1, "toString": "s", "größe": "g", "日本": 1, "🙂": 2}],
        [{"constructor": "x"}, {"constructor": "x", "then": 1, "toString": "s", "größe": 1, "日本": 1, "🙂": 2}],
    ),
    "optional properties that objects inherit": Variant(
        {**an_object("", constructor=S, valueOf=N, hasOwnProperty={"type": "boolean"}), "additionalProperties": S},
        [{}, {"constructor": "x"}, {"valueOf": 1}, {"hasOwnProperty": True, "more": "x"}],
        [{"constructor": 1}, {"valueOf": "x"}, {"hasOwnProperty": "x"}],
    ),
    "words that are none": Variant(
        {"type": "object", "description": ["no", "text"], "properties": {"a": {"type": "string", "description": "*/ } evil /* \u2028 \0 <b> \u202e"}, "b": {"type": "string", "description": "x" * 100_000}, "c": {"type": "number", "description": {"en": "x"}, "title": 5}}, "required": ["a"]},
        [{"a": "x"}],
        [{}, {"a": 1}],
    ),
    "defaults and examples of any kind": Variant(
        an_object("", a={"type": "string", "default": "*/ x /*", "examples": "x"}, b={"type": "number", "default": float("inf")}, c={"type": "object", "default": {"x": "\u2028"}}),
        [{}, {"b": 1}],
        [{"a": 1}],
    ),
    "an API that clears a field with an empty text": Variant(
        an_object("", metadata={"anyOf": [{"type": "object", "additionalProperties": S}, {"type": "string", "enum": [""]}]}),
        [{"metadata": ""}, {"metadata": {"a": "b"}}],
        [{"metadata": "x"}, {"metadata": {"a": 1}}],
    ),
}  # fmt: skip

SPELLINGS: Final = [
    "List<Item>", "Resp[int]", "Größe", "a b", "a%b", "a%20b", 'a"b', "a{b}", "«x»", "a#b", "a/b",
    "a~b", "a\\b", "日本",
]  # fmt: skip


@cache
def verdicts() -> dict[str, list[tuple[int, str]]]:
    return problems(
        {name: module_of(variant) for name, variant in VARIANTS.items()},
        exactOptionalPropertyTypes=True,
    )


def module_of(variant: Variant) -> str:
    text = schema_to_type(variant.schema, name="T", comments=True)
    values = [*variant.good, *variant.bad, *variant.only]
    lines = [f"const v{place}: T = {literal(value)};" for place, value in enumerate(values)]
    return "\n".join([text, "export {};", *lines])


@pytest.mark.parametrize("name", VARIANTS)
def test_the_type_takes_what_fits(name: str) -> None:
    variant = VARIANTS[name]
    text = module_of(variant)
    first = text.split("export {};")[0].count("\n") + 2
    lines = {line for line, _ in verdicts()[name]}
    assert min(lines, default=first) >= first, verdicts()[name][:2]
    for place, value in enumerate(variant.good):
        assert first + place not in lines, f"must accept {value!r}: {text[:2_000]}"
    for place, value in enumerate(variant.bad, len(variant.good)):
        assert first + place in lines, f"must reject {value!r}: {text[:2_000]}"


@pytest.mark.parametrize("name", VARIANTS)
def test_the_validator_takes_what_fits(name: str) -> None:
    variant = VARIANTS[name]
    validator = compile_validator(variant.schema)
    assert validator.warnings == ()
    for value in variant.good:
        assert validator.is_valid(value), (value, validator.problems(value))
    closed_by_type = [value for value in variant.bad if not validator.is_valid(value)]
    assert closed_by_type
    for value in variant.only:
        assert not validator.is_valid(value), value


@pytest.mark.parametrize("name", SPELLINGS)
def test_references_need_be_no_uris(name: str) -> None:
    pointer = name.replace("~", "~0").replace("/", "~1")
    schema = {"$defs": {name: S}, **an_object("x", x={"$ref": f"#/$defs/{pointer}"})}
    validator = compile_validator(schema)
    assert validator.warnings == ()
    assert validator.is_valid({"x": "text"})
    assert not validator.is_valid({"x": 1})
    assert schema_to_type(schema) == "{ x: string; }"


def test_a_discriminator_asks_for_its_property() -> None:
    schema = {
        "$defs": PET,
        "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"},
        },
    }
    text = schema_to_type(schema)
    assert text == '{ kind: "cat"; m: number; } | { b: string; kind: "dog"; }'
    (problem,) = compile_validator(schema).problems({"kind": "cow", "m": 1})
    assert problem.message == 'must be "cat" or "dog", got "cow"'
