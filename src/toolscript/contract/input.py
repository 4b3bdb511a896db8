"""The input of a program: what the host passes in, and what the script sees of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from toolscript import jsontext
from toolscript.contract.tool import JsonSchema
from toolscript.contract.validation import validate_input
from toolscript.errors import InputError, ToolError


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
    """
    if isinstance(declared, bool | Mapping):
        schema = cast("JsonSchema", declared)
        check = validate_input(schema)

        def parse_json(value: Any) -> Any:
            try:
                value = jsontext.loads(jsontext.dumps(value))
                check(value)
            except (ToolError, TypeError, ValueError, RecursionError) as error:
                raise InputError(f"the program input does not fit its schema: {error}") from error
            return value

        return ProgramInput(schema=schema, parse=parse_json)

    from pydantic import TypeAdapter, ValidationError

    from toolscript.contract.annotations import adapted
    from toolscript.contract.problems import path_text
    from toolscript.contract.typed import problems_of, schema_of

    adapter: TypeAdapter[Any] = TypeAdapter(adapted(declared, "input"))
    seen = schema_of(adapter, "serialization")

    def parse_typed(value: Any) -> Any:
        try:
            return adapter.dump_python(adapter.validate_python(value), mode="json")
        except ValidationError as error:
            problems = problems_of(error, schema_of(adapter, "validation"))
            told = "; ".join(
                f"{path_text(one.path) or 'the input'} {one.message}" for one in problems[:8]
            )
            raise InputError(f"the program input does not fit its type: {told}") from error

    return ProgramInput(schema=seen, parse=parse_typed)
