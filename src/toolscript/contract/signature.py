"""One tool as a member of an object: `name(args: T): Promise<R>`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, cast

from toolscript.contract.comments import (
    TOOL_DESCRIPTION_CHARS,
    clean_line,
    clean_lines,
    doc_comment,
    quote,
)
from toolscript.contract.documentation import value_line
from toolscript.contract.interpret import read_schema
from toolscript.contract.mcp_types import mcp_structured_content_schema
from toolscript.contract.names import is_identifier
from toolscript.contract.printer import Printed, Style, print_type
from toolscript.contract.shape import STRING, ArrayOf, Exactly, ObjectOf, Tuple, Union
from toolscript.contract.tool import JsonSchema, Tool
from toolscript.contract.type_names import TypeNames, type_name

DEFAULT_INPUT_SCHEMA_MAX_CHARS: Final = 16_000
"""Largest type of an argument, in characters, before it becomes `unknown` (seed 004)."""

_COMPOSING: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf"})

_ABOUT_CHARS: Final = 300
_EXAMPLES: Final = 2
_EXAMPLE_CHARS: Final = 200

# In a type these two would declare what `new` makes, not a method.
_NOT_METHODS: Final = frozenset({"new", "constructor"})


@dataclass(frozen=True, slots=True)
class Manner:
    """How the tools of one declaration file are written.

    Attributes:
        style: how their types are written.
        max_chars: a longer argument type becomes `unknown`.
        exact: arguments are exact, results readonly (seed 000); needs `EXACT_TYPES`.
        envelope: calls resolve to `{ result, text }` (seed 001).
        string_argument: a bare string may fill the only required string property (seed 004).
        every_call: also write forms that work but that no model need be told of: after a bare
            string, an object with the other properties.
        effects: effects of the manifest stand in the comment (seed 003).
        undeclared: the type of a result that has no schema.
    """

    style: Style = field(default_factory=Style)
    max_chars: int | None = DEFAULT_INPUT_SCHEMA_MAX_CHARS
    exact: bool = False
    envelope: bool = False
    string_argument: bool = True
    every_call: bool = False
    effects: bool = False
    undeclared: Literal["unknown", "JsonValue"] = "unknown"


EXACT_TYPES: Final = """\
type Exact<Value, Shape> = Shape extends unknown
  ? Value extends Shape
    ? Value extends readonly unknown[]
      ? Shape extends readonly (infer Item)[] ? { [K in keyof Value]: Exact<Value[K], Item> } : never
      : Value extends object
        ? { [K in keyof Value]: K extends keyof Shape ? Exact<Value[K], Shape[K]> : never }
        : Value
    : never
  : never;"""
"""Refuses properties that a type does not name, also in a value that is no fresh literal."""


def string_argument_of(schema: JsonSchema | None) -> str | None:
    """The property that a bare string argument fills (seed 004).

    It is the schema's only required property, when that is a string: a script may then call
    `tools.shell("ls")` for `tools.shell({ command: "ls" })`. None otherwise.
    """
    if not isinstance(schema, Mapping):
        return None
    # Most schemas say by themselves that they ask for more than one property, or for none.
    if _COMPOSING.isdisjoint(schema) and not _asks_for_one(schema.get("required")):
        return None
    reading = read_schema(schema)
    shape = reading.behind(reading.root)
    if not isinstance(shape, ObjectOf):
        return None
    required = [name for name, each in shape.properties.items() if each.required]
    if len(required) != 1:
        return None
    wanted = reading.behind(shape.properties[required[0]].shape)
    choices = wanted.members if isinstance(wanted, Union) else (wanted,)
    strings = all(
        choice == STRING or (isinstance(choice, Exactly) and choice.kind == "string")
        for choice in choices
    )
    return required[0] if strings else None


def _asks_for_one(required: object) -> bool:
    return (
        isinstance(required, list) and len({str(name) for name in cast("list[Any]", required)}) == 1
    )


def output_type(
    schema: JsonSchema | None, style: Style, names: TypeNames | None, owner: str
) -> str:
    """The type that a call resolves to, before any envelope."""
    if schema is None:
        return "unknown"
    structured = mcp_structured_content_schema(schema)
    if structured is None:
        return _print(schema, style, names, owner).text
    if structured is True:
        return "CallToolResult"
    return f"CallToolResult<{_print(structured, style, names, owner).text}>"


def signature(
    tool: Tool, identifier: str, manner: Manner, names: TypeNames | None = None, prefix: str = ""
) -> str:
    """The method of a tool, without a semicolon.

    `names` takes the named types that it needs; `prefix` tells tools of one identifier in
    different namespaces apart in the names of those types.
    """
    owner = type_name(f"{prefix} {identifier}") or "Tool"
    result_style = replace(manner.style, readonly=manner.exact or manner.style.readonly)
    result = manner.undeclared
    if tool.output_schema is not None:
        result = output_type(tool.output_schema, result_style, names, f"{owner}Result")
    if manner.envelope:
        result = f"{{ result: {result}; text: string }}"
    generic, arguments = _arguments(tool.input_schema, owner, manner, names)
    return f"{method_name(identifier)}{generic}({arguments}): Promise<{result}>"


def tool_comment(tool: Tool, expression: str, manner: Manner) -> list[str]:
    """The comment on a tool: description, how it behaves, examples; as lines."""
    options = tool.options
    lines = clean_lines(tool.description, TOOL_DESCRIPTION_CHARS)
    if manner.style.comments != "none":
        lines += _about_schemas(tool, lines)
    behaviour = _behaviour(tool)
    if behaviour:
        lines.append(behaviour)
    if manner.effects and options.manifest is not None and options.manifest.effects:
        effects = ", ".join(sorted(options.manifest.effects))
        lines.append(f"Effects: {clean_line(effects, _EXAMPLE_CHARS)}.")
    if options.manifest is not None and options.manifest.maturity != "stable":
        lines.append(f"@{options.manifest.maturity}")
    for example in options.examples[:_EXAMPLES]:
        shown = value_line(dict(example), _EXAMPLE_CHARS)
        if shown:
            lines.append(f"@example await {expression}({shown})")
    if manner.style.comments != "doc":
        return [f"// {line}" for line in lines]
    return doc_comment(lines)


def _about_schemas(tool: Tool, told: list[str]) -> list[str]:
    """What the schemas say of the argument and of the result as wholes (seed 000)."""
    found: list[str] = []
    for tag, schema in (("@param args", tool.input_schema), ("@returns", tool.output_schema)):
        described = schema.get("description") if isinstance(schema, Mapping) else None
        text = clean_line(described, _ABOUT_CHARS) if isinstance(described, str) else ""
        if text and text not in " ".join(told):
            found.append(f"{tag} {text}")
    return found


def method_name(identifier: str) -> str:
    if is_identifier(identifier) and identifier not in _NOT_METHODS:
        return identifier
    return quote(identifier)


def _behaviour(tool: Tool) -> str:
    options = tool.options
    words: list[str] = []
    if options.read_only:
        words.append("Read-only.")
    elif options.idempotent:
        words.append("Idempotent.")
    if options.destructive:
        words.append("Destructive.")
    if callable(options.requires_approval):
        words.append("May require approval.")
    elif options.requires_approval:
        words.append("Requires approval.")
    return " ".join(words)


def _arguments(
    schema: JsonSchema, owner: str, manner: Manner, names: TypeNames | None
) -> tuple[str, str]:
    """Type parameters and parameters of a tool's method."""
    mark = names.mark() if names is not None else 0
    printed = _print(schema, manner.style, names, f"{owner}Args")
    chars = len(printed.text) + (names.chars_since(mark) if names is not None else 0)
    text = printed.text
    if manner.max_chars is not None and chars > manner.max_chars:
        if names is not None:
            names.forget_since(mark)
        text = "unknown"
    elif printed.nameless and not manner.exact:
        text = "{}"
    optional = "?" if printed.accepts_empty else ""
    if manner.exact and text != "unknown":
        named = names.named(text, f"{owner}Args") if names is not None else text
        return f"<A extends {named}>", f"args{optional}: A & Exact<A, {named}>"
    if text == "unknown" or not manner.string_argument or string_argument_of(schema) is None:
        return "", f"args{optional}: {text}"
    if manner.every_call and names is not None:
        text = names.named(text, f"{owner}Args")
        return "", f"args: string | {text}, others?: Partial<{text}>"
    return "", f"args: string | {text}"


def spread_arguments(schema: JsonSchema | None, style: Style) -> str:
    """The parameters of a function that takes its arguments one by one."""
    if schema is not None:
        reading = read_schema(schema)
        shape = reading.behind(reading.root)
        if isinstance(shape, ArrayOf | Tuple):
            return f"...args: {print_type(reading, style).text}"
    return "...args: unknown[]"


def _print(schema: JsonSchema, style: Style, names: TypeNames | None, owner: str) -> Printed:
    return print_type(read_schema(schema), style, names, owner=owner)
