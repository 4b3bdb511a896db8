"""The guest library is joined to one line before it is compiled: its sources have to allow that."""

from __future__ import annotations

from pathlib import Path

import pytest
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

import toolscript.sandbox
from toolscript.sandbox.machine import BASE, ENGLISH, PARTS, one_line

GUEST = Path(toolscript.sandbox.__file__).parent / "guest"


def nodes(text: str) -> list[Node]:
    language = Language(tree_sitter_typescript.language_typescript())
    tree = Parser(language).parse(text.encode())
    assert not tree.root_node.has_error
    found: list[Node] = []
    work = [tree.root_node]
    while work:
        node = work.pop()
        if node.type != "comment":
            found.append(node)
            # In a string, other characters than ASCII become escapes.
            work.extend(node.children if node.type != "string" else ())
    return found


@pytest.mark.parametrize("name", [*BASE, *PARTS, *ENGLISH])
def test_a_source_means_the_same_on_one_line(name: str) -> None:
    source = (GUEST / f"{name}.js").read_text(encoding="utf-8")
    joined = f"({one_line(source)});"
    assert "\n" not in joined
    before, after = nodes(source), nodes(joined)
    assert [node.type for node in after] == [node.type for node in before]
    texts = [node.text or b"" for node in before if node.type == "template_string"]
    assert not any(b"\n" in text for text in texts)
