"""Turns an ES module into the body of an async function.

Imports become `await $module.load(name)` in front of the body, where a module loads them too.
Exports lose their keyword; what a module gives is returned at the end.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from typing import Final, Literal, cast

from tree_sitter import Node

from toolscript.script.diagnostic import Diagnostic, diagnostic_at
from toolscript.script.edits import Edits
from toolscript.script.forms import CALL, Shape, function_names, main_of, return_expression
from toolscript.script.syntax import Syntax, end, find_all, start, statements
from toolscript.script.text import Lines

Ending = Literal["value", "call", "exports"]
"""What a module's body returns: its default export, or what that returns if it is a function
("value"); what it returns, and anything else is an error ("call"); an object of all exports."""

DYNAMIC: Final = frozenset({"import", "meta_property"})
"""Nodes that may load a module while the script runs."""
_SPECIFIER: Final = frozenset({"export_specifier"})
_MODULE_STATEMENTS: Final = frozenset({"import_statement", "export_statement"})
_NOT_CALLABLE: Final = '(() => { throw new TypeError("default export is not a function"); })()'
_NEVER_CALLABLE: Final = frozenset(
    {"object", "array", "string", "number", "template_string", "true", "false", "null", "regex"}
)
_MISSING: Final = (
    "if (!(name in {bound})) throw new SyntaxError("
    "'the module ' + {source} + ' has no export ' + JSON.stringify(name) + '; it exports: ' + "
    "Object.keys({bound}).join(', '));"
)


class _AnyModule:
    def __contains__(self, name: object) -> bool:
        return True


ANY_MODULE: Final[Container[str]] = _AnyModule()
"""For runtimes whose platform resolves imports: nothing is refused beforehand."""


def is_module(syntax: Syntax, edits: Edits) -> bool:
    """The script imports or exports something that is left when its types are gone."""
    return any(
        each.type in _MODULE_STATEMENTS and not edits.taken_out(start(each), end(each))
        for each in statements(syntax.root)
    )


def shape_module(syntax: Syntax, edits: Edits, *, modules: Container[str], ending: Ending) -> Shape:
    """Turn a module into a body. `modules` are the names that it may import."""
    module = _Module(syntax, edits, modules)
    program = [
        each for each in statements(syntax.root) if not edits.taken_out(start(each), end(each))
    ]
    rest = [each for each in program if each.type not in _MODULE_STATEMENTS]
    returns = any(each.type == "return_statement" for each in program)
    for statement in program:
        if statement.type == "import_statement":
            module.take_import(statement)
        elif statement.type == "export_statement":
            module.take_export(statement, ending)
    edits.insert(0, '"use strict";' + "".join(module.loads))
    default = dict(module.exports).get("default")
    if ending == "exports":
        edits.insert(len(syntax.units), f"\nreturn {module.exported()};")
    elif default is not None:
        text = f'typeof {default} === "function" ? {default}{CALL} : '
        text += default if ending == "value" else _NOT_CALLABLE
        edits.insert(len(syntax.units), f"\nreturn {text};")
    elif ending == "call":
        module.problem(0, "module", *NO_DEFAULT)
    elif not returns and rest and rest[-1] is program[-1] and rest[-1].type == _EXPRESSION:
        return_expression(syntax, edits, rest[-1])
    elif not returns and all(each.type != _EXPRESSION for each in rest):
        main = main_of(module.functions)
        if main is not None:
            edits.insert(len(syntax.units), f"\nreturn {main}{CALL};")
    return Shape("module", module.problems, imports=tuple(module.imports))


_EXPRESSION: Final = "expression_statement"
NO_DEFAULT: Final = (
    "the module has no default export",
    "write: export default async function ({ codemode }) { ... }",
)


class _Module:
    """What a module imports and exports, taken out of its text."""

    def __init__(self, syntax: Syntax, edits: Edits, modules: Container[str]):
        self.syntax = syntax
        self.edits = edits
        self.modules = modules
        self.lines = Lines(syntax.units)
        self.problems: list[Diagnostic] = []
        self.loads: list[str] = []
        self.exports: list[tuple[str, str]] = []
        self.stars: list[str] = []
        self.imports: list[str] = []
        self.functions: list[str] = []

    def problem(self, offset: int, code: str, message: str, hint: str) -> None:
        self.problems.append(diagnostic_at(self.lines, offset, code, message, hint=hint))

    def exported(self) -> str:
        """An object of the exports, whose properties follow the variables."""
        members = [f"...(({{ default: _, ...rest }}) => rest)({name})" for name in self.stars]
        for name, value in self.exports:
            quoted = name if name[0] in "\"'" else json.dumps(name)
            members.append(f"get {quoted}() {{ return {value}; }}")
        return f"{{ __proto__: null, {', '.join(members)} }}"

    def take_import(self, statement: Node) -> None:
        bound = self._load(statement)
        clause = next((each for each in statement.children if each.type == "import_clause"), None)
        if bound is not None and clause is not None:
            for each in clause.named_children:
                self._bind(each, bound, statement)

    def _load(self, statement: Node) -> str | None:
        """Load what a statement names; gives the variable that holds it."""
        source = statement.child_by_field_name("source")
        if source is None:
            return None
        name = self.syntax.text(source)[1:-1]
        if name not in self.modules:
            self.problem(start(source), "import", *unknown_module(name, self.modules))
            return None
        self.imports.append(name)
        bound = self._fresh(f"$from{len(self.loads)}")
        wanted = self.syntax.text(source) + self._attributes(statement)
        self.loads.append(f"const {bound} = await $module.load({wanted});")
        self._take_out(statement)
        return bound

    def _attributes(self, statement: Node) -> str:
        """The rest of the arguments of a load: what kind of module the statement asks for."""
        for each in statement.children:
            if each.type == "import_attribute":
                return f", {{ with: {self.syntax.text(each.named_children[-1])} }}"
        return ""

    def _take_out(self, statement: Node) -> None:
        self.edits.blank(start(statement), end(statement))
        self.edits.put(start(statement), ";")

    def _bind(self, clause: Node, bound: str, statement: Node) -> None:
        pattern, wanted = self.syntax.text(clause), ["default"]
        if clause.type == "namespace_import":
            self.loads.append(f"const {self.syntax.text(clause.named_children[-1])} = {bound};")
            return
        if clause.type == "named_imports":
            specifiers = [
                _specifier(self.syntax, each)
                for each in clause.named_children
                if each.type == "import_specifier" and each.children[0].type != "type"
            ]
            pattern = ", ".join(f"{name}: {alias}" for name, alias in specifiers)
            wanted = [name.strip("\"'") for name, _ in specifiers]
        else:
            pattern = f"default: {pattern}"
        source = statement.child_by_field_name("source")
        shown = self.syntax.text(source) if source is not None else ""
        check = _MISSING.format(bound=bound, source=shown)
        self.loads.append(f"for (const name of {json.dumps(wanted)}) {check}")
        self.loads.append(f"const {{ {pattern} }} = {bound};")

    def take_export(self, statement: Node, ending: Ending) -> None:
        declaration = statement.child_by_field_name("declaration")
        default = next((each for each in statement.children if each.type == "default"), None)
        if statement.child_by_field_name("source") is not None:
            self._export_from(statement)
        elif default is not None:
            value = declaration or statement.child_by_field_name("value")
            self._export_default(statement, default, value, ending)
        elif declaration is not None:
            word = statement.children[0]
            self.edits.blank(start(word), end(word))
            self.exports += [(name, name) for name in _declared(self.syntax, declaration)]
            self.functions += function_names(self.syntax, declaration)
        else:
            for name, alias in self._exported_names(statement):
                self.exports.append((alias, name))
            self._take_out(statement)

    def _exported_names(self, statement: Node) -> list[tuple[str, str]]:
        return [
            _specifier(self.syntax, each)
            for each in find_all(statement, _SPECIFIER)
            if not self.edits.erased(start(each))
        ]

    def _export_from(self, statement: Node) -> None:
        names = self._exported_names(statement)
        bound = self._load(statement)
        if bound is None:
            return
        kinds = {each.type: each for each in statement.children}
        for name, alias in names:
            key = name if name[0] in "\"'" else json.dumps(name)
            self.exports.append((alias, f"{bound}[{key}]"))
        if "namespace_export" in kinds:
            name = self.syntax.text(kinds["namespace_export"].named_children[-1])
            self.exports.append((name, bound))
        elif "*" in kinds:
            self.stars.append(bound)

    def _export_default(
        self, statement: Node, default: Node, value: Node | None, ending: Ending
    ) -> None:
        word = statement.children[0]
        name = _name_of(self.syntax, value) if value is not None else ""
        self.edits.blank(start(word), end(default))
        if value is not None and value.type.endswith("_declaration") and name:
            self.exports.append(("default", name))
        else:
            name = self._fresh("$main")
            # The two words are 6 and 7 characters wide: there is room for a declaration.
            self.edits.put(start(word), "const")
            self.edits.put(start(default), f"{name}=".rjust(7))
            self.exports.append(("default", name))
            if value is not None:
                self.edits.insert(end(value), ";")
        is_class = value is not None and value.type in ("class", "class_declaration")
        never = value is not None and value.type in _NEVER_CALLABLE
        if ending == "call" and (is_class or never):
            self.problem(
                start(value) if value is not None else start(statement),
                "module",
                "default export is not a function",
                NO_DEFAULT[1],
            )

    def _fresh(self, name: str) -> str:
        """A name that the module does not use; at most as long as `name`."""
        used = self.syntax.units
        if name not in used:
            return name
        return next(each for n in range(10_000) if (each := f"$m{n}") not in used)


def _specifier(syntax: Syntax, node: Node) -> tuple[str, str]:
    """The name of an import or export specifier, and its name on the other side."""
    names = [syntax.text(each) for each in node.named_children if each.type != "comment"]
    return names[0], names[-1]


def _name_of(syntax: Syntax, node: Node) -> str:
    name = node.child_by_field_name("name")
    return syntax.text(name) if name is not None else ""


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
        known = sorted(cast(Iterable[str], modules))
        if known:
            return message, f"the modules that can be imported are: {', '.join(known[:20])}"
    return message, (
        "nothing can be imported here: no packages, no Node.js modules; "
        "call the functions on `tools` and use the built-in JavaScript objects"
    )


def rewrite_dynamic(
    syntax: Syntax, edits: Edits, modules: Container[str]
) -> tuple[Diagnostic, ...]:
    """Turn `import(name)` into a call of `$module.load`; gives what cannot be had, in order.

    `import.meta` is had where the platform resolves imports, as `$module.meta`.
    """
    if "import" not in syntax.units:
        return ()
    refused: list[Diagnostic] = []
    for node in syntax.of_kinds(DYNAMIC):
        named = node.type == "import" and node.is_named
        if not (named or node.type == "meta_property") or edits.erased(start(node)):
            continue
        if named:
            edits.blank(start(node), end(node))
            edits.insert(start(node), "$module.load")
        elif node.children[0].type == "import" and modules is ANY_MODULE:
            edits.blank(start(node), end(node))
            edits.insert(start(node), "$module.meta")
        elif node.children[0].type == "import":
            refused.append(
                diagnostic_at(
                    Lines(syntax.units),
                    start(node),
                    "import",
                    "there is no `import.meta` here",
                    hint="a script has no file and no address of its own; leave it out",
                )
            )
    return tuple(refused)
