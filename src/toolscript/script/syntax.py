"""The syntax tree of a script: one parser for JavaScript and TypeScript.

The parser is tree-sitter's, which never fails and marks what it did not understand. It works on
UTF-16, so that its byte offsets are twice our offsets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree
from tree_sitter_typescript import language_typescript

_LANGUAGE = Language(language_typescript())

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

    @property
    def root(self) -> Node:
        return self.tree.root_node

    @property
    def broken(self) -> bool:
        """The parser did not understand all of it."""
        return self.tree.root_node.has_error

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
    found = QueryCursor(_query(kinds)).captures(node).get("node", [])
    found.sort(key=lambda each: (each.start_byte, -each.end_byte))
    return found


@cache
def _query(kinds: frozenset[str]) -> Query:
    return Query(_LANGUAGE, f"[{' '.join(f'({kind})' for kind in sorted(kinds))}] @node")


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
