"""From a JSON Schema to the shape of the values that it accepts.

Where a shape cannot say what a schema says it says less, never something else:

- bounds, patterns, formats, `not`, `if`, `contains`, `dependentRequired`, `unevaluated…` and the
  exclusiveness of `oneOf` do not narrow it;
- patterns of names are not looked into: a property that no `properties` names may hold whatever
  any of the patterns, or `additionalProperties`, allow;
- where an `allOf` is merged, `additionalProperties` of one part does not bear on the properties
  that another part names;
- properties that a schema does not mention are not offered, unless `additionalProperties` or
  `patternProperties` allow them expressly;
- a schema that only has keywords of objects or arrays, and no `type`, is read as of that type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from toolscript.contract.constant import constant
from toolscript.contract.discriminator import discriminator_values
from toolscript.contract.documentation import doc_of, merged_docs
from toolscript.contract.names import words
from toolscript.contract.places import Path, last_word, reference_word, shown, shown_path
from toolscript.contract.reading import Reading
from toolscript.contract.references import DEPTH, References
from toolscript.contract.schema import Document, Node
from toolscript.contract.shape import (
    BOOLEAN,
    NEVER,
    NULL,
    NUMBER,
    RECORD,
    STRING,
    UNKNOWN,
    ArrayOf,
    Doc,
    Exactly,
    ObjectOf,
    Property,
    Ref,
    Shape,
    Tuple,
    Union,
    Unknown,
    intersect,
    union,
)

_MOST_NAMES: Final = 64
"""Names of a `propertyNames` enumeration that become properties."""

_OBJECT_KEYWORDS: Final = words(
    """
    properties required additionalProperties patternProperties minProperties maxProperties
    propertyNames dependentRequired dependentSchemas unevaluatedProperties
    """
)
_ARRAY_KEYWORDS: Final = words(
    "items prefixItems additionalItems contains minItems maxItems uniqueItems unevaluatedItems"
)
_SCALARS: Final[Mapping[str, Shape]] = {
    "string": STRING,
    "number": NUMBER,
    "integer": NUMBER,
    "boolean": BOOLEAN,
    "null": NULL,
}


def read_schema(schema: Node) -> Reading:
    """What a schema says, of any draft; only references within it are followed."""
    reader = _Reader(Document(schema))
    root = reader.whole()
    references = reader.references
    return Reading(root, references.definitions, references.hints, references.docs, reader.problems)


class _Reader:
    """Reads one document, keyword by keyword."""

    def __init__(self, document: Document):
        self.references = References(self._read)
        self.problems: list[str] = []
        self._document = document

    def whole(self) -> Shape:
        """The shape of the whole document; afterwards all definitions that it needs exist."""
        root = self._document.root
        if not isinstance(root, Mapping):
            return self.shape(root)
        shape = self.references.to(root, None, "")
        self.references.read_all()
        return shape

    def shape(self, node: object, path: Path = None) -> Shape:
        """The shape of a subschema: in one piece, or a reference where it is shared or too deep."""
        if isinstance(node, bool):
            return UNKNOWN if node else NEVER
        if not isinstance(node, Mapping):
            self._problem(path, f"a schema must be an object or a boolean, not {shown(node)}")
            return UNKNOWN
        schema = cast("Mapping[str, Any]", node)
        if self.references.is_deep or self._document.is_shared(schema):
            return self.references.to(schema, path, last_word(path))
        return self.references.read(schema, path)

    def _problem(self, path: Path, message: str) -> None:
        if len(self.problems) < 20:
            self.problems.append(f"{shown_path(path)}: {message}")

    def _read(self, schema: Mapping[str, Any], path: Path) -> Shape:
        shape = self._own(schema, path)
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if keyword in schema:
                shape = self._both(shape, self._follow(schema, keyword, path))
        for part in self._listed(schema, "allOf", path):
            shape = self._both(shape, part)
        for keyword in ("anyOf", "oneOf"):
            choices = self._listed(schema, keyword, path)
            if choices:
                tags = discriminator_values(schema, keyword)
                if tags is not None:
                    name, values = tags
                    choices = [
                        self._with_tag(choice, name, value)
                        for choice, value in zip(choices, values, strict=True)
                    ]
                shape = self._both(shape, union(choices))
        if schema.get("not") is True or schema.get("not") == {}:
            return NEVER
        if schema.get("nullable") is True and not isinstance(shape, Unknown):
            return union((shape, NULL))
        return shape

    def _both(self, a: Shape, b: Shape) -> Shape:
        return intersect(a, b, self.references.merged)

    def _follow(self, schema: Mapping[str, Any], keyword: str, path: Path) -> Shape:
        reference = schema[keyword]
        if not isinstance(reference, str):
            self._problem(path, f"{keyword} must be a string, not {shown(reference)}")
            return UNKNOWN
        target = self._document.resolve(schema, reference)
        if target is None:
            self._problem(path, f"nothing in this schema is called {shown(reference)}")
            return UNKNOWN
        if isinstance(target, bool):
            return UNKNOWN if target else NEVER
        return self.references.to(target, path, reference_word(reference))

    def _listed(self, schema: Mapping[str, Any], keyword: str, path: Path) -> list[Shape]:
        parts: object = schema.get(keyword)
        if parts is None:
            return []
        listed = cast("list[Any]", parts) if isinstance(parts, list) else []
        if not listed:
            self._problem(
                path, f"{keyword} must be a list of schemas, not {shown(schema[keyword])}"
            )
        return [
            self.shape(part, ((path, keyword), str(number))) for number, part in enumerate(listed)
        ]

    def _with_tag(self, choice: Shape, tag: str, value: Shape | None) -> Shape:
        """A choice that has the discriminating property, with its value where it names none.

        Without the property nobody could tell which choice is meant (OpenAPI 3.1, section 4.8.25),
        also where a choice has a default for it.
        """
        seen = self.references.merged(choice) if isinstance(choice, Ref) else choice
        if not isinstance(seen, ObjectOf):
            return choice
        given = seen.properties.get(tag)
        named = given.shape if given is not None else UNKNOWN
        named = self.references.merged(named) if isinstance(named, Ref) else named
        if not isinstance(named, Unknown) and named != STRING:
            value = UNKNOWN
            if given is None or given.required:
                return choice
        if value is None:
            return choice
        return self._both(choice, ObjectOf({tag: Property(value, required=True)}))

    def _own(self, schema: Mapping[str, Any], path: Path) -> Shape:
        """What the schema says by itself, before its references and compositions."""
        shape = self._typed(schema, path)
        if "enum" in schema:
            values: object = schema["enum"]
            listed = cast("list[Any]", values) if isinstance(values, list) else []
            if listed:
                shape = self._both(shape, union(constant(value) for value in listed))
            else:
                self._problem(path, f"enum must be a list of values, not {shown(schema['enum'])}")
        if "const" in schema:
            shape = self._both(shape, constant(schema["const"]))
        return shape

    def _typed(self, schema: Mapping[str, Any], path: Path) -> Shape:
        declared = schema.get("type")
        if declared is None:
            keywords = schema.keys()
            inferred: list[Shape] = []
            if not _OBJECT_KEYWORDS.isdisjoint(keywords):
                inferred.append(self._object(schema, path))
            if not _ARRAY_KEYWORDS.isdisjoint(keywords):
                inferred.append(self._array(schema, path))
            return union(inferred) if inferred else UNKNOWN
        if isinstance(declared, list):
            names = cast("list[Any]", declared)
            # Read a schema once for each type, however often the list repeats it.
            known = dict.fromkeys(name for name in names if isinstance(name, str))
            others = [name for name in names if not isinstance(name, str)]
            if not names:
                self._problem(path, "type must name at least one type, not an empty list")
                return UNKNOWN
            return union(self._of_type(name, schema, path) for name in (*known, *others))
        return self._of_type(declared, schema, path)

    def _of_type(self, name: object, schema: Mapping[str, Any], path: Path) -> Shape:
        if name == "object":
            return self._object(schema, path)
        if name == "array":
            return self._array(schema, path)
        if isinstance(name, str) and name in _SCALARS:
            return _SCALARS[name]
        if isinstance(name, Mapping):  # draft 3 allowed schemas in the list
            return self.shape(cast("Mapping[str, Any]", name), (path, "type"))
        if name != "any":
            self._problem(path, f"there is no type {shown(name)}")
        return UNKNOWN

    def _object(self, schema: Mapping[str, Any], path: Path) -> Shape:
        declared = schema.get("properties", {})
        if not isinstance(declared, Mapping):
            self._problem(path, f"properties must be an object, not {shown(declared)}")
            return UNKNOWN
        required = self._required(schema, path)
        repeated = "propertyNames" in schema or any(name not in declared for name in required)
        rest = self._rest(schema, path, repeated=repeated)
        properties: dict[str, Property] = {}
        for name, part in cast("Mapping[str, Any]", declared).items():
            place = ((path, "properties"), name)
            properties[name] = self._property(part, place, required=name in required)
        # Which pattern a name matches is not looked into: what such a name holds is not known.
        unnamed = UNKNOWN if rest is None or "additionalProperties" not in schema else rest
        for name in required:
            if name not in properties:
                properties[name] = Property(unnamed, required=True)
        closed = schema.get("additionalProperties") is False
        if rest is not None and not properties:
            properties = self._enumerated(schema, rest, path)
            if properties:
                return ObjectOf(properties, closed=True)
        if not properties and rest is None and not closed:
            return RECORD
        return ObjectOf(properties, rest, closed and rest is None)

    def _property(self, part: object, path: Path, *, required: bool) -> Property:
        shape = self.shape(part, path)
        if not isinstance(part, Mapping):
            return Property(shape, required)
        schema = cast("Mapping[str, Any]", part)
        doc = merged_docs(doc_of(schema), self._inner_doc(schema))
        return Property(shape, required, schema.get("readOnly") is True, doc)

    def _inner_doc(self, schema: Mapping[str, Any]) -> Doc:
        """What the only choice that is not null says, as in `anyOf: [{…}, {type: null}]`."""
        for keyword in ("anyOf", "oneOf", "allOf"):
            choices = schema.get(keyword)
            if isinstance(choices, list):
                real = [
                    cast("Mapping[str, Any]", choice)
                    for choice in cast("list[Any]", choices)
                    if isinstance(choice, Mapping)
                    and cast("Mapping[str, Any]", choice).get("type") != "null"
                ]
                if len(real) == 1:
                    return doc_of(real[0])
        return Doc()

    def _required(self, schema: Mapping[str, Any], path: Path) -> dict[str, None]:
        declared = schema.get("required", [])
        if isinstance(declared, bool):  # draft 3 had a boolean, on the property itself
            return {}
        if not isinstance(declared, list):
            self._problem(path, f"required must be a list of names, not {shown(declared)}")
            return {}
        names = cast("list[Any]", declared)
        return {name: None for name in names if isinstance(name, str)}

    def _rest(self, schema: Mapping[str, Any], path: Path, *, repeated: bool) -> Shape | None:
        """The shape of properties that are not named, where the schema allows them expressly.

        One that will stand in the result several times is a reference, to be written once.
        """
        shapes: list[Shape] = []
        patterns = schema.get("patternProperties", {})
        if isinstance(patterns, Mapping):
            for pattern, part in cast("Mapping[str, Any]", patterns).items():
                place = ((path, "patternProperties"), pattern)
                shapes.append(self._placed(part, place, repeated))
        else:
            self._problem(path, f"patternProperties must be an object, not {shown(patterns)}")
        additional = schema.get("additionalProperties", False)
        if additional is not False:
            shapes.append(self._placed(additional, (path, "additionalProperties"), repeated))
        return union(shapes) if shapes else None

    def _placed(self, node: object, path: Path, repeated: bool) -> Shape:
        if repeated and isinstance(node, Mapping):
            return self.references.to(cast("Mapping[str, Any]", node), path, last_word(path))
        return self.shape(node, path)

    def _enumerated(
        self, schema: Mapping[str, Any], rest: Shape, path: Path
    ) -> dict[str, Property]:
        """Optional properties for the names of a `propertyNames` enumeration."""
        if "propertyNames" not in schema:
            return {}
        names = self.shape(schema["propertyNames"], (path, "propertyNames"))
        names = (self.references.merged(names) or UNKNOWN) if isinstance(names, Ref) else names
        texts = [
            member.text
            for member in (names.members if isinstance(names, Union) else (names,))
            if isinstance(member, Exactly) and member.kind == "string"
        ]
        count = len(names.members) if isinstance(names, Union) else 1
        if len(texts) != count or count > _MOST_NAMES:
            return {}
        values = self._names_of(schema["propertyNames"])
        return {name: Property(rest) for name in values}

    def _names_of(self, node: Node) -> list[str]:
        """The strings of an enumeration, through references."""
        for _ in range(DEPTH):
            if not isinstance(node, Mapping):
                return []
            if isinstance(node.get("enum"), list):
                return [name for name in node["enum"] if isinstance(name, str)]
            if isinstance(node.get("const"), str):
                return [node["const"]]
            reference = node.get("$ref")
            if not isinstance(reference, str):
                return []
            node = self._document.resolve(node, reference) or False
        return []

    def _array(self, schema: Mapping[str, Any], path: Path) -> Shape:
        prefix = schema.get("prefixItems")
        after = schema.get("items", True)
        if prefix is None and isinstance(after, list):
            prefix, after = cast("list[Any]", after), schema.get("additionalItems", True)
        if prefix is None:
            if after is False or _whole(schema.get("maxItems")) == 0:
                return Tuple((), 0, None)
            return ArrayOf(self.shape(after, (path, "items")))
        if not isinstance(prefix, list):
            self._problem(path, f"prefixItems must be a list of schemas, not {shown(prefix)}")
            return ArrayOf(UNKNOWN)
        listed = cast("list[Any]", prefix)
        items = [
            self.shape(part, ((path, "prefixItems"), str(number)))
            for number, part in enumerate(listed)
        ]
        most = _whole(schema.get("maxItems"))
        rest: Shape | None = self.shape(after, (path, "items"))
        if after is False or (most is not None and most <= len(items)):
            rest = None
        if most is not None:
            items = items[:most]
        fewest = _whole(schema.get("minItems")) or 0
        if rest is None and fewest > len(items):
            return NEVER
        return Tuple(tuple(items), min(fewest, len(items)), rest)


def _whole(value: object) -> int | None:
    """A non-negative whole number, also where it is written as 2.0; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return None
    return int(value) if value == value and value != float("inf") else None
