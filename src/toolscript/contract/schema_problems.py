"""What a validator found wrong with a value, in words by which a model can mend its call."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import jsonschema_rs

from toolscript.contract.nearest import nearest
from toolscript.contract.problems import (
    Path,
    Problem,
    choices_text,
    either,
    is_secret,
    missing_property,
    number_text,
    path_text,
    quote,
    unknown_property,
)

_MOST_ERRORS: Final = 32
_MOST_UNKNOWN: Final = 12
_MOST_WAYS: Final = 12
_MOST_MEANT: Final = 300
_LONGEST_MEANT: Final = 60
_TYPE_WORDS: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}


def schema_problems(
    error: jsonschema_rs.ValidationError, schema: dict[str, Any] | bool, value: Any
) -> Iterator[Problem]:
    """One error of the validator in our words. `value` is the whole checked value."""
    path: Path = tuple(error.instance_path)
    words = error.kind.as_dict()
    owner = _at(schema, list(error.schema_path)[:-1])
    if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.BacktrackLimitExceeded):
        yield Problem(path, "takes too long to check against its pattern")
        return
    keyword = error.kind.name
    if keyword == "required":
        given = cast("Mapping[str, Any]", _at(value, path))
        name = str(words["property"])
        known = _keys(owner)
        extra = [key for key in given if key not in _properties(owner)]
        yield missing_property((*path, name), known, _allowed(_properties(owner).get(name)), extra)
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        known = _keys(owner)
        for name in cast("list[str]", words["unexpected"])[:_MOST_UNKNOWN]:
            yield unknown_property((*path, name), _properties(owner), known)
    elif keyword in ("anyOf", "oneOf") and "context" in words:
        yield from _union_problems(error, schema, value)
    elif keyword == "propertyNames":
        inner = cast("jsonschema_rs.ValidationError", words["error"])
        name = str(cast(Any, inner).instance)
        wanted = _demand(inner.kind.name, inner.kind.as_dict())
        yield Problem((*path, name), f"is not an accepted property: its name {wanted}", "unknown")
    else:
        part = _at(value, path)
        came = quote(part, path, secret=is_secret(owner))
        yield Problem(path, f"{_demand(keyword, words)}, got {came}{_meant(part, words)}")


def _meant(came: Any, words: Mapping[str, Any]) -> str:
    """The nearest of many choices, which a list of the first ones may not show."""
    choices = words.get("options", ())
    if not isinstance(came, str) or len(came) > _LONGEST_MEANT or len(choices) > _MOST_MEANT:
        return ""
    close = nearest(came, [one for one in choices if isinstance(one, str)], limit=1)
    return f" (did you mean {json.dumps(close[0], ensure_ascii=False)}?)" if close else ""


def _union_problems(
    error: jsonschema_rs.ValidationError, schema: dict[str, Any] | bool, value: Any
) -> Iterator[Problem]:
    """Why no branch fits: by the branch that comes nearest, or by what all branches want."""
    path: Path = tuple(error.instance_path)
    kind = error.kind
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.OneOfMultipleValid):
        yield Problem(path, "fits several alternatives of which exactly one is allowed")
        return
    if not isinstance(
        kind,
        jsonschema_rs.ValidationErrorKind.AnyOf | jsonschema_rs.ValidationErrorKind.OneOfNotValid,
    ):
        return
    branches = [branch for branch in kind.context if branch]
    inner = [
        branch
        for branch in branches
        if not any(
            tuple(one.instance_path) == path and one.kind.name in ("type", "enum", "const")
            for one in branch
        )
    ]
    told = _wrong_tag(branches, value, path) or _nothing_of(branches, path)
    if told is not None:
        yield told
        return
    if inner:
        best = min(inner, key=_distance)
        for one in best[:_MOST_ERRORS]:
            yield from schema_problems(one, schema, value)
        return
    wanted: dict[str, None] = {}
    for branch in branches:
        for one in branch:
            if tuple(one.instance_path) == path and one.kind.name in ("type", "enum", "const"):
                wanted[_demand(one.kind.name, one.kind.as_dict()).removeprefix("must be ")] = None
    owner = _at(schema, list(error.schema_path)[:-1])
    came = quote(_at(value, path), path, secret=is_secret(owner))
    yield Problem(path, f"must be {either(list(wanted))}, got {came}")


def _wrong_tag(
    branches: Sequence[Sequence[jsonschema_rs.ValidationError]], value: Any, path: Path
) -> Problem | None:
    """The property by which the branches are told apart, where its value is of none of them."""
    options: dict[Path, list[Any]] = {}
    holders: Counter[Path] = Counter()
    for branch in branches:
        for one in branch:
            place: Path = tuple(one.instance_path)
            if len(place) == len(path) + 1 and one.kind.name in ("const", "enum"):
                words = one.kind.as_dict()
                holders[place] += 1
                options.setdefault(place, []).extend(
                    words["options"] if "options" in words else [words["expected_value"]]
                )
    for place, choices in options.items():
        if holders[place] == len(branches) > 1:
            return Problem(
                place, f"must be {choices_text(choices)}, got {quote(_at(value, place), place)}"
            )
    return None


def _nothing_of(
    branches: Sequence[Sequence[jsonschema_rs.ValidationError]], path: Path
) -> Problem | None:
    """Alternatives that each only miss properties: any of them will do."""
    wanted: list[str] = []
    for branch in branches:
        if not all(
            one.kind.name == "required" and tuple(one.instance_path) == path for one in branch
        ):
            return None
        names = [path_text((str(one.kind.as_dict()["property"]),)) for one in branch]
        wanted.append(" and ".join(names))
    if len(wanted) < 2 or len(wanted) > _MOST_WAYS:
        return None
    return Problem(path, f"must have {either(list(dict.fromkeys(wanted)))}")


def _distance(branch: Sequence[jsonschema_rs.ValidationError]) -> tuple[int, int]:
    """How far a branch is from fitting: a wrong discriminator counts most."""
    tags = sum(one.kind.name in ("const", "enum") for one in branch)
    return tags, len(branch)


def _demand(keyword: str, words: Mapping[str, Any]) -> str:
    """What a keyword wants, as the rest of a sentence."""
    limit = words.get("limit")
    bound = number_text(limit) if isinstance(limit, int | float) else str(limit)
    match keyword:
        case "type":
            kinds = cast("list[str]", words["types"])
            return f"must be {either([_TYPE_WORDS.get(kind, kind) for kind in kinds])}"
        case "enum":
            options = cast("list[Any]", words["options"])
            if not options:
                return "has a schema that no value fits"
            return f"must be {'one of ' if len(options) > 1 else ''}{choices_text(options)}"
        case "const":
            return f"must be {choices_text([words['expected_value']])}"
        case "minimum":
            return f"must be at least {bound}"
        case "maximum":
            return f"must be at most {bound}"
        case "exclusiveMinimum":
            return f"must be above {bound}"
        case "exclusiveMaximum":
            return f"must be below {bound}"
        case "multipleOf":
            return f"must be a multiple of {words['multiple_of']}"
        case "minLength":
            return f"must have at least {_counted(bound, 'character')}"
        case "maxLength":
            return f"must have at most {_counted(bound, 'character')}"
        case "minItems":
            return f"must have at least {_counted(bound, 'item')}"
        case "maxItems" | "additionalItems":
            return f"must have at most {_counted(bound, 'item')}"
        case "minProperties":
            return f"must have at least {_counted(bound, 'property')}"
        case "maxProperties":
            return f"must have at most {_counted(bound, 'property')}"
        case "uniqueItems":
            return "must not hold the same item twice"
        case "pattern":
            return f"must match /{str(words['pattern'])[:80]}/"
        case "contains":
            return "does not hold an item that it must hold"
        case "falseSchema":
            return "is not allowed"
        case "not":
            return "is of a form that is excluded"
        case _:
            return f"does not fit `{keyword}` of its schema"


def _counted(bound: str, what: str) -> str:
    if bound == "1":
        return f"1 {what}"
    return f"{bound} {what.removesuffix('y')}ies" if what.endswith("y") else f"{bound} {what}s"


def _allowed(schema: Any) -> str:
    """A few words for what a property may be."""
    if not isinstance(schema, dict):
        return ""
    node = cast("dict[str, Any]", schema)
    if isinstance(node.get("enum"), list):
        return choices_text(node["enum"])
    if "const" in node:
        return choices_text([node["const"]])
    kind = node.get("type")
    kinds = cast("list[Any]", kind) if isinstance(kind, list) else [kind] if kind else []
    return either([str(word) for word in kinds])


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def _keys(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Accepted properties, the optional ones with a question mark, as TypeScript writes them."""
    required = schema.get("required")
    needed = set(cast("list[str]", required)) if isinstance(required, list) else set[str]()
    named = [name if name in needed else f"{name}?" for name in _properties(schema)]
    return tuple(named)


def _at(value: Any, path: Sequence[str | int]) -> Any:
    """The part of a value that a path leads to; an empty object where it leads nowhere."""
    for step in path:
        if isinstance(value, Mapping) and step in value:
            value = cast("Mapping[Any, Any]", value)[step]
        elif isinstance(value, list) and isinstance(step, int):
            value = cast("list[Any]", value)[step]
        else:
            return {}
    return value
