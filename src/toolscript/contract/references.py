"""The parts of a schema that are referred to: each is read once, under a key of its own.

Nesting is followed to a bounded depth in one piece; what lies deeper becomes a definition of its
own, so that any schema is read in time linear in its size and without deep recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolscript.contract.documentation import doc_of
from toolscript.contract.places import Path
from toolscript.contract.shape import Doc, Ref, Shape, height

DEPTH: Final = 24
"""Levels of a schema that are read in one piece."""

_RESOLUTIONS: Final = 2_000
"""References that one document may have merged into an `allOf`; the rest stay references."""


class References:
    """The references of one document. What they lead to is read by `read_part`, a level at a time.

    Attributes:
        definitions: shapes by key; it fills while parts are read.
        hints: for each key, words that could make its name.
        docs: for each key, what a comment on its definition says.
    """

    def __init__(self, read_part: Callable[[Mapping[str, Any], Path], Shape]):
        self.definitions: dict[int, Shape] = {}
        self.hints: dict[int, str] = {}
        self.docs: dict[int, Doc] = {}
        self._read_part = read_part
        self._pending: list[int] = []
        self._nodes: dict[int, tuple[Mapping[str, Any], Path]] = {}
        self._under_way: set[int] = set()
        self._heights: dict[int, int] = {}
        self._depth = 0
        self._resolutions = _RESOLUTIONS

    @property
    def is_deep(self) -> bool:
        """Whether what comes next is too far down to be read in the same piece."""
        return self._depth >= DEPTH

    def read(self, schema: Mapping[str, Any], path: Path) -> Shape:
        """The shape of a part, one level further down in the same piece."""
        self._depth += 1
        try:
            return self._read_part(schema, path)
        finally:
            self._depth -= 1

    def read_all(self) -> None:
        """Read what was referred to, and what that refers to."""
        while self._pending:
            self._define(self._pending.pop())

    def to(self, schema: Mapping[str, Any], path: Path, hint: str) -> Ref:
        """A reference to a part, which is read later."""
        key = id(schema)
        if key not in self._nodes:
            self._nodes[key] = (schema, path)
            self._pending.append(key)
            title = schema.get("title")
            self.hints[key] = hint or (title if isinstance(title, str) else "")
            self.docs[key] = doc_of(schema)
        return Ref(key)

    def merged(self, reference: Ref) -> Shape | None:
        """The shape behind a reference, to be merged with another; None leaves it a reference."""
        for _ in range(DEPTH):
            if reference.key not in self.definitions:
                if reference.key in self._under_way or self.is_deep:
                    return None
                self._define(reference.key)
            self._resolutions -= 1
            found = self.definitions[reference.key]
            # Merging shapes that were merged before could build one of any height.
            if self._resolutions < 0 or self._heights[reference.key] > DEPTH:
                return None
            if not isinstance(found, Ref):
                return found
            reference = found
        return None

    def _define(self, key: int) -> None:
        if key in self.definitions:
            return
        self._under_way.add(key)
        schema, path = self._nodes[key]
        self.definitions[key] = self.read(schema, path)
        self._under_way.discard(key)
        self._heights[key] = height(self.definitions[key])
