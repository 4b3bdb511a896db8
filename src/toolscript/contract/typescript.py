"""JSON Schema to TypeScript: one schema, one type."""

from __future__ import annotations

from toolscript.contract.interpret import read_schema
from toolscript.contract.names import is_identifier
from toolscript.contract.plain import plain_schema
from toolscript.contract.printer import Style, print_type
from toolscript.contract.tool import JsonSchema
from toolscript.contract.type_names import TypeNames
from toolscript.errors import ContractError


def schema_to_type(
    schema: JsonSchema,
    *,
    name: str | None = None,
    comments: bool = False,
    max_chars: int | None = None,
) -> str:
    """The TypeScript type of the values that a JSON Schema accepts (seed 004).

    Objects stand on one line with their properties sorted by name, or with one property a line
    and `//` comments where `comments` asks for them and there is something to say.

    Args:
        schema: a schema of any draft. Only references within it are followed; what cannot be
            read, and what refers to itself, becomes `unknown`.
        name: return complete declarations that end in `type <name> = …;` instead of an
            expression. Recursive and repeated parts then become named types before it.
        comments: show descriptions and constraints.
        max_chars: a longer result becomes `unknown`.

    Raises:
        ContractError: if `name` is no identifier.
    """
    style = Style(comments="line" if comments else "none", sort=True, short_arrays=False)
    reading = read_schema(plain_schema(schema))
    if name is None:
        text = print_type(reading, style).text
        return "unknown" if max_chars is not None and len(text) > max_chars else text
    if not is_identifier(name):
        raise ContractError(f"{name!r} cannot name a type: it is not a plain identifier")
    names = TypeNames(taken=(name,))
    printed = print_type(reading, style, names, owner=name, root_name=name)
    lines = [*names.declarations]
    if printed.text != name:
        lines.append(f"type {name} = {printed.text};")
    text = "\n".join(lines)
    if max_chars is not None and len(text) > max_chars:
        return f"type {name} = unknown;"
    return text
