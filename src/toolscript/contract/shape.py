"""Shapes: what a value may look like, between a JSON Schema and its TypeScript text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from toolscript.contract.comments import quote

PrimitiveName = Literal["string", "number", "boolean", "null"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Any value."""


@dataclass(frozen=True, slots=True)
class Never:
    """No value."""


@dataclass(frozen=True, slots=True)
class Primitive:
    name: PrimitiveName


@dataclass(frozen=True, slots=True)
class Exactly:
    """One string, number or boolean, as TypeScript writes it."""

    kind: PrimitiveName
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class ArrayOf:
    item: Shape


@dataclass(frozen=True, slots=True, eq=False)
class Tuple:
    """Leading items, of which `required` must be there, then any number of `rest`."""

    items: tuple[Shape, ...]
    required: int
    rest: Shape | None


@dataclass(frozen=True, slots=True)
class Doc:
    """What a comment says: a description and tags such as `@default 5`."""

    description: str = ""
    tags: tuple[str, ...] = ()


NO_DOC: Final = Doc()


@dataclass(frozen=True, slots=True, eq=False)
class Property:
    shape: Shape
    required: bool = False
    readonly: bool = False
    doc: Doc = NO_DOC


@dataclass(frozen=True, slots=True, eq=False)
class ObjectOf:
    """An object. `rest` is the shape of properties that are not named, where the schema gives one.

    `closed` says that the schema allows no others. An object that is neither says nothing of
    other properties; its type does not offer them.
    """

    properties: dict[str, Property] = field(default_factory=dict[str, Property])
    rest: Shape | None = None
    closed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    members: tuple[Shape, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Intersection:
    members: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """A shape that is defined elsewhere; `key` is its place in the table of definitions."""

    key: int


Shape = (
    Unknown | Never | Primitive | Exactly | ArrayOf | Tuple | ObjectOf | Union | Intersection | Ref
)

Resolve = Callable[[Ref], "Shape | None"]
"""Gives the shape behind a reference, or None where it is not known yet or too far away."""

UNKNOWN: Final = Unknown()
NEVER: Final = Never()
STRING: Final = Primitive("string")
NUMBER: Final = Primitive("number")
BOOLEAN: Final = Primitive("boolean")
NULL: Final = Primitive("null")
RECORD: Final = ObjectOf(rest=UNKNOWN)

_MOST_PAIRS: Final = 256
"""Beyond so many pairs two unions are not multiplied out; `&` says the same."""


def exactly(value: str | int | float | bool | None) -> Shape:
    """The shape of one JSON scalar. Numbers that a double cannot hold exactly become `number`."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return Exactly("boolean", "true" if value else "false")
    if isinstance(value, str):
        return Exactly("string", quote(value))
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return NUMBER
        return Exactly("number", str(int(value)) if value.is_integer() else repr(value))
    if abs(value) > 2**53:
        return NUMBER
    return Exactly("number", str(value))


def union(shapes: Iterable[Shape]) -> Shape:
    """One of the shapes: flattened, without repetitions, `null` last."""
    members: list[Shape] = []
    seen: set[Shape] = set()
    for shape in shapes:
        for member in shape.members if isinstance(shape, Union) else (shape,):
            if isinstance(member, Unknown):
                return UNKNOWN
            if isinstance(member, Never):
                continue
            if isinstance(member, Primitive | Exactly | Ref):
                if member in seen:
                    continue
                seen.add(member)
            members.append(member)
    if {Exactly("boolean", "true"), Exactly("boolean", "false")} <= seen:
        seen.add(BOOLEAN)
        members.append(BOOLEAN)
    wide = {member.name for member in seen if isinstance(member, Primitive)}
    kept = [
        member for member in members if not (isinstance(member, Exactly) and member.kind in wide)
    ]
    if NULL in seen:
        kept = [member for member in kept if member != NULL] + [NULL]
    if not kept:
        return NEVER
    return kept[0] if len(kept) == 1 else Union(tuple(kept))


def intersect(a: Shape, b: Shape, resolve: Resolve) -> Shape:
    """What is both: objects merged, contradictions dropped, the rest joined by `&`."""
    if a is b or isinstance(a, Unknown) or (isinstance(a, Ref) and a == b):
        return b
    if isinstance(b, Unknown):
        return a
    if isinstance(a, Never) or isinstance(b, Never):
        return NEVER
    if isinstance(a, Ref) or isinstance(b, Ref):
        return _intersect_references(a, b, resolve)
    if isinstance(a, Union) or isinstance(b, Union):
        return _intersect_unions(a, b, resolve)
    if isinstance(a, Intersection) or isinstance(b, Intersection):
        return _join(a, b, resolve)
    return _intersect_plain(a, b, resolve)


def _intersect_references(a: Shape, b: Shape, resolve: Resolve) -> Shape:
    seen_a = resolve(a) if isinstance(a, Ref) else a
    seen_b = resolve(b) if isinstance(b, Ref) else b
    if seen_a is None or seen_b is None:
        return Intersection((a, b))
    return intersect(seen_a, seen_b, resolve)


def _intersect_unions(a: Shape, b: Shape, resolve: Resolve) -> Shape:
    left = a.members if isinstance(a, Union) else (a,)
    right = b.members if isinstance(b, Union) else (b,)
    if len(left) == 1 or len(right) == 1:
        single, many = (left[0], right) if len(left) == 1 else (right[0], left)
        return _intersect_with_union(single, many, resolve)
    for some, others in ((left, right), (right, left)):
        if all(isinstance(member, Primitive | Exactly) for member in some):
            scalars = dict.fromkeys(some)
            kept = [_among(member, scalars) for member in others]
            return union(shape for shapes in kept for shape in shapes)
    if len(left) * len(right) > _MOST_PAIRS:
        return Intersection((a, b))
    return union(intersect(one, other, resolve) for one in left for other in right)


def _among(shape: Shape, scalars: Collection[Shape]) -> list[Shape]:
    """What is left of a shape where only these scalars are allowed."""
    if isinstance(shape, Exactly):
        fits = shape in scalars or Primitive(shape.kind) in scalars
        return [shape] if fits else []
    if isinstance(shape, Primitive):
        if shape in scalars:
            return [shape]
        return [each for each in scalars if isinstance(each, Exactly) and each.kind == shape.name]
    if isinstance(shape, ObjectOf | ArrayOf | Tuple | Never):
        return []
    return [Intersection((shape, union(scalars)))]


def _intersect_with_union(single: Shape, many: tuple[Shape, ...], resolve: Resolve) -> Shape:
    """One shape with a choice. An object stays in front of the choice, to be written once."""
    possible = [member for member in many if not _disjoint(single, member)]
    if not isinstance(single, ObjectOf | Intersection) or len(possible) < 2:
        return union(intersect(single, member, resolve) for member in possible)
    front = single if isinstance(single, ObjectOf) else single.members[0]
    if isinstance(front, ObjectOf) and any(_implied(front, member) for member in possible):
        return single
    before = single.members if isinstance(single, Intersection) else (single,)
    return Intersection((*before, union(possible)))


def _implied(whole: ObjectOf, part: Shape) -> bool:
    """Whether whatever fits `whole` fits `part`, which only asks for properties to be there."""
    return (
        isinstance(part, ObjectOf)
        and part.rest is None
        and not part.closed
        and all(
            isinstance(wanted.shape, Unknown) and (not wanted.required or _requires(whole, name))
            for name, wanted in part.properties.items()
        )
    )


def _requires(whole: ObjectOf, name: str) -> bool:
    found = whole.properties.get(name)
    return found is not None and found.required


def _join(a: Shape, b: Shape, resolve: Resolve) -> Shape:
    """Put two shapes under one `&`, merging what merges with the object in front."""
    parts = [
        *(a.members if isinstance(a, Intersection) else (a,)),
        *(b.members if isinstance(b, Intersection) else (b,)),
    ]
    front: ObjectOf | None = None
    others: list[Shape] = []
    for part in parts:
        if isinstance(part, ObjectOf):
            front = part if front is None else merge(front, part, resolve)
        elif any(_disjoint(part, other) for other in parts):
            return NEVER
        elif part not in others:
            others.append(part)
    members = [front, *others] if front is not None else others
    return members[0] if len(members) == 1 else Intersection(tuple(members))


def _intersect_plain(a: Shape, b: Shape, resolve: Resolve) -> Shape:
    if _disjoint(a, b):
        return NEVER
    if isinstance(a, ObjectOf) and isinstance(b, ObjectOf):
        return merge(a, b, resolve)
    if isinstance(a, ArrayOf | Tuple) and isinstance(b, ArrayOf | Tuple):
        return _merge_arrays(a, b, resolve)
    if isinstance(a, Exactly) and isinstance(b, Exactly):
        return a if a == b else NEVER
    return a if isinstance(a, Exactly) else b


def merge(a: ObjectOf, b: ObjectOf, resolve: Resolve) -> ObjectOf:
    """One object with the properties of both."""
    properties = dict(a.properties)
    for name, theirs in b.properties.items():
        ours = properties.get(name)
        if ours is None:
            properties[name] = theirs
            continue
        properties[name] = Property(
            shape=intersect(ours.shape, theirs.shape, resolve),
            required=ours.required or theirs.required,
            readonly=ours.readonly or theirs.readonly,
            doc=Doc(
                ours.doc.description or theirs.doc.description,
                tuple(dict.fromkeys((*ours.doc.tags, *theirs.doc.tags))),
            ),
        )
    closed = a.closed or b.closed
    rest = None if closed else a.rest
    if not closed and b.rest is not None:
        rest = b.rest if a.rest is None else intersect(a.rest, b.rest, resolve)
    return ObjectOf(properties, rest, closed)


def _merge_arrays(a: ArrayOf | Tuple, b: ArrayOf | Tuple, resolve: Resolve) -> Shape:
    if isinstance(a, ArrayOf) and isinstance(b, ArrayOf):
        return ArrayOf(intersect(a.item, b.item, resolve))
    left = a if isinstance(a, Tuple) else Tuple((), 0, a.item)
    right = b if isinstance(b, Tuple) else Tuple((), 0, b.item)
    items: list[Shape] = []
    for index in range(max(len(left.items), len(right.items))):
        ours = left.items[index] if index < len(left.items) else left.rest
        theirs = right.items[index] if index < len(right.items) else right.rest
        if ours is None or theirs is None:
            break
        items.append(intersect(ours, theirs, resolve))
    required = max(left.required, right.required)
    if required > len(items):
        return NEVER
    rest = (
        None
        if left.rest is None or right.rest is None
        else intersect(left.rest, right.rest, resolve)
    )
    return Tuple(tuple(items), required, rest)


def _disjoint(a: Shape, b: Shape) -> bool:
    """Whether it is plain that no value is both."""
    kind_a, kind_b = _kind(a), _kind(b)
    if kind_a is None or kind_b is None:
        return False
    return kind_a != kind_b or (isinstance(a, Exactly) and isinstance(b, Exactly) and a != b)


def _kind(shape: Shape) -> str | None:
    match shape:
        case Primitive():
            return shape.name
        case Exactly():
            return shape.kind
        case ArrayOf() | Tuple():
            return "array"
        case ObjectOf():
            return "object"
        case Intersection():
            return next((kind for kind in map(_kind, shape.members) if kind is not None), None)
        case Unknown() | Never() | Union() | Ref():
            return None


def inner_shapes(shape: Shape) -> list[Shape]:
    """The shapes directly inside of one."""
    match shape:
        case ArrayOf():
            return [shape.item]
        case Tuple():
            return [*shape.items, *([] if shape.rest is None else [shape.rest])]
        case ObjectOf():
            inside = [each.shape for each in shape.properties.values()]
            return inside if shape.rest is None else [*inside, shape.rest]
        case Union() | Intersection():
            return list(shape.members)
        case _:
            return []


def height(shape: Shape) -> int:
    """How many shapes stand inside each other, references not followed."""
    levels = 0
    row = [shape]
    while row:
        levels += 1
        row = [part for each in row for part in inner_shapes(each)]
    return levels
