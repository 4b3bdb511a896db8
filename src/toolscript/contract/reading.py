"""What was read of a schema: shapes, and what is referred to by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolscript.contract.shape import Doc, Ref, Shape

_STEPS: Final = 24
"""References one behind the other that are followed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One schema as it was read.

    Attributes:
        root: the shape of the whole.
        definitions: shapes by the key of the references to them.
        hints: for each key, words that could make its name.
        docs: for each key, what a comment on its definition says.
        problems: parts that could not be read, with their paths; they are `unknown`.
    """

    root: Shape
    definitions: Mapping[int, Shape]
    hints: Mapping[int, str]
    docs: Mapping[int, Doc]
    problems: Sequence[str]

    def behind(self, shape: Shape) -> Shape:
        """A shape with references followed; itself where they lead nowhere."""
        for _ in range(_STEPS):
            if not isinstance(shape, Ref):
                break
            shape = self.definitions[shape.key]
        return shape
