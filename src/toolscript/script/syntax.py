"""The syntax tree of a script: one parser for JavaScript and TypeScript.

The parser is tree-sitter's, which never fails and marks what it did not understand. It works on
UTF-16, so that its byte offsets are twice our offsets.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree
from tree_sitter_typescript import language_typescript

_LANGUAGE = Language(language_typescript())

MOST_LEVELS: Final = 2_000

TEXTS = frozenset({"string_fragment", "regex_pattern", "comment"})
"""Nodes whose text is no code."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """A text of code units and its tree.

    `types` are ranges of the text that are types although the tree does not say so.
    """

    units: str
    tree: Tree
    types: tuple[tuple[int, int], ...] = ()
    index: Mapping[str, list[Node]] = field(default_factory=dict[str, list[Node]], repr=False)
    """The nodes of the kinds that were looked up, by kind; those that there are."""

    @property
    def root(self) -> Node:
        return self.tree.root_node

    @property
    def broken(self) -> bool:
        """The parser did not understand all of it."""
        return self.tree.root_node.has_error

    @property
    def too_deep(self) -> bool:
        """Nested so deep that looking around in the tree would take too long.

        No engine runs such a script.
        """
        if len(self.units) <= MOST_LEVELS:
            return False
        cursor, level = self.tree.walk(), 0
        while level <= MOST_LEVELS:
            if cursor.goto_first_child():
                level += 1
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return False
                level -= 1
        return True

    def indexed(self, kinds: frozenset[str]) -> Syntax:
        """The same, with all nodes of some kinds looked up in one walk, for all who ask."""
        index = QueryCursor(_query(kinds)).captures(self.root)
        return Syntax(self.units, self.tree, self.types, index)

    def of_kind(self, kind: str) -> Sequence[Node]:
        """The nodes of an indexed kind, in the order of the text."""
        return self.index.get(kind, ())

    def of_kinds(self, kinds: Container[str]) -> list[Node]:
        """The nodes of indexed kinds, a node before what is inside it, in the order of the text."""
        return _in_order(
            [node for kind, nodes in self.index.items() if kind in kinds for node in nodes]
        )

    def text(self, node: Node) -> str:
        return self.units[start(node) : end(node)]


def parse(units: str) -> Syntax:
    """Parse a text of code units; always gives a tree."""
    # A parser keeps state while it parses, and threads may prepare scripts at the same time.
    tree = Parser(_LANGUAGE).parse(units.encode("utf-16-le", "surrogatepass"), encoding="utf16le")
    return Syntax(units, tree)


def start(node: Node) -> int:
    """Offset where a node begins, in code units."""
    return node.start_byte // 2


def end(node: Node) -> int:
    """Offset behind a node, in code units."""
    return node.end_byte // 2


def descend(node: Node, *, errors_only: bool = False) -> Iterator[Node]:
    """A node and all below it, in the order of the text."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        children = current.children
        if errors_only:
            children = [each for each in children if each.has_error or each.is_missing]
        pending.extend(reversed(children))


def find_all(node: Node, kinds: frozenset[str]) -> list[Node]:
    """All named nodes of some kinds, a node before what is inside it, in the order of the text.

    Much cheaper than to look at every node.
    """
    captures = QueryCursor(_query(kinds)).captures(node)
    return _in_order([each for found in captures.values() for each in found])


def _in_order(nodes: list[Node]) -> list[Node]:
    # Of two nodes that begin at one place, the outer one has more below it.
    nodes.sort(key=lambda each: (each.start_byte, -each.descendant_count))
    return nodes


@cache
def _query(kinds: frozenset[str]) -> Query:
    return Query(_LANGUAGE, " ".join(f"({kind}) @{kind}" for kind in sorted(kinds)))


def first_error(syntax: Syntax) -> tuple[Node, bool] | None:
    """The first place that the parser did not understand, and whether something is missing there.

    The innermost error is named, since an outer one may span the whole text.
    """
    found: Node | None = None
    for node in descend(syntax.root, errors_only=True):
        if node.is_missing:
            return node, True
        if node.is_error and (found is None or start(node) <= end(found)):
            found = node
    return (found, False) if found is not None else None


def statements(root: Node) -> list[Node]:
    """The statements of a program, without comments."""
    return [each for each in root.children if each.is_named and each.type not in _NO_STATEMENT]


_NO_STATEMENT = frozenset({"comment", "html_comment", "hash_bang_line", "empty_statement"})
