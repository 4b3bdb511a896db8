"""Takes TypeScript's types out of a script and leaves JavaScript at its place.

Types are overwritten with spaces, so every token that stays keeps its line and column. Where
the gap would join two statements, a semicolon takes one of the blanked places; where JavaScript
allows no line end, a parenthesis moves into the gap.

Only what can be erased is TypeScript here (as with `erasableSyntaxOnly` of the compiler):
`enum`, namespaces, parameter properties, `<T>x` and `import x = require()` produce code and are
refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from toolscript.script.diagnostic import Diagnostic, diagnostic_at
from toolscript.script.edits import LINE_ENDS, Edits
from toolscript.script.syntax import Syntax, end, start
from toolscript.script.text import Lines

_ENUM: Final = (
    "`enum` produces code and cannot be erased",
    "write a constant object instead: const Color = { Red: 0, Blue: 1 } as const;",
)
_NAMESPACE: Final = (
    "a `namespace` produces code and cannot be erased",
    "write its members at the top level, or put them into a constant object",
)
_REFUSED: Final = {
    "enum_declaration": _ENUM,
    "internal_module": _NAMESPACE,
    "module": _NAMESPACE,
    "type_assertion": (
        "`<T>value` cannot be told from other syntax and is not erased",
        "write `value as T` instead; there is no JSX here",
    ),
    "import_require_clause": (
        "`import x = require(...)` produces code and cannot be erased",
        "nothing can be required here; use the tools and globals that the script is given",
    ),
    "decorator": (
        "decorators are unknown to the engine",
        "call what decorates as a function: const A = decorate(class { ... });",
    ),
    "import_alias": (
        "`import x = A.B` produces code and cannot be erased",
        "write `const x = A.B;` or `type x = A.B;` instead",
    ),
}
_PARAMETER_PROPERTY: Final = (
    "a parameter property produces code and cannot be erased",
    "declare the field in the class and assign it in the constructor: this.name = name;",
)
_EXPORT_ASSIGNMENT: Final = (
    "`export =` produces code and cannot be erased",
    "write `export default ...` instead",
)

_TYPES: Final = frozenset(
    {
        "type_annotation",
        "type_parameters",
        "type_arguments",
        "implements_clause",
        "type_predicate_annotation",
        "asserts_annotation",
        "opting_type_annotation",
        "omitting_type_annotation",
        "adding_type_annotation",
    }
)
_TYPE_STATEMENTS: Final = frozenset(
    {
        "interface_declaration",
        "type_alias_declaration",
        "ambient_declaration",
        "function_signature",
    }
)
_TYPE_MEMBERS: Final = frozenset(
    {"index_signature", "abstract_method_signature", "method_signature"}
)
_MODIFIERS: Final = frozenset(
    {"accessibility_modifier", "override_modifier", "readonly", "declare", "abstract"}
)
_ENDS_BY_LINE: Final = frozenset(
    {
        "expression_statement",
        "lexical_declaration",
        "variable_declaration",
        "return_statement",
        "throw_statement",
        "export_statement",
        "public_field_definition",
        "do_statement",
    }
)
# A line that begins with one of these goes on with the statement before it.
_CONTINUES: Final = "([`+-/*.,<>=&|^%?:"

_RULED: Final = frozenset(
    {
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "instantiation_expression",
        "required_parameter",
        "optional_parameter",
        "public_field_definition",
        "method_definition",
        "abstract_class_declaration",
        "class_declaration",
        "variable_declarator",
        "import_statement",
        "export_statement",
        "import_specifier",
        "export_specifier",
        "arrow_function",
    }
)
ERASED: Final = (
    _RULED
    | _TYPES
    | _TYPE_STATEMENTS
    | _TYPE_MEMBERS
    | frozenset(_REFUSED)
    | (_ENDS_BY_LINE - {"do_statement"})
)
"""Nodes that may have something to erase."""

_IN_ALL_SCRIPTS: Final = frozenset(
    {"required_parameter", "variable_declarator", "class_declaration", "arrow_function"}
) | (_ENDS_BY_LINE - {"export_statement", "public_field_definition"})
"""Nodes in which nothing is erased where there are no others."""

TYPESCRIPT: Final = (
    _TYPES
    | _TYPE_STATEMENTS
    | _TYPE_MEMBERS
    | frozenset(_REFUSED)
    | {
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "instantiation_expression",
        "accessibility_modifier",
        "override_modifier",
        "abstract_class_declaration",
        "optional_parameter",
    }
)
"""Nodes that are TypeScript and not JavaScript."""


def erase_types(syntax: Syntax, edits: Edits) -> tuple[Diagnostic, ...]:
    """Blank every type of a script in `edits`; gives what cannot be erased, in order.

    `syntax` is indexed by `ERASED`.
    """
    if not syntax.types and ERASED.intersection(syntax.index) <= _IN_ALL_SCRIPTS:
        return ()
    eraser = _Eraser(syntax, edits)
    eraser.run()
    return tuple(eraser.refused)


class _Eraser:
    def __init__(self, syntax: Syntax, edits: Edits):
        self.syntax = syntax
        self.edits = edits
        self.refused: list[Diagnostic] = []
        self._lines: Lines | None = None
        self._moved: list[tuple[int, str]] = []  # parentheses that go into a gap
        self._gone = 0  # everything in front of this was taken out as a whole

    def run(self) -> None:
        statements: list[Node] = []
        for node in self.syntax.of_kinds(ERASED):
            first, kind = start(node), node.type
            if first < self._gone or self.edits.erased(first):
                continue
            if kind in _ENDS_BY_LINE:
                statements.append(node)
            rule = _RULES.get(kind)
            if rule is not None:
                rule(self, node)
        for first, last in self.syntax.types:
            self.edits.blank(first, last)
        for offset, text in self._moved:
            self.edits.put(offset, text)
        for node in statements:
            self._keep_statement_apart(node)

    def _refuse(self, node: Node, why: tuple[str, str]) -> None:
        if self._lines is None:
            self._lines = Lines(self.syntax.units)
        message, hint = why
        self.refused.append(
            diagnostic_at(self._lines, start(node), "typescript", message, hint=hint)
        )

    def refuse(self, node: Node) -> None:
        self._refuse(node, _REFUSED[node.type])
        self._gone = end(node)

    def blank(self, node: Node) -> None:
        self.edits.blank(start(node), end(node))
        self._gone = max(self._gone, end(node))

    def arguments(self, node: Node) -> None:
        units, first = self.syntax.units, start(node)
        spaced = units[first - 1].isspace() and units[first + 1].isspace()
        if spaced and node.parent is not None and node.parent.type == "call_expression":
            # f(a < b, c > (d)): as TypeScript this is a call, but who writes it so compares.
            return
        self.blank(node)

    def replace(self, node: Node) -> None:
        self.blank(node)
        self.edits.put(start(node), ";")

    def cast(self, node: Node) -> None:
        rest = next(each for each in node.children[1:] if each.type != "comment")
        self.edits.blank(start(rest), end(node))

    def parameter(self, node: Node) -> None:
        children = node.children
        for each in children:
            if each.type in ("accessibility_modifier", "readonly", "override_modifier"):
                self._refuse(each, _PARAMETER_PROPERTY)
                self._gone = end(node)
                return
        if children[0].type == "this":
            self._blank_item(node)
        else:
            self._blank_marks(children, "?")

    def _blank_item(self, node: Node) -> None:
        """Blank one item of a list, and the comma behind it."""
        after = node.next_sibling
        while after is not None and after.type == "comment":
            after = after.next_sibling
        comma = after is not None and after.type == ","
        last = end(after) if after is not None and comma else end(node)
        self.edits.blank(start(node), last)
        self._gone = last

    def _blank_marks(self, children: list[Node], *marks: str) -> None:
        for each in children:
            if each.type in marks:
                self.edits.blank(start(each), end(each))

    def member(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        name_start = start(name) if name is not None else end(node)
        children = node.children
        modifiers = [each for each in children if end(each) <= name_start]
        if any(each.type in ("declare", "abstract") for each in modifiers):
            self.replace(node)
            return
        marks = [each for each in modifiers if each.type in _MODIFIERS]
        marks += [each for each in children[len(modifiers) :] if each.type in ("?", "!")]
        for each in marks:
            self.edits.blank(start(each), end(each))
        if children[0] in marks:
            # What comes first now could go on with the field before: `a = 1` and `*b() {}`.
            self.edits.put(start(children[0]), ";")

    def class_(self, node: Node) -> None:
        self._blank_marks(node.children, "abstract")

    def declarator(self, node: Node) -> None:
        self._blank_marks(node.children, "!")

    def import_(self, node: Node) -> None:
        if any(each.type == "type" for each in node.children) or self._only_types(node):
            self.replace(node)

    def _only_types(self, node: Node) -> bool:
        """Every imported name is a type, so the module itself is not wanted."""
        clause = next((each for each in node.children if each.type == "import_clause"), None)
        if clause is None or len(clause.named_children) != 1:
            return False
        names = clause.named_children[0]
        specifiers = [each for each in names.named_children if each.type == "import_specifier"]
        return bool(specifiers) and all(map(_is_type_specifier, specifiers))

    def export(self, node: Node) -> None:
        kinds = {each.type for each in node.children}
        declaration = node.child_by_field_name("declaration")
        if "=" in kinds:
            self._refuse(node, _EXPORT_ASSIGNMENT)
            self._gone = end(node)
        elif (
            "type" in kinds
            or {"as", "namespace"} <= kinds
            or (declaration is not None and declaration.type in _TYPE_STATEMENTS)
        ):
            self.replace(node)

    def specifier(self, node: Node) -> None:
        if _is_type_specifier(node):
            self._blank_item(node)

    def arrow(self, node: Node) -> None:
        """No line may end between `async` or `return` and `(`, nor between `)` and `=>`."""
        parameters = node.child_by_field_name("parameters")
        generics = node.child_by_field_name("type_parameters")
        result = node.child_by_field_name("return_type")
        if parameters is None:
            return
        first, last = start(parameters), end(parameters)
        if generics is not None and self._spans_lines(start(generics), first):
            self.edits.blank(first, first + 1)
            self._moved.append((start(generics), "("))
        if result is not None:
            arrow = next(each for each in node.children if each.type == "=>")
            if self._spans_lines(last, start(arrow)):
                self.edits.blank(last - 1, last)
                self._moved.append((end(result) - 1, ")"))

    def _spans_lines(self, first: int, last: int) -> bool:
        between = self.syntax.units[first:last]
        return any(each in between for each in LINE_ENDS)

    def _keep_statement_apart(self, node: Node) -> None:
        """Where a type ended a statement, put a semicolon if the next line would continue it."""
        units, edits = self.syntax.units, self.edits
        last = end(node) - 1
        while last > start(node) and units[last].isspace() and not edits.erased(last):
            last -= 1
        if last < 0 or not edits.erased(last) or units[last] == ";":
            return
        at, next_line = last + 1, False
        while at < len(units):
            if units[at].isspace() or units[at] == "\ufeff":
                next_line = next_line or units[at] in LINE_ENDS
                at += 1
            elif units.startswith("//", at):
                while at < len(units) and units[at] not in LINE_ENDS:
                    at += 1
            elif units.startswith("/*", at):
                close = units.find("*/", at + 2)
                stop = len(units) if close < 0 else close + 2
                next_line = next_line or self._spans_lines(at, stop)
                at = stop
            else:
                break
        if next_line and at < len(units) and units[at] in _CONTINUES:
            edits.put(last, ";")


_RULES: Final[dict[str, Callable[[_Eraser, Node], None]]] = {
    "as_expression": _Eraser.cast,
    "satisfies_expression": _Eraser.cast,
    "non_null_expression": _Eraser.cast,
    "instantiation_expression": _Eraser.cast,
    "required_parameter": _Eraser.parameter,
    "optional_parameter": _Eraser.parameter,
    "public_field_definition": _Eraser.member,
    "method_definition": _Eraser.member,
    "abstract_class_declaration": _Eraser.class_,
    "class_declaration": _Eraser.class_,
    "variable_declarator": _Eraser.declarator,
    "import_statement": _Eraser.import_,
    "export_statement": _Eraser.export,
    "import_specifier": _Eraser.specifier,
    "export_specifier": _Eraser.specifier,
    "arrow_function": _Eraser.arrow,
    **dict.fromkeys(_REFUSED, _Eraser.refuse),
    **dict.fromkeys(_TYPE_STATEMENTS | _TYPE_MEMBERS, _Eraser.replace),
    **dict.fromkeys(_TYPES, _Eraser.blank),
    "type_arguments": _Eraser.arguments,
}


def _is_type_specifier(node: Node) -> bool:
    return node.children[0].type == "type" and len(node.children) > 1
