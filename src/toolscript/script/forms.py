"""Turns whatever form a script has into the body of an async function.

The body sees one parameter, `$module`: `$module.scope` is the object that function forms are
called with, `$module.load(name)` gives the exports of a module. Nothing moves: what is written
in front of a token is an insertion that `Script.locate` takes out again.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from tree_sitter import Node

from toolscript.script.diagnostic import Diagnostic, diagnostic_at
from toolscript.script.edits import Edits
from toolscript.script.syntax import Syntax, descend, end, start, statements
from toolscript.script.text import Lines

Form = Literal["body", "module", "function", "expression"]

_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression"})
_CALL: Final = "($module.scope)"
_MAIN_NAMES: Final = ("main", "run", "default", "handler", "program")
_NAMES: Final = frozenset(
    {
        "identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
        "type_identifier",
    }
)


@dataclass(slots=True)
class Shape:
    """What became of a script: its form, and what is to be said about it."""

    form: Form = "body"
    problems: list[Diagnostic] = field(default_factory=list[Diagnostic])
    is_module: bool = False
    """It can run as an ES module as well."""


def is_module(syntax: Syntax) -> bool:
    """The script imports or exports something that is left when its types are gone."""
    return any(each.type in ("import_statement", "export_statement") for each in _program(syntax))


def _program(syntax: Syntax) -> list[Node]:
    return statements(syntax.root)


def shape_body(syntax: Syntax, edits: Edits) -> Shape:
    """Give a function body the result that its author meant: the value of its last expression,
    or what its only function returns."""
    program = [each for each in _program(syntax) if not edits.erased(start(each))]
    if not program:
        return Shape()
    last = program[-1]
    if last.type == "expression_statement":
        return _return_expression(syntax, edits, last)
    main = _uncalled_function(syntax, program)
    if main is not None:
        edits.insert(len(syntax.units), f"\nreturn {main}{_CALL};")
        return Shape("function")
    name = _last_variable(syntax, last)
    if name is not None:
        edits.insert(len(syntax.units), f'\n;$module.unreturned?.("{name}", {name});')
    return Shape()


def _return_expression(syntax: Syntax, edits: Edits, statement: Node) -> Shape:
    value = statement.named_children[0]
    if _declares_resource(value):
        return Shape()
    target = _assigned_export(syntax, value)
    if target is not None:
        value = target
    function = _bare(value)
    calls = function.type in _FUNCTIONS
    edits.insert(start(value), "return (")
    edits.insert(end(value), ")" + (_CALL if calls else ""))
    if target is not None:
        edits.blank(start(statement), start(target))
    return Shape("function" if calls else "expression")


def _bare(value: Node) -> Node:
    while value.type in ("parenthesized_expression", "as_expression", "satisfies_expression"):
        value = next(each for each in value.named_children if each.type != "comment")
    return value


def _declares_resource(value: Node) -> bool:
    """`using x = ...`, which the parser takes for an assignment."""
    if value.type == "await_expression" and value.named_children:
        value = value.named_children[0]
    return bool(value.children) and value.children[0].type == "using"


def _assigned_export(syntax: Syntax, value: Node) -> Node | None:
    """The right side of `module.exports = ...`."""
    if value.type != "assignment_expression":
        return None
    left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
    if left is not None and syntax.text(left) in ("module.exports", "exports.default"):
        return right
    return None


def _uncalled_function(syntax: Syntax, program: list[Node]) -> str | None:
    """The name of the function that a script declares and never calls, where nothing else runs."""
    names: list[str] = []
    for statement in program:
        if statement.type in ("function_declaration", "generator_function_declaration"):
            if statement.type == "function_declaration":
                names.append(_name(syntax, statement))
        elif statement.type in ("lexical_declaration", "variable_declaration"):
            for each in statement.named_children:
                value = each.child_by_field_name("value")
                if value is not None and _bare(value).type in _FUNCTIONS:
                    names.append(_name(syntax, each))
                elif value is not None and _awaits(value):
                    return None
        elif statement.type != "class_declaration":
            return None
    used = _count_names(syntax, names)
    uncalled = [name for name in names if used.get(name) == 1]
    if len(uncalled) == 1:
        return uncalled[0]
    return next((name for name in _MAIN_NAMES if name in uncalled), None)


def _name(syntax: Syntax, node: Node) -> str:
    name = node.child_by_field_name("name")
    return syntax.text(name) if name is not None and name.type == "identifier" else ""


def _awaits(value: Node) -> bool:
    return any(each.type == "await_expression" for each in descend(value))


def _count_names(syntax: Syntax, names: Iterable[str]) -> dict[str, int]:
    wanted = {name for name in names if name}
    found: dict[str, int] = {}
    if wanted:
        for node in descend(syntax.root):
            if node.type in _NAMES and (name := syntax.text(node)) in wanted:
                found[name] = found.get(name, 0) + 1
    return found


def _last_variable(syntax: Syntax, last: Node) -> str | None:
    if last.type not in ("lexical_declaration", "variable_declaration"):
        return None
    return _name(syntax, last.named_children[-1]) or None


# --- modules -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Imports:
    """`await $module.load(...)` for what a module imports, to be put in front of its body."""

    text: list[str] = field(default_factory=list[str])


def shape_module(
    syntax: Syntax,
    edits: Edits,
    *,
    modules: Container[str],
    ending: Literal["value", "call", "exports"],
) -> Shape:
    """Turn a module into a body that loads its imports first.

    `ending` says what the body returns: what the default export is or returns ("value"), what
    it returns ("call", anything else is an error), or an object of all exports ("exports").
    """
    shape = Shape("module", is_module=True)
    lines = Lines(syntax.units)
    module = _Module(syntax, edits, lines, modules, shape.problems)
    for statement in _program(syntax):
        if edits.erased(start(statement)):
            continue
        if statement.type == "import_statement":
            module.take_import(statement)
        elif statement.type == "export_statement":
            module.take_export(statement)
        elif statement.type == "return_statement":
            shape.is_module = False
    edits.insert(0, '"use strict";' + "".join(module.loads))
    if ending == "exports":
        shown = ", ".join(f"get {json.dumps(k)}() {{ return {v}; }}" for k, v in module.exports)
        edits.insert(len(syntax.units), f"\nreturn {{ __proto__: null, {shown} }};")
        return shape
    default = next((value for name, value in module.exports if name == "default"), None)
    if default is None:
        if ending == "call":
            shape.problems.append(
                diagnostic_at(
                    lines,
                    0,
                    "module",
                    "the module has no default export",
                    hint="write: export default async function ({ codemode }) { ... }",
                )
            )
        elif not any(each.type == "return_statement" for each in _program(syntax)):
            rest = [each for each in _program(syntax) if each.type not in _MODULE_STATEMENTS]
            if rest and rest[-1].type == "expression_statement":
                _return_expression(syntax, edits, rest[-1])
        return shape
    text = f'typeof {default} === "function" ? {default}{_CALL} : '
    text += default if ending == "value" else _NOT_CALLABLE
    edits.insert(len(syntax.units), f"\nreturn {text};")
    return shape


_MODULE_STATEMENTS: Final = frozenset({"import_statement", "export_statement"})
_NOT_CALLABLE: Final = '(() => { throw new TypeError("default export is not a function"); })()'


class _Module:
    def __init__(
        self,
        syntax: Syntax,
        edits: Edits,
        lines: Lines,
        modules: Container[str],
        problems: list[Diagnostic],
    ):
        self.syntax = syntax
        self.edits = edits
        self.lines = lines
        self.modules = modules
        self.problems = problems
        self.loads: list[str] = []
        self.exports: list[tuple[str, str]] = []

    def take_import(self, statement: Node) -> None:
        source = statement.child_by_field_name("source")
        if source is None or not self._known(source):
            return
        load = f"await $module.load({self.syntax.text(source)})"
        clause = next((each for each in statement.children if each.type == "import_clause"), None)
        if clause is None:
            self.loads.append(load + ";")
        else:
            for pattern in self._patterns(clause):
                self.loads.append(f"const {pattern} = {load};")
        self.edits.blank(start(statement), end(statement))
        self.edits.put(start(statement), ";")

    def _patterns(self, clause: Node) -> list[str]:
        patterns: list[str] = []
        for each in clause.named_children:
            if each.type == "identifier":
                patterns.append(f"{{ default: {self.syntax.text(each)} }}")
            elif each.type == "namespace_import":
                patterns.append(self.syntax.text(each.named_children[-1]))
            elif each.type == "named_imports":
                names = [
                    self._specifier(spec)
                    for spec in each.named_children
                    if spec.type == "import_specifier" and not self.edits.erased(start(spec))
                ]
                patterns.append(f"{{ {', '.join(names)} }}")
        return patterns

    def _specifier(self, node: Node) -> str:
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        assert name is not None
        text = self.syntax.text(name)
        return f"{text}: {self.syntax.text(alias)}" if alias is not None else text

    def _known(self, source: Node) -> bool:
        name = self.syntax.text(source)[1:-1]
        if name in self.modules:
            return True
        message, hint = unknown_module(name, self.modules)
        self.problems.append(diagnostic_at(self.lines, start(source), "import", message, hint=hint))
        return False

    def take_export(self, statement: Node) -> None:
        source = statement.child_by_field_name("source")
        if source is not None:
            self._export_from(statement, source)
            return
        children = statement.children
        declaration = statement.child_by_field_name("declaration")
        value = statement.child_by_field_name("value")
        default = next((each for each in children if each.type == "default"), None)
        if default is not None:
            self._export_default(statement, default, declaration or value)
        elif declaration is not None:
            self.edits.blank(start(children[0]), end(children[0]))
            for name in _declared(self.syntax, declaration):
                self.exports.append((name, name))
        else:
            for spec in descend(statement):
                if spec.type == "export_specifier" and not self.edits.erased(start(spec)):
                    name, alias = _spec_names(self.syntax, spec)
                    self.exports.append((alias, name))
            self.edits.blank(start(statement), end(statement))
            self.edits.put(start(statement), ";")

    def _export_from(self, statement: Node, source: Node) -> None:
        if not self._known(source):
            return
        load = f"await $module.load({self.syntax.text(source)})"
        name = self._fresh(f"$from{len(self.loads)}")
        self.loads.append(f"const {name} = {load};")
        for spec in descend(statement):
            if spec.type == "export_specifier":
                imported, alias = _spec_names(self.syntax, spec)
                self.exports.append((alias, f"{name}.{imported}"))
            elif spec.type == "namespace_export":
                self.exports.append((self.syntax.text(spec.named_children[-1]), name))
        self.edits.blank(start(statement), end(statement))
        self.edits.put(start(statement), ";")

    def _export_default(self, statement: Node, default: Node, value: Node | None) -> None:
        export = statement.children[0]
        name = _name_of(self.syntax, value) if value is not None else ""
        declares = value is not None and value.type.endswith("_declaration") and name
        self.edits.blank(start(export), end(default))
        if declares:
            self.exports.append(("default", name))
            return
        bound = self._fresh("$main")
        # The two words are 6 and 7 characters wide: there is room for a declaration.
        self.edits.put(start(export), "const")
        self.edits.put(start(default), f"{bound}=".rjust(7))
        self.exports.append(("default", bound))
        if value is not None:
            self.edits.insert(end(value), ";")

    def _fresh(self, name: str) -> str:
        used = self.syntax.units
        if name not in used:
            return name
        return next(each for n in range(10_000) if (each := f"$m{n}") not in used)


def _name_of(syntax: Syntax, node: Node) -> str:
    name = node.child_by_field_name("name")
    return syntax.text(name) if name is not None else ""


def _spec_names(syntax: Syntax, node: Node) -> tuple[str, str]:
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    assert name is not None
    text = syntax.text(name)
    return text, syntax.text(alias) if alias is not None else text


def _declared(syntax: Syntax, declaration: Node) -> list[str]:
    """The names that a declaration binds at its own level."""
    if declaration.type not in ("lexical_declaration", "variable_declaration"):
        return [name] if (name := _name_of(syntax, declaration)) else []
    found: list[str] = []
    pending = [
        name
        for each in declaration.named_children
        if (name := each.child_by_field_name("name")) is not None
    ]
    while pending:
        node = pending.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            found.append(syntax.text(node))
        elif node.type == "pair_pattern":
            pending.append(node.named_children[-1])
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            pending.append(node.named_children[0])
        else:
            pending.extend(node.named_children)
    return found


def unknown_module(name: str, modules: Container[str]) -> tuple[str, str]:
    """What to say about an import that nothing answers: message and hint."""
    message = f"there is no module {name[:80]!r} to import"
    if isinstance(modules, Iterable):
        known = sorted(str(each) for each in modules)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        if known:
            return message, f"the modules that can be imported are: {', '.join(known[:20])}"
    return message, (
        "nothing can be imported here: no packages, no Node.js modules; "
        "call the functions on `tools` and use the built-in JavaScript objects"
    )
