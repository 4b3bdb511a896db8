"""Bounds of one tool under the constrained profile (seed 003)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolscript import jsontext
from toolscript.contract.entry import Entry
from toolscript.contract.names import binding_name
from toolscript.errors import ContractError

MOST_SCHEMA_BYTES: Final = 64 * 1024

_CODE: Final = "CODE_MODE_INVALID_CONTRACT"


def require_bounded(entries: Sequence[Entry]) -> None:
    """Refuse tools that the constrained profile would not carry.

    Raises:
        ContractError: for a name that cannot be the id of a binding, or a schema of more than
            64 KiB of JSON.
    """
    for entry in entries:
        tool = entry.tool
        binding_name(tool.name)
        for side, schema in (("input", tool.input_schema), ("output", tool.output_schema)):
            try:
                size = len(jsontext.dumps(schema).encode())
            except (TypeError, ValueError, RecursionError) as error:
                raise ContractError(
                    f"the {side} schema of tool {tool.name!r} is no JSON: {error}",
                    code=_CODE,
                ) from error
            if size > MOST_SCHEMA_BYTES:
                raise ContractError(
                    f"the {side} schema of tool {tool.name!r} has {size} bytes; the constrained "
                    f"profile takes at most {MOST_SCHEMA_BYTES}",
                    code=_CODE,
                )
