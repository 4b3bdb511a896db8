"""The type of a whole document, and which of its shapes get a name of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from toolscript.contract.comments import PROPERTY_DESCRIPTION_CHARS, clean_lines, doc_comment
from toolscript.contract.documentation import merged_docs
from toolscript.contract.graph import components, is_circular
from toolscript.contract.names import INHERITED_MEMBERS
from toolscript.contract.reading import Reading
from toolscript.contract.shape import (
    NULL,
    ArrayOf,
    Doc,
    Exactly,
    Intersection,
    Never,
    ObjectOf,
    Primitive,
    Property,
    Ref,
    Shape,
    Tuple,
    Union,
    Unknown,
    inner_shapes,
)
from toolscript.contract.type_names import TypeNames
from toolscript.contract.type_text import (
    UNKNOWN_TEXT,
    Rank,
    Text,
    all_of,
    array_of,
    braced,
    either,
    property_name,
)

_INLINE_CHARS: Final = 1_000_000
"""Beyond so many characters a type without named helpers says `unknown`."""

_LEVELS: Final = 120
"""Brackets inside brackets, beyond which a definition gets a name (or becomes `unknown`)."""

_REFERENCES: Final = 8
"""Choices and references inside each other that are followed to see whether `{}` fits."""

_LONGEST_REST: Final = 400
"""Beyond so many characters an index signature beside named properties says `unknown`."""

_INHERITED: Final = INHERITED_MEMBERS - {"then", "__proto__"}
"""An object without a property of such a name still has a function there."""


@dataclass(frozen=True, slots=True)
class Style:
    """How types are written.

    Attributes:
        comments: none, `//` lines (seed 004), or JSDoc.
        sort: properties by name instead of in the order of the schema.
        readonly: everything readonly, for values that a script only reads.
        short_arrays: `string[]` for short items; else `Array<T>` always (seed 004).
    """

    comments: Literal["none", "line", "doc"] = "doc"
    sort: bool = False
    readonly: bool = False
    short_arrays: bool = True


@dataclass(frozen=True, slots=True)
class Printed:
    """A type as written. `accepts_empty`: an argument of it may be left out or be `{}`."""

    text: str
    accepts_empty: bool = False
    nameless: bool = False
    """No property is named and none is asked for; an argument has nothing to say."""


def print_type(
    reading: Reading,
    style: Style,
    names: TypeNames | None = None,
    *,
    owner: str = "",
    root_name: str | None = None,
) -> Printed:
    """Write the type of a whole document.

    Args:
        reading: the document.
        style: how to write it.
        names: where names for recursive, repeated and deep parts are taken from. Without it
            everything is written in place, and what cannot be becomes `unknown`.
        owner: a prefix that makes a name of this type when another one has taken it.
        root_name: the name to take for the whole type where it refers to itself.
    """
    printer = _Printer(reading, style, names, owner)
    if isinstance(reading.root, Ref):
        printer.place(reading.root.key, root_name)
    return printer.top()


class _Printer:
    def __init__(self, reading: Reading, style: Style, names: TypeNames | None, owner: str):
        self._reading = reading
        self._definitions = reading.definitions
        self._style = style
        self._names = names
        self._owner = owner
        self._texts: dict[int, Text] = {}
        # Definitions that have a name, and their comment in front of that.
        self._named: set[int] = set()
        self._empties: dict[int, bool] = {}
        # Definitions that would be aliases of themselves, by the number of their circle.
        self._circles: dict[int, int] = {}

    def top(self) -> Printed:
        text = self._write(self._reading.root, None).text
        seen = self._reading.behind(self._reading.root)
        nameless = (
            isinstance(seen, ObjectOf)
            and not seen.properties
            and (seen.rest is None or isinstance(seen.rest, Unknown))
        )
        return Printed(text, self._accepts_empty(self._reading.root), nameless)

    def place(self, root: int, root_name: str | None) -> None:
        """Decide for every definition how a reference to it is written."""
        uses: Counter[int] = Counter({root: 1})
        successors: dict[int, list[int]] = {}
        direct: dict[int, list[int]] = {}

        def following(key: int) -> list[int]:
            if key not in successors:
                found = list(references(self._definitions[key]))
                successors[key] = [reference.key for reference, _ in found]
                direct[key] = [reference.key for reference, is_direct in found if is_direct]
                uses.update(successors[key])
            return successors[key]

        groups = components([root], following)
        for number, circle in enumerate(components(successors, direct.__getitem__)):
            if is_circular(circle, direct.__getitem__):
                self._circles.update(dict.fromkeys(circle, number))
        for group in groups:
            if is_circular(group, successors.__getitem__):
                self._name(group, {root: root_name} if root_name else {})
            else:
                for key in group:
                    self._place_one(key, uses[key])

    def _place_one(self, key: int, uses: int) -> None:
        text = self._write(self._definitions[key], key)
        if self._names is None:
            fits = len(text.text) <= _INLINE_CHARS and text.levels <= _LEVELS
            self._texts[key] = text if fits else UNKNOWN_TEXT
        elif text.is_short or (
            uses == 1 and text.levels <= _LEVELS and key not in self._names.repeated
        ):
            self._texts[key] = text
        else:
            self._name((key,), {})
            self._texts[key] = replace(self._texts[key], breadth=text.breadth)

    def _name(self, group: tuple[int, ...], given: Mapping[int, str]) -> None:
        """Declare definitions that refer to each other under names of their own."""
        if self._names is None:
            self._texts.update(dict.fromkeys(group, UNKNOWN_TEXT))
            return
        offers = {
            key: self._names.candidates(self._reading.hints[key], self._owner) for key in group
        }
        status = "taken"
        while status == "taken":
            chosen: dict[int, str] = {}
            for key in group:
                name = given.get(key)
                while name is None or (key not in given and name in chosen.values()):
                    name = next(offers[key])
                chosen[key] = name
            self._texts.update((key, Text(name)) for key, name in chosen.items())
            self._named.update(chosen)
            status = self._names.claim(
                {name: self._declaration(key, name) for key, name in chosen.items()},
                granted=given.values(),
            )

    def _declaration(self, key: int, name: str) -> str:
        body = self._write(self._definitions[key], key).text
        return "\n".join([*self._comment(self._reading.docs[key]), f"type {name} = {body};"])

    def _accepts_empty(self, shape: Shape, depth: int = 0) -> bool:
        """Whether `{}` fits; not looked for beyond a few references."""
        match shape:
            case Unknown():
                return True
            case ObjectOf():
                return not any(each.required for each in shape.properties.values())
            case Union() if depth < _REFERENCES:
                return any(self._accepts_empty(member, depth + 1) for member in shape.members)
            case Intersection() if depth < _REFERENCES:
                return all(self._accepts_empty(member, depth + 1) for member in shape.members)
            case Ref() if depth < _REFERENCES:
                if shape.key not in self._empties:
                    self._empties[shape.key] = False  # where it leads back to itself
                    behind = self._definitions[shape.key]
                    self._empties[shape.key] = self._accepts_empty(behind, depth + 1)
                return self._empties[shape.key]
            case _:
                return False

    def _write(self, shape: Shape, within: int | None) -> Text:
        """The text of a shape.

        `within` is the definition of which it is a whole alternative, not a part behind a
        bracket: there TypeScript cannot have a type refer to itself.
        """
        match shape:
            case Unknown():
                return UNKNOWN_TEXT
            case Never():
                return Text("never")
            case Primitive():
                return Text(shape.name)
            case Exactly():
                return Text(shape.text)
            case ArrayOf():
                item = self._write(shape.item, None)
                return array_of(item, readonly=self._style.readonly, short=self._style.short_arrays)
            case Tuple():
                return self._tuple(shape)
            case ObjectOf():
                return self._object(shape)
            case Union():
                return either([self._write(member, within) for member in shape.members])
            case Intersection():
                return all_of([self._write(member, within) for member in shape.members])
            case Ref():
                circle = self._circles.get(shape.key)
                if within is None or circle is None or circle != self._circles.get(within):
                    return self._texts[shape.key]
                return UNKNOWN_TEXT

    def _tuple(self, shape: Tuple) -> Text:
        items = [self._write(item, None) for item in shape.items]
        parts = [
            item.text if place < shape.required else f"{item.within(Rank.ATOM)}?"
            for place, item in enumerate(items)
        ]
        if shape.rest is not None:
            rest = self._write(shape.rest, None)
            items.append(rest)
            parts.append(f"...Array<{rest.text}>")
        readonly = self._style.readonly
        return Text(
            f"{'readonly ' * readonly}[{', '.join(parts)}]",
            Rank.OPERATOR if readonly else Rank.ATOM,
            max((item.levels for item in items), default=0) + 1,
        )

    def _object(self, shape: ObjectOf) -> Text:
        names = sorted(shape.properties) if self._style.sort else list(shape.properties)
        members: list[tuple[list[str], str]] = []
        texts: list[Text] = []
        for name in names:
            each = shape.properties[name]
            text = self._write(each.shape, None)
            if not each.required and name in _INHERITED:
                text = either([text, Text("Function")])
            texts.append(text)
            members.append((self._comment(self._doc(each)), self._member(name, each, text.text)))
        rest = self._rest(shape, texts)
        if rest is not None:
            texts.append(rest)
            readonly = "readonly " * self._style.readonly
            members.append(([], f"{readonly}[key: string]: {rest.text}"))
        return Text(braced(members), levels=max(text.levels for text in texts) + 1)

    def _doc(self, each: Property) -> Doc:
        """What is to be said of a property: its own words, with those of what it refers to where
        these stand nowhere else."""
        parts = each.shape.members if isinstance(each.shape, Union) else (each.shape,)
        real = [part for part in parts if part != NULL]
        if len(real) == 1 and isinstance(real[0], Ref) and real[0].key not in self._named:
            return merged_docs(each.doc, self._reading.docs[real[0].key])
        return each.doc

    def _member(self, name: str, each: Property, text: str) -> str:
        readonly = "readonly " * (self._style.readonly or each.readonly)
        return f"{readonly}{property_name(name)}{'' if each.required else '?'}: {text}"

    def _rest(self, shape: ObjectOf, named: list[Text]) -> Text | None:
        """The type of the index signature, wide enough for the named properties beside it."""
        if not shape.properties and shape.rest is None:
            return Text("never") if shape.closed else UNKNOWN_TEXT
        if shape.rest is None:
            return None
        rest = self._write(shape.rest, None)
        if not shape.properties:
            return rest
        optional = not all(each.required for each in shape.properties.values())
        wide = either([rest, *named, *([Text("undefined")] if optional else [])])
        return wide if len(wide.text) <= _LONGEST_REST else UNKNOWN_TEXT

    def _comment(self, doc: Doc) -> list[str]:
        if self._style.comments == "none" or not (doc.description or doc.tags):
            return []
        lines = clean_lines(doc.description, PROPERTY_DESCRIPTION_CHARS)
        if doc.tags:
            tags = " ".join(doc.tags)
            lines = [*lines[:-1], f"{lines[-1]} {tags}"] if lines else [tags]
        if self._style.comments == "line":
            return [f"// {line}" for line in lines]
        return doc_comment(lines)


def references(shape: Shape) -> Iterator[tuple[Ref, bool]]:
    """The references in a shape, and whether each is a whole alternative of it."""
    pending: list[tuple[Shape, bool]] = [(shape, True)]
    while pending:
        here, is_direct = pending.pop()
        if isinstance(here, Ref):
            yield here, is_direct
        is_direct = is_direct and isinstance(here, Union | Intersection)
        pending.extend((part, is_direct) for part in inner_shapes(here))
