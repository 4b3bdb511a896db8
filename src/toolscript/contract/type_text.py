"""TypeScript types as text, and how larger ones are put together from smaller ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from toolscript.contract.comments import quote
from toolscript.contract.names import is_identifier

_SHORT: Final = 40

_MOST_ALTERNATIVES: Final = 10_000
"""Beyond so many combinations of choices the compiler gives up on a type (at 100,000)."""

_SIMPLE: Final = re.compile(r"[\w$]+(\[\])*\Z")


class Rank(IntEnum):
    """How loosely the parts of a text hang together; looser ones need parentheses."""

    ATOM = 0
    OPERATOR = 1
    INTERSECTION = 2
    UNION = 3


@dataclass(frozen=True, slots=True)
class Text:
    """A type as text.

    `breadth` is how many alternatives a compiler sees in it; `choices` are those of a union.
    """

    text: str
    rank: Rank = Rank.ATOM
    levels: int = 0
    breadth: int = 1
    choices: tuple[str, ...] = ()

    def within(self, rank: Rank) -> str:
        return f"({self.text})" if self.rank > rank else self.text

    @property
    def is_short(self) -> bool:
        """Whether it may be written out wherever it is used."""
        return len(self.text) <= _SHORT and "\n" not in self.text


UNKNOWN_TEXT: Final = Text("unknown")


def array_of(item: Text, *, readonly: bool, short: bool) -> Text:
    """An array; with `short` it is `string[]` where the items are simple, else `Array<T>`."""
    if short and _SIMPLE.match(item.text):
        rank = Rank.OPERATOR if readonly else Rank.ATOM
        return Text(f"{'readonly ' * readonly}{item.text}[]", rank, item.levels + 1)
    return Text(f"{'Readonly' * readonly}Array<{item.text}>", levels=item.levels + 1)


def either(parts: Sequence[Text]) -> Text:
    """A union, each of its choices once."""
    choices = {
        choice: None
        for part in parts
        for choice in part.choices or (part.text,)
        if choice != "never"
    }
    if "unknown" in choices:
        return UNKNOWN_TEXT
    if len(choices) < 2:
        return next((part for part in parts if part.text in choices), parts[0])
    return Text(
        " | ".join(choices),
        Rank.UNION,
        max(part.levels for part in parts),
        sum(part.breadth for part in parts),
        tuple(choices),
    )


def all_of(parts: Sequence[Text]) -> Text:
    """An intersection of as many parts as a compiler can combine."""
    kept: dict[str, Text] = {}
    breadth = 1
    for part in parts:
        if part.text == "unknown" or part.text in kept:
            continue
        if breadth * part.breadth <= _MOST_ALTERNATIVES:
            kept[part.text] = part
            breadth *= part.breadth
    if not kept:
        return UNKNOWN_TEXT
    if len(kept) == 1:
        return next(iter(kept.values()))
    levels = max(part.levels for part in kept.values())
    text = " & ".join(part.within(Rank.INTERSECTION) for part in kept.values())
    return Text(text, Rank.INTERSECTION, levels, breadth)


def braced(members: Sequence[tuple[Sequence[str], str]]) -> str:
    """An object type of members, each with the lines of its comment; on one line without any."""
    if not any(comment or "\n" in member for comment, member in members):
        return f"{{ {' '.join(f'{member};' for _, member in members)} }}"
    lines = ["{"]
    for comment, member in members:
        lines.extend(f"  {line}" for line in comment)
        lines.append(f"  {member};".replace("\n", "\n  "))
    return "\n".join([*lines, "}"])


def property_name(name: str) -> str:
    """A property's name as TypeScript writes it in a type."""
    return name if is_identifier(name) else quote(name)
