"""Values against a JSON Schema: compiled once a tool, offline, bounded.

Schemas come from strangers and arguments from a model. A remote `$ref` is never fetched, a
pattern never backtracks without end, a schema however deep or malformed never takes more than
its own tool with it. `format` is not asserted: JSON Schema leaves it an annotation, and servers
use words that no standard defines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, cast

import jsonschema_rs

from toolscript import jsontext
from toolscript.contract.effort import listing_effort, multiplies_beyond
from toolscript.contract.problems import Problem, tool_error
from toolscript.contract.repair import (
    UNREADABLE,
    cut_at,
    drop_bad_patterns,
    drop_unresolvable_references,
    modernised,
    plain_copy,
    spell_references,
)
from toolscript.contract.sample import SAMPLES, is_large, sampled, traits_of
from toolscript.contract.schema import Document
from toolscript.contract.schema_problems import schema_problems
from toolscript.contract.tool import JsonSchema
from toolscript.errors import ContractError

_MOST_ERRORS: Final = 32
_MOST_CUTS: Final = 40
_MOST_CHECKS: Final = 1_000_000
_MOST_EFFORT: Final = 4_000
"""Parts of a schema applied to parts of a value, to say what is wrong with it."""
_PATTERNS: Final = jsonschema_rs.FancyRegexOptions(backtrack_limit=50_000, size_limit=2_000_000)

_DRAFTS: Final[Mapping[str, type[jsonschema_rs.Validator]]] = {
    "json-schema.org/draft-04/schema": jsonschema_rs.Draft4Validator,
    "json-schema.org/draft-06/schema": jsonschema_rs.Draft6Validator,
    "json-schema.org/draft-07/schema": jsonschema_rs.Draft7Validator,
    "json-schema.org/draft/2019-09/schema": jsonschema_rs.Draft201909Validator,
    "json-schema.org/draft/2020-12/schema": jsonschema_rs.Draft202012Validator,
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
            return self._found(self._compiled, value)
        except UnicodeEncodeError:
            # A lone surrogate is a character of a JSON text, though not for the validator.
            return self._found(self._compiled, jsontext.printable(value))

    def _found(self, compiled: jsonschema_rs.Validator, value: Any) -> list[Problem]:
        try:
            if compiled.is_valid(value):
                return []
            if is_large(value) or not self._listable(value):
                return self._problems_by_sample(compiled, value)
            errors = list(islice(compiled.iter_errors(value), _MOST_ERRORS))
        except UnicodeEncodeError:
            raise
        except ValueError as error:
            # Values that are no JSON at all, and more levels than can be listed.
            return [Problem((), f"does not fit its schema, or is no valid JSON: {error}")]
        # Which properties are left over is only known once everything else is right.
        others = [error for error in errors if error.kind.name != "unevaluatedProperties"]
        return [
            one for error in others or errors for one in schema_problems(error, self._schema, value)
        ]

    def _listable(self, value: Any) -> bool:
        effort = listing_effort(Document(self._schema), value, _MOST_EFFORT)
        return effort.tries <= _MOST_EFFORT

    def _problems_by_sample(self, compiled: jsonschema_rs.Validator, value: Any) -> list[Problem]:
        traits = traits_of(self._schema)
        for items, keys in SAMPLES:
            if traits.misleads or items < traits.least_items:
                break
            small = sampled(value, traits.names, items, keys)
            if small is None or not self._listable(small):
                continue
            found = [
                one
                for error in islice(compiled.iter_errors(small), _MOST_ERRORS)
                if not isinstance(error.kind, jsonschema_rs.ValidationErrorKind.OneOfMultipleValid)
                for one in schema_problems(error, self._schema, small)
            ]
            if found:
                return found
            break
        if not traits.chooses:
            try:
                compiled.validate(value)
            except jsonschema_rs.ValidationError as error:
                return list(schema_problems(error, self._schema, value))
        if is_large(value):
            return [Problem((), "does not fit its schema, in a place beyond its first items")]
        return [
            Problem((), "does not fit its schema, which has too many alternatives to say where")
        ]

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
    if multiplies_beyond(readable, _MOST_CHECKS):
        warnings += ("is not checked: its definitions multiply each other",)
        return _finished(None, True, warnings, where, strict)
    declared = _declared_draft(readable)
    if declared is not None:
        compiled = _compiled(declared, readable)
        if isinstance(compiled, jsonschema_rs.Validator):
            return _finished(compiled, readable, warnings, where, strict)
    current = modernised(readable)
    compiled = _compiled(jsonschema_rs.Draft202012Validator, current)
    if not isinstance(compiled, jsonschema_rs.Validator):
        spell_references(current)
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
