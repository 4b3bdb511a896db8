"""Types and schemas agree: what `jsonschema` accepts a type accepts, and the other way round.

A type may say less than a schema (the list is in `contract/interpret.py`). So a value that a
schema refuses and a type takes is tried again with the schema reduced to what types express.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.contract.schemas import VALUES, attempt, schemas
from tests.tsc import literal, problems
from toolscript import schema_to_type

Probe = tuple[dict[str, Any], list[Any]]


def walk(schema: Any, change: Any) -> Any:
    """A schema with `change` applied to every subschema, inner ones first."""
    if not isinstance(schema, dict):
        return schema
    out = dict(schema)
    for keyword in ("properties", "patternProperties", "$defs"):
        if keyword in out:
            out[keyword] = {name: walk(part, change) for name, part in out[keyword].items()}
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if keyword in out:
            out[keyword] = [walk(part, change) for part in out[keyword]]
    for keyword in ("items", "additionalProperties", "not", "if", "then"):
        if keyword in out:
            out[keyword] = walk(out[keyword], change)
    return change(out)


def widened(schema: dict[str, Any]) -> dict[str, Any]:
    """What types do not express is left out: the documented widenings."""
    for keyword in ("minimum", "minLength", "not", "if", "then"):
        schema.pop(keyword, None)
    if "oneOf" in schema:
        schema["allOf"] = [*schema.get("allOf", []), {"anyOf": schema.pop("oneOf")}]
    if schema.pop("nullable", False):
        schema = {"anyOf": [schema, {"type": "null"}]}
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    if schema.get("type") == "integer":
        schema["type"] = "number"
    elif isinstance(schema.get("type"), list):
        schema["type"] = ["number" if name == "integer" else name for name in schema["type"]]
    if "prefixItems" in schema:
        given_items = len(schema["prefixItems"])
        if schema.get("maxItems", 0) > given_items:
            schema.pop("maxItems")
        if schema.get("minItems", 0) > given_items and (
            schema.get("items", True) is not False and "maxItems" not in schema
        ):
            schema["minItems"] = given_items
    elif schema.get("type") == "array":
        schema.pop("minItems", None)
        schema.pop("maxItems", None)
    rest = list(schema.pop("patternProperties", {}).values())
    if schema.get("additionalProperties", False) is not False:
        rest.append(schema["additionalProperties"])
    elif rest and schema.get("required"):
        rest.append(True)
    if rest:
        named = schema.get("properties", {}).values()
        schema["additionalProperties"] = {"anyOf": [*rest, *named]}
    return schema


def open_to_others(schema: dict[str, Any]) -> dict[str, Any]:
    """Where parts are merged, one part does not bear on the properties that another one names."""
    schema.pop("additionalProperties", None)
    if any(isinstance(value, dict) for value in schema.get("enum", [])):
        schema.pop("enum")
    return schema


def is_composed(schema: Any) -> bool:
    text = str(schema)
    return any(keyword in text for keyword in ("anyOf", "oneOf", "allOf", "$ref"))


def narrowed(schema: dict[str, Any]) -> dict[str, Any]:
    """Objects that say nothing of other properties are closed: the documented narrowing."""
    names = dict.fromkeys(schema.get("required", []), True) | schema.get("properties", {})
    if "additionalProperties" not in schema and (names or "patternProperties" in schema):
        schema["properties"] = names
        schema["additionalProperties"] = False
    return schema


def accepts(schema: dict[str, Any], value: Any) -> bool:
    return Draft202012Validator(schema).is_valid(value)


def collected(count: int) -> list[Probe]:
    """Random schemas with values. The compiler then judges all of them in one run."""
    probes: list[Probe] = []

    @given(schemas(), st.lists(VALUES, min_size=2, max_size=6))
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def collect(schema: dict[str, Any], values: list[Any]) -> None:
        random = Random(len(probes))
        probes.append((schema, [*values, *(attempt(schema, random) for _ in range(10))]))

    collect()
    return probes


def test_types_and_schemas_agree() -> None:
    probes = collected(400)
    modules: dict[str, str] = {}
    for number, (schema, values) in enumerate(probes):
        text = schema_to_type(schema, name="T", comments=True)
        lines = [f"const v{place}: T = {literal(value)};" for place, value in enumerate(values)]
        modules[str(number)] = "\n".join([text, "export {};", *lines])
    found = problems(modules, exactOptionalPropertyTypes=True)
    wrong: list[tuple[str, Any, Any, str]] = []
    for number, (schema, values) in enumerate(probes):
        text = modules[str(number)]
        wide = walk(schema, widened)
        if is_composed(schema["allOf"][0]):
            wide = walk(wide, open_to_others)
        first = text.split("export {};")[0].count("\n") + 2
        lines = {line for line, _ in found[str(number)]}
        assert min(lines, default=first) >= first, (schema, text, found[str(number)])
        for place, value in enumerate(values):
            taken = first + place not in lines
            if accepts(walk(schema, narrowed), value) and not taken:
                wrong.append(("the type refuses", value, schema, text))
            if taken and not accepts(wide, value):
                wrong.append(("the type takes", value, schema, text))
    wrong.sort(key=lambda each: len(str(each[2])))
    assert not wrong, f"{len(wrong)} disagreements, the smallest schema first: {wrong[0]}"


KEYWORDS = st.sampled_from(
    [
        "$anchor",
        "$defs",
        "$id",
        "$ref",
        "additionalItems",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "definitions",
        "deprecated",
        "description",
        "discriminator",
        "enum",
        "examples",
        "format",
        "items",
        "maxItems",
        "minItems",
        "minimum",
        "not",
        "nullable",
        "oneOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "readOnly",
        "required",
        "title",
        "type",
    ]
)
WORDS = st.sampled_from(
    ["object", "array", "string", "#", "#/$defs/a", "#/properties/a", "a", "*/"]
)
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(), WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(KEYWORDS, st.just("a")), inner, max_size=4),
    ),
    max_leaves=12,
)


def test_any_json_is_read_as_a_schema() -> None:
    texts: list[str] = []

    @given(st.dictionaries(KEYWORDS, ANYTHING, max_size=5))
    @settings(
        max_examples=600,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def collect(schema: dict[str, Any]) -> None:
        texts.append(f"{schema_to_type(schema, name='T', comments=True)}\nexport {{}};")
        texts.append(f"export type T = {schema_to_type(schema)};")

    collect()
    found = problems({str(number): text for number, text in enumerate(texts)})
    wrong = [(texts[int(number)], each) for number, each in found.items() if each]
    assert not wrong, min(wrong, key=lambda pair: len(pair[0]))
