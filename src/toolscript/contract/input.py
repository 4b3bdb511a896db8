"""The input of a program: what the host passes in, and what the script sees of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from toolscript import jsontext
from toolscript.contract.plain import plain_schema
from toolscript.contract.readable import require_readable
from toolscript.contract.tool import JsonSchema
from toolscript.contract.validation import validate_input
from toolscript.errors import ConfigurationError, InputError, ToolError
from toolscript.given import described
from toolscript.jsonscan import NESTING, deeper_than


@dataclass(frozen=True, slots=True)
class ProgramInput:
    """A declared program input.

    Attributes:
        schema: what the script sees: the schema of the validated, transformed value.
        parse: takes what the embedder passed and gives JSON values; raises `InputError`.
    """

    schema: JsonSchema
    parse: Callable[[Any], Any]


def program_input(declared: Any) -> ProgramInput:
    """A program input from a JSON Schema, or from a Python type as pydantic understands it.

    With a type, the embedder passes what the type takes and the script sees what it serialises
    to: validation and transformation happen once, in the host (seed 000).

    Raises:
        ConfigurationError: for what is neither, or cannot be read.
    """
    if isinstance(declared, bool | Mapping):
        schema = cast("JsonSchema", plain_schema(declared))
        require_readable("CodeMode(input_schema=)", schema)
        check = validate_input(schema)

        def parse_json(value: Any) -> Any:
            value = _json(value)
            try:
                check(value)
            except ToolError as error:
                raise InputError(f"the program input does not fit its schema: {error}") from error
            return value

        return ProgramInput(schema=schema, parse=parse_json)

    from pydantic import PydanticUserError, TypeAdapter, ValidationError

    from toolscript.contract.annotations import adapted
    from toolscript.contract.problems import path_text
    from toolscript.contract.typed import problems_of, schema_of

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(adapted(declared, "input"))
    except PydanticUserError as error:
        raise ConfigurationError(
            f"CodeMode(input_schema=) takes a JSON Schema or a type, not {described(declared)}: "
            f"{str(error).partition(chr(10))[0]}"
        ) from error
    seen = schema_of(adapter, "serialization")

    def parse_typed(value: Any) -> Any:
        try:
            parsed = adapter.validate_python(value)
        except ValidationError as error:
            problems = problems_of(error, schema_of(adapter, "validation"))
            told = "; ".join(
                f"{path_text(one.path) or 'the input'} {one.message}" for one in problems[:8]
            )
            raise InputError(f"the program input does not fit its type: {told}") from error
        try:
            value = adapter.dump_python(parsed, mode="json")
        except ValueError as error:
            raise InputError(f"the program input has no JSON form: {error}") from error
        return _json(value)

    return ProgramInput(schema=seen, parse=parse_typed)


def _json(value: Any) -> Any:
    """The value as it crosses, in no more levels than a script can have.

    Raises:
        InputError: if it has no JSON form, or too many levels.
    """
    try:
        text = jsontext.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the program input has no JSON form: {error}") from error
    if deeper_than(text.encode(), NESTING):
        raise InputError(f"the program input is nested deeper than {NESTING} levels")
    return jsontext.loads(text)
