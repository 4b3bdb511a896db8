"""Schemas that an embedder writes by hand: what cannot be read in them is a mistake, and told.

A stranger's schema is taken as far as it can be read (`declare.schema_warnings`).
"""

from __future__ import annotations

from toolscript.contract.interpret import read_schema
from toolscript.contract.tool import JsonSchema
from toolscript.errors import ContractError
from toolscript.given import SCHEMA, check


def require_readable(where: str, schema: JsonSchema) -> None:
    """Refuse what is no JSON Schema, or says what no JSON Schema can say.

    Raises:
        ConfigurationError: for what is no schema.
        ContractError: for one of which some part cannot be read, with its place.
    """
    check(where, SCHEMA, schema)
    problems = read_schema(schema).problems
    if problems:
        raise ContractError(f"{where} cannot be read: {'; '.join(problems[:3])}")
