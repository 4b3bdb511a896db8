"""Values against schemas: what fits, what is said of what does not, and hostile schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolscript.contract.validation import compile_validator, validate_input, validate_output
from toolscript.errors import ContractError, ToolError

SEARCH: dict[str, Any] = {
    "type": "object",
    "properties": {
        "q": {"type": "string"},
        "token": {"type": "string"},
        "n": {"type": "integer"},
        "page-size": {"type": "integer", "maximum": 100},
        "kind": {"enum": ["issue", "pull"]},
        "nested": {
            "type": "object",
            "properties": {"value": {"type": "string"}},
            "required": ["value"],
        },
    },
    "required": ["q"],
    "additionalProperties": False,
}


def refusal(schema: Any, value: Any) -> ToolError:
    with pytest.raises(ToolError) as refused:
        validate_input(schema)(value)
    assert refused.value.code == "invalid_args"
    return refused.value


def test_a_refusal_names_what_is_missing_unknown_and_wrong() -> None:
    error = refusal(SEARCH, {"token": "sk-secret-123", "n": "abc", "pageSize": 5})
    assert "q is missing (string)" in error.message
    assert 'n must be an integer, got "abc"' in error.message
    assert 'pageSize is not an accepted property (did you mean "page-size"?)' in error.message
    assert "Accepted: q, token?, n?, page-size?, kind?, nested?" in error.message
    assert "sk-secret" not in str(error.details) + error.message
    assert {"path": "$.n", "message": 'must be an integer, got "abc"'} in error.details["problems"]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"q": "a", "nested": {}}, "nested.value is missing (string)"),
        ({"q": "a", "kind": "pr"}, 'kind must be one of "issue" or "pull", got "pr"'),
        ({"q": "a", "page-size": 1000}, '"page-size" must be at most 100, got 1000'),
        ({"q": None}, "q must be a string, got null"),
        ({"q": ["a"]}, "q must be a string, got an array"),
        ([], "the argument must be an object, got an array"),
        ({"q": 10**400}, "q must be a string, got an integer of about 401 digits"),
    ],
)
def test_sentences(value: Any, sentence: str) -> None:
    assert sentence in refusal(SEARCH, value).message


CAT = {"properties": {"kind": {"const": "cat"}, "lives": {"type": "number"}}}
DOG = {"properties": {"kind": {"const": "dog"}, "name": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "value", "sentence"),
    [
        (
            {"oneOf": [CAT | {"required": ["kind", "lives"]}, DOG | {"required": ["kind"]}]},
            {"kind": "cow"},
            'kind must be "cat" or "dog", got "cow"',
        ),
        (
            {"anyOf": [{"required": ["id"]}, {"required": ["owner", "name"]}]},
            {},
            "the argument must have id or owner and name",
        ),
        (
            {"propertyNames": {"enum": ["red", "green"]}},
            {"blue": 1},
            'blue is not an accepted property: its name must be one of "red" or "green"',
        ),
        (
            {"propertyNames": {"pattern": "^[a-z]+$"}},
            {"A b": 1},
            '"A b" is not an accepted property: its name must match /^[a-z]+$/',
        ),
        (
            {"properties": {"state": {"enum": [f"state-{n}" for n in range(100)]}}},
            {"state": "State_57"},
            '(100 in all), got "State_57" (did you mean "state-57"?)',
        ),
        (
            {"properties": {"a": {"enum": []}}},
            {"a": 1},
            "a has a schema that no value fits, got 1",
        ),
        (
            {"properties": {"a": {"minItems": 1}, "b": {"maxProperties": 2}}},
            {"a": [], "b": {"x": 1, "y": 2, "z": 3}},
            "a must have at least 1 item, got an array; b must have at most 2 properties",
        ),
    ],
)
def test_sentences_about_choices(schema: Any, value: Any, sentence: str) -> None:
    assert sentence in refusal({"type": "object", **schema}, value).message


def test_what_is_left_over_is_told_when_the_rest_is_right() -> None:
    parts = [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "number"}}}]
    schema = {"type": "object", "allOf": parts, "unevaluatedProperties": False}
    wrong = refusal(schema, {"a": 1, "b": 2, "c": 3}).message
    assert wrong == "invalid arguments: a must be a string, got 1"
    assert "c is not an accepted property" in refusal(schema, {"a": "x", "b": 2, "c": 3}).message


def test_at_most_forty_characters_of_the_wrong_value_are_quoted() -> None:
    long = "x" * 39 + "END" + "y" * 1_000
    message = refusal(SEARCH, {"q": "a", "n": long}).message
    assert "x" * 39 + "E" in message
    assert "EN" not in message


@pytest.mark.parametrize("name", ["password", "api_key", "accessToken", "Authorization"])
def test_values_under_secret_names_are_not_quoted(name: str) -> None:
    schema = {"type": "object", "properties": {name: {"type": "integer"}}}
    assert "hunter2" not in refusal(schema, {name: "hunter2"}).message


def test_values_of_secret_types_are_not_quoted() -> None:
    secret = {"anyOf": [{"type": "string", "format": "password"}, {"type": "null"}]}
    schema = {"type": "object", "properties": {"pin": secret}}
    message = refusal(schema, {"pin": 4711}).message
    assert "pin must be a string or null, got a number" in message


def test_a_union_is_explained_by_its_nearest_branch() -> None:
    circle = {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}}
    square = {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}}
    for branch, size in ((circle, "r"), (square, "side")):
        branch["type"] = "object"
        branch["required"] = ["kind", size]
    schema = {"type": "object", "properties": {"shape": {"oneOf": [circle, square]}}}
    message = refusal(schema, {"shape": {"kind": "square"}}).message
    assert "shape.side is missing (number)" in message
    assert "circle" not in message


def test_the_number_of_problems_is_bounded() -> None:
    schema = {"type": "array", "items": {"type": "string"}}
    message = refusal(schema, list(range(10_000))).message
    assert len(message) < 1_000
    assert "more" in message


ROW = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
    "required": ["b"],
}


@pytest.mark.parametrize(
    ("schema", "value", "sentence"),
    [
        ({"items": ROW}, [{"a": 1, "b": 1}] * 200_000, "[0].a must be a string, got 1"),
        ({"items": ROW}, [{"b": 1}] * 5_000 + [{}], "[5000].b is missing (integer)"),
        ({"maxItems": 10}, [1] * 200_000, "must have at most 10 items"),
        ({"minItems": 9_000}, [1] * 5_000, "must have at least 9000 items"),
        (
            {"anyOf": [{"type": "string"}, {"items": ROW}]},
            [{"a": 1, "b": 1}] * 200_000,
            "[0].a must be a string, got 1",
        ),
        ({"anyOf": [{"items": ROW}]}, [{"b": 1}] * 5_000 + [{}], "beyond its first items"),
        ({"additionalProperties": ROW}, {f"k{n}": 1 for n in range(200_000)}, "must be an object"),
        ({"not": {"items": ROW}}, [{"b": 1}] * 200_000, "is excluded"),
    ],
)
def test_large_values_are_explained_by_their_first_parts(
    schema: Any, value: Any, sentence: str
) -> None:
    message = refusal(schema, value).message
    assert sentence in message
    assert len(message) < 2_000


NESTED = {
    "$defs": {
        "n": {
            "oneOf": [
                {"type": "integer"},
                {"type": "array", "items": {"$ref": "#/$defs/n"}},
                {"type": "array", "items": {"$ref": "#/$defs/n"}, "minItems": 1},
            ]
        }
    },
    "$ref": "#/$defs/n",
}
EXPRESSION = {
    "$defs": {
        "e": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {
                        "args": {"type": "array", "items": {"$ref": "#/$defs/e"}},
                        "kind": {"const": kind},
                    },
                    "required": ["kind"],
                }
                for kind in ("and", "or", "not")
            ]
        }
    },
    "$ref": "#/$defs/e",
}
BINARY = {
    "properties": {
        "v": {"type": "integer"},
        "a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
        "b": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
    }
}


def chain(levels: int, end: Any, wrap: Callable[[Any], Any]) -> Any:
    for _ in range(levels):
        end = wrap(end)
    return end


@pytest.mark.parametrize(
    ("schema", "value", "sentence"),
    [
        (NESTED, chain(2, "x", lambda one: [one]), "[0][0] must be an integer or an array"),
        (NESTED, chain(400, "x", lambda one: [one]), "too many alternatives to say where"),
        (EXPRESSION, chain(1, {"kind": "xor"}, lambda one: {"kind": "not", "args": [one]}), "kind"),
        (
            EXPRESSION,
            chain(100, {"kind": "xor"}, lambda one: {"kind": "not", "args": [one]}),
            "too many alternatives to say where",
        ),
        (BINARY, chain(40, {"v": "x"}, lambda one: {"a": one}), "v must be an integer"),
        (BINARY, chain(14, {"v": "x"}, lambda one: {"a": one, "b": one}), "does not fit"),
        ({"items": {"items": {}}, "maxItems": 0}, chain(300, 1, lambda one: [one]), "does not fit"),
    ],
)
def test_saying_what_is_wrong_ends_however_many_alternatives_there_are(
    schema: Any, value: Any, sentence: str
) -> None:
    validator = compile_validator(schema)
    assert not validator.is_valid(value)
    message = refusal(schema, value).message
    assert sentence in message
    assert len(message) < 2_000


def doubling(levels: int, double: Callable[[Any], Any]) -> Any:
    definitions = {f"d{n}": double({"$ref": f"#/$defs/d{n + 1}"}) for n in range(levels)}
    return {"$defs": {**definitions, f"d{levels}": {"type": "integer"}}, "$ref": "#/$defs/d0"}


@pytest.mark.parametrize(
    ("double", "wrap"),
    [
        (lambda one: {"allOf": [one, one]}, lambda value: value),
        (lambda one: {"anyOf": [{"not": one}, {"not": one}]}, lambda value: value),
        (lambda one: {"allOf": [{"items": one}, {"items": one}]}, lambda value: [value]),
        (
            lambda one: {"allOf": [{"properties": {"x": one}}, {"additionalProperties": one}]},
            lambda value: {"x": value},
        ),
    ],
)
def test_definitions_that_multiply_each_other_are_not_checked(double: Any, wrap: Any) -> None:
    few = compile_validator(doubling(8, double))
    assert few.warnings == ()
    assert few.is_valid(chain(8, 1, wrap))
    many = compile_validator(doubling(60, double), where="tool 't': input schema")
    assert many.warnings == (
        "tool 't': input schema: is not checked: its definitions multiply each other",
    )
    assert many.is_valid(chain(60, "x", wrap))
    with pytest.raises(ContractError, match="multiply each other"):
        compile_validator(doubling(60, double), strict=True)


def test_recursion_and_shared_definitions_do_not_multiply() -> None:
    node = {"properties": {name: {"$ref": "#/$defs/node"} for name in "abcdef"}}
    shared = {"properties": {name: {"$ref": "#/$defs/leaf"} for name in "abcdef"}}
    wide = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("node", "shared", "leaf")] * 20}
    definitions = {"node": node, "shared": shared, "leaf": {"type": "integer"}, "wide": wide}
    schema = {"$defs": definitions, "items": {"$ref": "#/$defs/wide"}}
    assert compile_validator(schema).warnings == ()


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "^(a|a)*b(?=c)$"}, "a" * 5_000),
        ({"items": {"pattern": "^(a|a)*b(?=c)$"}}, ["a" * 40] * 5_000),
        (
            {"patternProperties": {"^(a|a)*b(?=c)$": {}}, "additionalProperties": False},
            {"a" * 40: 1},
        ),
    ],
)
def test_a_pattern_that_never_ends_is_told_as_such(schema: Any, value: Any) -> None:
    assert "takes too long to check against its pattern" in refusal(schema, value).message


def test_long_names_and_paths_are_cut() -> None:
    found = refusal({"additionalProperties": False}, {"k" * 100_000: 1})
    assert len(found.message) < 200
    deep = chain(200, "x", lambda one: {"a": one})
    found = refusal({"additionalProperties": {"$ref": "#"}, "type": "object"}, deep)
    assert "a.a…a.a" in found.message.replace("a.a.a", "a.a")
    assert len(found.message) < 500


def test_results_are_refused_with_their_own_code() -> None:
    with pytest.raises(ToolError) as refused:
        validate_output({"type": "integer"})("x")
    assert refused.value.code == "invalid_result"
    assert "the tool returned a wrong result" in refused.value.message


def test_integers_of_any_size_and_whole_floats_are_integers() -> None:
    validator = compile_validator({"type": "integer"})
    assert validator.is_valid(2**200)
    assert validator.is_valid(1.0)
    assert not validator.is_valid(1.5)
    assert not validator.is_valid(True)


def test_formats_are_no_assertion() -> None:
    assert compile_validator({"type": "string", "format": "email"}).is_valid("nobody")


def nested_schema(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


HOSTILE: list[tuple[str, Any]] = [
    ("properties is a list", {"type": "object", "properties": []}),
    ("unknown type", {"type": "objct"}),
    ("required is a boolean", {"type": "object", "properties": {"a": {"required": True}}}),
    ("remote reference", {"$ref": "http://127.0.0.1:9/schema.json"}),
    ("file reference", {"properties": {"a": {"$ref": "file:///etc/passwd"}}}),
    ("dangling reference", {"properties": {"a": {"$ref": "#/$defs/Gone"}}}),
    ("no regular expression", {"type": "string", "pattern": "(unclosed"}),
    ("bad pattern property", {"patternProperties": {"(": {}}, "additionalProperties": False}),
    ("fragment as id", {"$id": "#here", "type": "object"}),
    ("a number as schema", 5),
    ("no JSON inside", {"enum": [object()]}),
    ("very deep", nested_schema(30_000)),
]


@pytest.mark.parametrize("schema", [schema for _, schema in HOSTILE], ids=[n for n, _ in HOSTILE])
def test_a_schema_that_cannot_be_read_costs_a_warning(schema: Any) -> None:
    validator = compile_validator(schema, where="tool 'x': input schema")
    assert len(validator.warnings) >= 1
    assert validator.warnings[0].startswith("tool 'x': input schema: ")
    assert validator.is_valid({"a": {"b": 1}}) or validator.is_valid("text")
    with pytest.raises(ContractError, match="tool 'x': input schema"):
        compile_validator(schema, where="tool 'x': input schema", strict=True)


def test_what_can_be_read_beside_it_is_still_checked() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Gone"}, "b": {"type": "string", "pattern": "("}},
        "required": ["b"],
    }
    validator = compile_validator(schema)
    assert validator.is_valid({"a": 1, "b": "x"})
    assert not validator.is_valid({"a": 1})
    assert not validator.is_valid({"b": 1})


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"items": [{"type": "string"}], "additionalItems": False}, ["a"], ["a", 1]),
        ({"minimum": 1, "exclusiveMinimum": True}, 2, 1),
        ({"type": "string", "nullable": True}, None, 1),
        ({"type": "string", "enum": ["a"], "nullable": True}, None, "b"),
        ({"properties": {"a": {}}, "dependencies": {"a": ["b"]}}, {"a": 1, "b": 2}, {"a": 1}),
        ({"$ref": "#/definitions/S", "definitions": {"S": {"type": "string"}}}, "x", 1),
        ({"properties": {"$ref": {"type": "string"}}}, {"$ref": "x"}, {"$ref": 1}),
        ({"$schema": "https://example.invalid/own", "type": "string"}, "x", 1),
        ({"properties": {"a": {"$ref": "#"}, "n": {"type": "null"}}}, {"a": {}}, {"a": {"n": 1}}),
        (
            {
                "$schema": "http://json-schema.org/draft-04/schema#",
                "maximum": 2,
                "exclusiveMaximum": True,
            },
            1,
            2,
        ),
    ],
)
def test_words_of_every_draft(schema: Any, good: Any, bad: Any) -> None:
    validator = compile_validator(schema)
    assert validator.warnings == ()
    assert validator.is_valid(good)
    assert not validator.is_valid(bad)


def test_a_pattern_does_not_backtrack_without_end() -> None:
    hostile = "a" * 5_000 + "!"
    assert not compile_validator({"type": "string", "pattern": "^(a+)+$"}).is_valid(hostile)
    assert not compile_validator({"type": "string", "pattern": "^(?=(a+)+$)b"}).is_valid(hostile)


def test_lone_surrogates_are_characters_like_others() -> None:
    short = compile_validator({"type": "string", "maxLength": 2})
    assert short.problems("\ud800a") == []
    (problem,) = short.problems("\ud800ab")
    assert "2" in problem.message
    assert compile_validator({"type": "array"}).problems("\ud800")


def test_the_schema_that_was_given_is_not_changed() -> None:
    schema = {"items": [{"type": "string", "nullable": True}], "default": [1], "$id": "#x"}
    before = repr(schema)
    compile_validator(schema)
    assert repr(schema) == before


scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)


def schemas() -> st.SearchStrategy[Any]:
    kinds = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
    leaf = (
        st.booleans()
        | st.builds(lambda kind: {"type": kind}, kinds)
        | st.builds(lambda found: {"enum": found}, st.lists(scalars, min_size=1, max_size=3))
        | st.builds(lambda low: {"minimum": low}, st.integers(-3, 3))
        | st.builds(lambda size: {"minLength": size, "type": "string"}, st.integers(0, 2))
    )

    def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        several = st.lists(inner, min_size=1, max_size=3)
        return (
            st.builds(
                lambda named, needed, rest: {
                    "type": "object",
                    "properties": named,
                    "required": sorted(needed),
                    **({} if rest is None else {"additionalProperties": rest}),
                },
                st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
                st.sets(st.sampled_from("abc"), max_size=2),
                st.none() | inner,
            )
            | st.builds(lambda one: {"type": "array", "items": one}, inner)
            | st.builds(lambda found: {"prefixItems": found, "items": False}, several)
            | st.builds(
                lambda word, found: {word: found},
                st.sampled_from(["anyOf", "oneOf", "allOf"]),
                several,
            )
            | st.builds(lambda one: {"not": one}, inner)
        )

    return st.recursive(leaf, grown, max_leaves=6)


@settings(max_examples=300)
@given(schemas(), st.lists(values, min_size=1, max_size=5))
def test_it_agrees_with_an_independent_validator(schema: Any, instances: list[Any]) -> None:
    validator = compile_validator(schema)
    reference = jsonschema.Draft202012Validator(schema)
    assert validator.warnings == ()
    for instance in instances:
        assert validator.is_valid(instance) == reference.is_valid(instance)


anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "items",
                    "$ref",
                    "enum",
                    "required",
                    "anyOf",
                    "pattern",
                    "additionalProperties",
                    "$defs",
                    "minimum",
                    "nullable",
                    "$id",
                    "const",
                    "not",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=300)
@given(anything, values)
def test_no_schema_however_wrong_raises(schema: Any, instance: Any) -> None:
    validator = compile_validator(schema)
    assert validator.is_valid(instance) == (not validator.problems(instance))
