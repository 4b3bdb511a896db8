"""Values against a JSON Schema: compiled once a tool, offline, bounded.

Schemas come from strangers and arguments from a model. A remote `$ref` is never fetched, a
pattern never backtracks without end, a schema however deep or malformed never takes more than
its own tool with it. `format` is not asserted: JSON Schema leaves it an annotation, and servers
use words that no standard defines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, cast

import jsonschema_rs

from toolscript.contract.problems import (
    Path,
    Problem,
    choices_text,
    either,
    is_secret,
    missing_property,
    number_text,
    quote,
    tool_error,
    unknown_property,
)
from toolscript.contract.repair import (
    UNREADABLE,
    cut_at,
    drop_bad_patterns,
    drop_unresolvable_references,
    modernised,
    plain_copy,
)
from toolscript.contract.sample import is_large, sampled, traits_of
from toolscript.contract.tool import JsonSchema
from toolscript.errors import ContractError

_MOST_ERRORS: Final = 32
_MOST_UNKNOWN: Final = 12
_MOST_CUTS: Final = 40
_PATTERNS: Final = jsonschema_rs.FancyRegexOptions(backtrack_limit=50_000, size_limit=2_000_000)

_DRAFTS: Final[Mapping[str, type[jsonschema_rs.Validator]]] = {
    "json-schema.org/draft-04/schema": jsonschema_rs.Draft4Validator,
    "json-schema.org/draft-06/schema": jsonschema_rs.Draft6Validator,
    "json-schema.org/draft-07/schema": jsonschema_rs.Draft7Validator,
    "json-schema.org/draft/2019-09/schema": jsonschema_rs.Draft201909Validator,
    "json-schema.org/draft/2020-12/schema": jsonschema_rs.Draft202012Validator,
}

_TYPE_WORDS: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}


class Validator:
    """Checks values against one schema. Safe to use from several threads.

    `warnings` says what of the schema could not be read and is therefore not checked. Values are
    JSON values of bounded nesting, as the host takes them from a frame.
    """

    __slots__ = ("_compiled", "_schema", "warnings")

    def __init__(
        self,
        compiled: jsonschema_rs.Validator | None,
        schema: dict[str, Any] | bool,
        warnings: tuple[str, ...],
    ):
        self._compiled = compiled
        self._schema = schema
        self.warnings = warnings

    def is_valid(self, value: Any) -> bool:
        return self._compiled is None or not self.problems(value)

    def problems(self, value: Any) -> list[Problem]:
        """What is wrong with a value; bounded, empty for one that fits."""
        if self._compiled is None:
            return []
        try:
            if self._compiled.is_valid(value):
                return []
            if is_large(value):
                return self._problems_of_large(self._compiled, value)
            errors = list(islice(self._compiled.iter_errors(value), _MOST_ERRORS))
        except (UnicodeEncodeError, ValueError) as error:
            # Lone surrogates, and values that are no JSON at all.
            return [Problem((), f"is no valid JSON: {error}")]
        return [one for error in errors for one in _problems(error, self._schema, value)]

    def _problems_of_large(self, compiled: jsonschema_rs.Validator, value: Any) -> list[Problem]:
        traits = traits_of(self._schema)
        if not traits.misleads:
            small = sampled(value, traits.names)
            found = [
                one
                for error in islice(compiled.iter_errors(small), _MOST_ERRORS)
                if not isinstance(error.kind, jsonschema_rs.ValidationErrorKind.OneOfMultipleValid)
                for one in _problems(error, self._schema, small)
            ]
            if found:
                return found
        if not traits.chooses:
            try:
                compiled.validate(value)
            except jsonschema_rs.ValidationError as error:
                return list(_problems(error, self._schema, value))
        return [Problem((), "does not fit its schema, in a place beyond its first items")]

    def check_input(self, value: Any) -> None:
        """Raises:
        ToolError: `invalid_args`, in words that help to mend the call.
        """
        found = self.problems(value)
        if found:
            raise tool_error(found, "invalid_args")

    def check_output(self, value: Any) -> None:
        """Raises:
        ToolError: `invalid_result`.
        """
        found = self.problems(value)
        if found:
            raise tool_error(found, "invalid_result")


def validate_input(
    schema: JsonSchema, *, where: str = "the schema", strict: bool = False
) -> Callable[[Any], None]:
    """A check of arguments that raises `ToolError`; see `compile_validator`."""
    return compile_validator(schema, where=where, strict=strict).check_input


def validate_output(
    schema: JsonSchema, *, where: str = "the schema", strict: bool = False
) -> Callable[[Any], None]:
    """A check of results that raises `ToolError`; see `compile_validator`."""
    return compile_validator(schema, where=where, strict=strict).check_output


def compile_validator(
    schema: JsonSchema, *, where: str = "the schema", strict: bool = False
) -> Validator:
    """Make a schema ready for checking values.

    The draft is the one that `$schema` names, else 2020-12 with the words of older drafts
    understood. What cannot be read is left unchecked with a warning, or refused when `strict`.

    Args:
        schema: of any draft.
        where: the tool and the schema's part in it, for messages: `tool 'search': input schema`.

    Raises:
        ContractError: when `strict` and some part of the schema cannot be read.
    """
    document, warnings = plain_copy(schema)
    if document is UNREADABLE:
        return _finished(None, True, warnings, where, strict)
    readable = cast(dict[str, Any] | bool, document)
    declared = _declared_draft(readable)
    if declared is not None:
        compiled = _compiled(declared, readable)
        if isinstance(compiled, jsonschema_rs.Validator):
            return _finished(compiled, readable, warnings, where, strict)
    current = modernised(readable)
    compiled = _compiled(jsonschema_rs.Draft202012Validator, current)
    if not isinstance(compiled, jsonschema_rs.Validator):
        warnings += drop_unresolvable_references(current)
        warnings += drop_bad_patterns(current, _pattern_compiles)
        for _ in range(_MOST_CUTS):
            compiled = _compiled(jsonschema_rs.Draft202012Validator, current)
            if isinstance(compiled, jsonschema_rs.Validator):
                break
            place = _place(compiled)
            if place is None or not isinstance(current, dict) or not cut_at(current, place):
                break
            warnings += (f"{_pointer(place)} cannot be read and is not checked",)
    if isinstance(compiled, jsonschema_rs.Validator):
        return _finished(compiled, current, warnings, where, strict)
    reason = str(compiled).partition("\n")[0][:200]
    return _finished(
        None, True, (*warnings, f"cannot be read and is not checked: {reason}"), where, strict
    )


def _finished(
    compiled: jsonschema_rs.Validator | None,
    schema: dict[str, Any] | bool,
    warnings: tuple[str, ...],
    where: str,
    strict: bool,
) -> Validator:
    if warnings and strict:
        raise ContractError(f"{where}: {'; '.join(warnings)}")
    return Validator(compiled, schema, tuple(f"{where}: {text}" for text in warnings))


def _compiled(
    draft: type[jsonschema_rs.Validator], schema: dict[str, Any] | bool
) -> jsonschema_rs.Validator | Exception:
    try:
        return draft(schema, pattern_options=_PATTERNS, validate_formats=False, offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        return error


def _declared_draft(schema: dict[str, Any] | bool) -> type[jsonschema_rs.Validator] | None:
    if isinstance(schema, bool):
        return None
    declared = schema.get("$schema")
    if not isinstance(declared, str):
        return None
    return _DRAFTS.get(declared.partition("://")[2].rstrip("#"))


def _pattern_compiles(pattern: str) -> bool:
    schema = {"pattern": pattern}
    return not isinstance(_compiled(jsonschema_rs.Draft202012Validator, schema), Exception)


def _place(error: Exception) -> list[str | int] | None:
    """Where in the schema its meta-schema found the error; None for other errors."""
    if isinstance(error, jsonschema_rs.ValidationError) and error.instance_path:
        return list(error.instance_path)
    return None


def _pointer(path: Sequence[str | int]) -> str:
    return "#/" + "/".join(str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _problems(
    error: jsonschema_rs.ValidationError, schema: dict[str, Any] | bool, value: Any
) -> Iterator[Problem]:
    """One error of the validator in our words. `value` is the whole checked value."""
    path: Path = tuple(error.instance_path)
    words = error.kind.as_dict()
    owner = _at(schema, list(error.schema_path)[:-1])
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
    else:
        came = quote(_at(value, path), path, secret=is_secret(owner))
        yield Problem(path, f"{_demand(keyword, words)}, got {came}")


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
    if inner:
        best = min(inner, key=_distance)
        for one in best[:_MOST_ERRORS]:
            yield from _problems(one, schema, value)
        return
    wanted: dict[str, None] = {}
    for branch in branches:
        for one in branch:
            if tuple(one.instance_path) == path and one.kind.name in ("type", "enum", "const"):
                wanted[_demand(one.kind.name, one.kind.as_dict()).removeprefix("must be ")] = None
    owner = _at(schema, list(error.schema_path)[:-1])
    came = quote(_at(value, path), path, secret=is_secret(owner))
    yield Problem(path, f"must be {either(list(wanted))}, got {came}")


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
            return f"must have at least {bound} characters"
        case "maxLength":
            return f"must have at most {bound} characters"
        case "minItems":
            return f"must have at least {bound} items"
        case "maxItems" | "additionalItems":
            return f"must have at most {bound} items"
        case "minProperties":
            return f"must have at least {bound} properties"
        case "maxProperties":
            return f"must have at most {bound} properties"
        case "uniqueItems":
            return "must not hold the same item twice"
        case "pattern":
            return f"must match /{str(words['pattern'])[:80]}/"
        case "contains":
            return "does not hold an item that it must hold"
        case "falseSchema":
            return "is not allowed"
        case "backtrackLimitExceeded":
            return "takes too long to check against its pattern"
        case "not":
            return "is of a form that is excluded"
        case _:
            return f"does not fit `{keyword}` of its schema"


def _allowed(schema: Any) -> str:
    """A few words for what a property may be."""
    if not isinstance(schema, dict):
        return ""
    node = cast("dict[str, Any]", schema)
    if isinstance(node.get("enum"), list):
        return choices_text(node["enum"])
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
