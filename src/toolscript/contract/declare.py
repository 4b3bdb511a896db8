"""The declarations of a whole contract: what the model reads and the type checker checks against."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from toolscript.contract.declaration_parts import (
    Member,
    declared_globals,
    declared_object,
    object_type,
    with_types,
)
from toolscript.contract.entry import Entry
from toolscript.contract.interpret import read_schema
from toolscript.contract.printer import Style, print_type
from toolscript.contract.repeated import repeated_definitions
from toolscript.contract.signature import EXACT_TYPES, Manner, signature, tool_comment
from toolscript.contract.tool import ErrorClass, GlobalFunction, JsonSchema, Namespace
from toolscript.contract.type_names import TypeNames
from toolscript.contract.type_text import property_name

_CONSOLE = """\
interface CodeModeConsole {
  debug(...values: unknown[]): void;
  error(...values: unknown[]): void;
  info(...values: unknown[]): void;
  log(...values: unknown[]): void;
  warn(...values: unknown[]): void;
}"""


def declare_contract(
    entries: Sequence[Entry],
    *,
    namespaces: Sequence[Namespace] = (),
    input_schema: JsonSchema | None = None,
    builtins: Sequence[str] = (),
    globals: Sequence[GlobalFunction] = (),
    manner: Manner | None = None,
    form: Literal["script", "module"] = "script",
    object_name: str = "tools",
    every_name: bool = False,
    members: Mapping[str, str] | None = None,
) -> str:
    """TypeScript of all that a script sees: deterministic, sorted, and complete under `--strict`.

    Args:
        entries: the tools; hidden ones are left out.
        namespaces: descriptions and error classes of the tools' namespaces.
        input_schema: schema of the program input as the script gets it, or None.
        builtins: declarations of the built-in globals, ready as they are.
        globals: the embedder's own global functions.
        manner: how tools are written; None is the ordinary way.
        form: "script" declares globals; "module" declares the scope that a default export
            receives (seed 000: `AgentProgramScope` and `AgentProgram`).
        object_name: the object that holds tools without a namespace.
        every_name: also declare what works but what no model need be told of: exact names by
            index, `tools.<namespace>`, and a second argument after a bare string. For checkers.
        members: further members of that object by name, ready as they are; a tool's name wins.
    """
    manner = replace(manner or Manner(), every_call=every_name)
    names = TypeNames(
        taken=_names_in(builtins),
        repeated=repeated_definitions(
            schema
            for entry in entries
            for schema in (entry.tool.input_schema, entry.tool.output_schema)
        ),
    )
    known = {namespace.name: namespace for namespace in namespaces}
    groups: dict[str | None, list[Entry]] = {None: []}
    for entry in sorted(entries, key=place_of):
        if not entry.tool.options.hidden:
            groups.setdefault(entry.namespace, []).append(entry)
    plain = _members(groups.pop(None), object_name, manner, names)
    others = {name: f"readonly {name}: typeof {name}" for name in groups if name and every_name}
    used = {entry.identifier for entry in entries if entry.namespace is None}
    plain += [
        ([], text) for name, text in {**(members or {}), **others}.items() if name not in used
    ]
    blocks: list[str] = []
    for name, group in groups.items():
        described = known.get(name or "")
        if described is not None and described.error_class is not None:
            blocks.append(_error_class(described.error_class))
        inside = _members(group, name or "", manner, names)
        blocks.append(
            declared_object(name or "", inside, described.description if described else "")
        )
    blocks += declared_globals(globals, manner, names)
    program_input = _input_type(input_schema, manner, names)
    if form == "module":
        blocks = [f"type Tools = {object_type(plain)};", *blocks, _scope(program_input)]
        if every_name:
            blocks.append(f"declare const {object_name}: Tools;")
    else:
        if program_input is not None:
            blocks.insert(0, f"declare const input: {program_input};")
        if plain or not groups:
            blocks.insert(0, declared_object(object_name, plain))
    if manner.exact:
        blocks.insert(0, EXACT_TYPES)
    return with_types(names, blocks, before=builtins)


def schema_warnings(
    entries: Sequence[Entry], input_schema: JsonSchema | None = None
) -> tuple[tuple[int | None, str], ...]:
    """What could not be read in the schemas, by tool and path; there the declarations say unknown.

    Each with the number of its tool, or None for the program input.
    """
    parts: list[tuple[int | None, str, JsonSchema]] = []
    if input_schema is not None:
        parts.append((None, "program input", input_schema))
    for entry in entries:
        tool = entry.tool
        parts.append((entry.index, f"input of tool {tool.name!r}", tool.input_schema))
        if tool.output_schema is not None:
            parts.append((entry.index, f"output of tool {tool.name!r}", tool.output_schema))
    warnings: list[tuple[int | None, str]] = []
    for index, owner, schema in parts:
        warnings += [
            (index, f"{owner}: {problem}; declared as unknown")
            for problem in read_schema(schema).problems
        ]
    return tuple(warnings)


def declare_tool(entry: Entry, manner: Manner | None = None) -> str:
    """One tool's declaration by itself, with the named types that it needs."""
    manner = manner or Manner()
    names = TypeNames()
    name = entry.namespace or "tools"
    return with_types(names, [declared_object(name, _members([entry], name, manner, names))])


_DECLARED = re.compile(
    r"^(?:declare )?(?:type|interface|class|const|function) ([A-Za-z_$][\w$]*)", re.M
)


def _names_in(declarations: Sequence[str]) -> list[str]:
    """Names that ready declarations already give a meaning."""
    return [name for text in declarations for name in _DECLARED.findall(text)]


def place_of(entry: Entry) -> tuple[str, str, str]:
    """Where a tool stands among others, in every text."""
    return (entry.namespace or "", entry.identifier, entry.tool.name)


def _members(
    entries: Sequence[Entry], object_name: str, manner: Manner, names: TypeNames
) -> list[Member]:
    members = [
        (
            tool_comment(entry.tool, f"{object_name}.{entry.identifier}", manner),
            signature(entry.tool, entry.identifier, manner, names, entry.namespace or ""),
        )
        for entry in entries
    ]
    if manner.every_call:
        members += [
            ([], signature(entry.tool, entry.tool.name, manner, names, entry.namespace or ""))
            for entry in entries
            if entry.tool.name != entry.identifier
        ]
    return members


def _input_type(schema: JsonSchema | None, manner: Manner, names: TypeNames) -> str | None:
    """The type of the program input, which is frozen all the way down."""
    if schema is None:
        return None
    style = Style(comments=manner.style.comments, sort=manner.style.sort, readonly=True)
    return print_type(read_schema(schema), style, names, owner="Input").text


def _scope(program_input: str | None) -> str:
    members: list[Member] = [
        ([], "readonly codemode: Tools"),
        ([], "readonly console: CodeModeConsole"),
    ]
    if program_input is not None:
        members.insert(0, ([], f"readonly input: {program_input}"))
    scope = f"interface AgentProgramScope {object_type(members)}"
    return "\n".join(
        [_CONSOLE, scope, "type AgentProgram = (scope: AgentProgramScope) => unknown;"]
    )


def _error_class(error: ErrorClass) -> str:
    member = property_name(error.member_property)
    return f"declare class {error.name} extends ToolError {{\n  readonly {member}: string;\n}}"
