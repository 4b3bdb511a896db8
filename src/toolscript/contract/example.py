"""A short script made from the real tools: two of them joined, with their real names.

A model copies what it sees. So the example calls tools that exist, with arguments that they
take, reads fields that their results have, and does in the script what a script is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from toolscript.contract.entry import Entry
from toolscript.contract.interpret import read_schema
from toolscript.contract.names import is_identifier
from toolscript.contract.nearest import plain
from toolscript.contract.reading import Reading
from toolscript.contract.shape import (
    ArrayOf,
    Exactly,
    Intersection,
    ObjectOf,
    Primitive,
    Property,
    Ref,
    Shape,
    Union,
)
from toolscript.contract.tool import JsonSchema
from toolscript.contract.type_text import property_name
from toolscript.contract.words import words_of

_LOOKED_AT: Final = 80
"""Tools that are tried as parts of an example, the likeliest first."""
_READING: Final = frozenset(
    words_of("find get list lookup query read search fetch show describe", all_words=True)
)
_CHANGING: Final = frozenset(
    words_of(
        "add apply approve assign book buy cancel change clear close commit create delete destroy "
        "disable drop edit enable exchange execute insert merge modify move pay post publish push "
        "put refund register reject remove rename replace reset restart return run save send set "
        "start stop submit transfer trigger update upload write",
        all_words=True,
    )
)
_FIELDS: Final = 2
_ARGUMENTS: Final = 6


def example_script(entries: Sequence[Entry], *, envelope: bool = False) -> str:
    """The body of a script over some of the tools; empty where none can be called plausibly.

    The same tools give the same example. With `envelope`, calls resolve to `{ result, text }`
    (seed 001), and one call says enough.
    """
    parts = [_Part(entry) for entry in entries if not entry.tool.options.hidden]
    parts = [part for part in parts if not part.cautious] or parts
    parts.sort(key=lambda part: (part.rank, part.entry.expression))
    del parts[_LOOKED_AT:]
    joins = [] if envelope else [join for join in _joins(parts) if join.score >= 0]
    if joins:
        return _joined(min(joins, key=_Join.order))
    callable_parts = [part for part in parts if part.arguments is not None]
    callable_parts.sort(key=_simplicity)
    if len(callable_parts) > 1 and not envelope:
        return _side_by_side(callable_parts[0], callable_parts[1])
    return _alone(callable_parts[0], envelope=envelope) if callable_parts else ""


def _simplicity(part: _Part) -> tuple[int, bool, int, str]:
    """Sorts calls: with one argument first, which shows the form and nothing else."""
    arguments = len(part.arguments or {})
    return part.rank, not part.fields, abs(arguments - 1), part.entry.expression


class _Part:
    """A tool as a piece of an example."""

    def __init__(self, entry: Entry):
        self.entry = entry
        self.words = frozenset(words_of(entry.tool.name, all_words=True))
        options = entry.tool.options
        self.cautious = options.destructive or bool(options.requires_approval)

    @property
    def rank(self) -> int:
        """0 for what plainly reads, 1 for what may, 2 for what plainly changes something."""
        if self.entry.tool.options.read_only:
            return 0
        if self.words & _CHANGING:
            return 2
        return 0 if self.words & _READING else 1

    @cached_property
    def required(self) -> dict[str, Property]:
        """The parameters that a call needs."""
        root = _View(self.entry.tool.input_schema).root
        if not isinstance(root, ObjectOf):
            return {}
        return {name: one for name, one in root.properties.items() if one.required}

    @cached_property
    def arguments(self) -> dict[str, str] | None:
        """Example arguments as TypeScript, or None where none can be thought up."""
        view = _View(self.entry.tool.input_schema)
        if len(self.required) > _ARGUMENTS:
            return None
        found: dict[str, str] = {}
        for name, one in self.required.items():
            literal = view.literal(one.shape, 0)
            if literal is None:
                return None
            found[name] = literal
        return found

    @cached_property
    def rows(self) -> list[_Rows]:
        """The lists that the tool returns, or that its result holds."""
        return list(_row_lists(_View(self.entry.tool.output_schema)))

    @cached_property
    def fields(self) -> dict[str, str]:
        """The plain fields of the object that the tool returns, each with its kind."""
        view = _View(self.entry.tool.output_schema)
        return view.fields(view.root) if isinstance(view.root, ObjectOf) else {}

    def called(self, arguments: Mapping[str, str] | None = None) -> str:
        """The call as TypeScript."""
        given = arguments if arguments is not None else self.arguments or {}
        pairs = ", ".join(f"{property_name(name)}: {text}" for name, text in given.items())
        return f"{self.entry.expression}({f'{{ {pairs} }}' if pairs else ''})"


@dataclass(frozen=True, slots=True)
class _Rows:
    """A list in a result: `path` leads to it.

    `fields` are those of one object in it, each with its kind. A list of plain values has one
    field without a name.
    """

    path: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Join:
    """A list of one tool, each item of which leads to a call of another."""

    outer: _Part
    rows: _Rows
    inner: _Part
    parameter: str
    column: str
    score: int

    def order(self) -> tuple[int, int, str, str, str, str]:
        rank = self.outer.rank + self.inner.rank
        return (
            -self.score,
            rank,
            self.outer.entry.expression,
            self.inner.entry.expression,
            self.parameter,
            self.column,
        )


@dataclass(slots=True)
class _View:
    """A schema's shapes with references followed."""

    schema: JsonSchema | None
    _reading: Reading = field(init=False)
    root: Shape | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._reading = read_schema(True if self.schema is None else self.schema)
        self.root = self.plain(self._reading.root)

    def plain(self, shape: Shape) -> Shape:
        """What stands behind a reference, or in front of an intersection."""
        for _ in range(16):
            if isinstance(shape, Ref):
                shape = self._reading.definitions[shape.key]
            elif isinstance(shape, Intersection):
                shape = shape.members[0]
            else:
                break
        return shape

    def kind(self, shape: Shape) -> str | None:
        """`string`, `number` or `boolean`, where a value is always that."""
        shape = self.plain(shape)
        if isinstance(shape, Primitive):
            return shape.name if shape.name != "null" else None
        if isinstance(shape, Exactly):
            return shape.kind
        if isinstance(shape, Union):
            kinds = {self.kind(member) for member in shape.members}
            return kinds.pop() if len(kinds) == 1 else None
        return None

    def fields(self, shape: ObjectOf) -> dict[str, str]:
        """Fields that are always there and hold one plain value."""
        found: dict[str, str] = {}
        for name, one in shape.properties.items():
            kind = self.kind(one.shape) if one.required and is_identifier(name) else None
            if kind is not None:
                found[name] = kind
        return found

    def literal(self, shape: Shape, depth: int) -> str | None:
        """A value of the shape as TypeScript."""
        shape = self.plain(shape)
        match shape:
            case Exactly():
                return shape.text
            case Primitive():
                return {"string": '"..."', "number": "1", "boolean": "true", "null": "null"}[
                    shape.name
                ]
            case Union():
                found = (self.literal(member, depth) for member in shape.members)
                return next((text for text in found if text is not None), None)
            case ArrayOf():
                item = self.literal(shape.item, depth + 1) if depth < 2 else None
                return f"[{item}]" if item else "[]"
            case ObjectOf():
                return self._object_literal(shape, depth)
            case _:
                return None

    def _object_literal(self, shape: ObjectOf, depth: int) -> str | None:
        pairs: list[str] = []
        for name, one in shape.properties.items():
            if not one.required:
                continue
            text = self.literal(one.shape, depth + 1) if depth < 2 else None
            if text is None:
                return None
            pairs.append(f"{property_name(name)}: {text}")
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"


def _row_lists(view: _View) -> Iterator[_Rows]:
    candidates: list[tuple[str, Shape]] = []
    if view.root is not None:
        candidates.append(("", view.root))
    if isinstance(view.root, ObjectOf):
        candidates += [
            (f".{name}", one.shape)
            for name, one in view.root.properties.items()
            if one.required and is_identifier(name)
        ]
    for path, shape in candidates:
        listed = view.plain(shape)
        if not isinstance(listed, ArrayOf):
            continue
        item = view.plain(listed.item)
        kind = view.kind(item)
        fields = view.fields(item) if isinstance(item, ObjectOf) else {"": kind} if kind else {}
        if fields:
            yield _Rows(path, fields)


def _joins(parts: Sequence[_Part]) -> Iterator[_Join]:
    for outer in parts:
        if outer.arguments is None:
            continue
        for rows in outer.rows:
            for inner in parts:
                if inner is not outer and inner.arguments is not None:
                    yield from _links(outer, rows, inner)


def _links(outer: _Part, rows: _Rows, inner: _Part) -> Iterator[_Join]:
    """Ways in which a field of `outer` is a parameter of `inner`, by their names."""
    view = _View(inner.entry.tool.input_schema)
    for parameter, one in inner.required.items():
        kind = view.kind(one.shape)
        if kind not in ("string", "number") or not isinstance(view.plain(one.shape), Primitive):
            continue
        for column, column_kind in rows.fields.items():
            if column_kind != kind:
                continue
            if column:
                score = _likeness(column, parameter, outer, inner)
            else:
                score = _likeness_of_values(rows.path, parameter, outer)
            if score:
                score += 2 if inner.fields else 0
                score -= 2 * (len(inner.required) - 1) + inner.rank * 3 + outer.rank * 3
                yield _Join(outer, rows, inner, parameter, column, score)


def _likeness(column: str, parameter: str, outer: _Part, inner: _Part) -> int:
    """How surely a column is what a parameter asks for; 0 where nothing says so."""
    of_column, of_parameter = set(words_of(column)), set(words_of(parameter))
    identifies = "id" in of_column or "id" in of_parameter or "name" in of_column
    if plain(column) == plain(parameter):
        # `id` means something else in each tool, `customer_id` does not.
        return 6 if len(of_column) > 1 else 2 if (outer.words & inner.words) - _READING else 1
    if identifies and plain(parameter) == "id" and (of_column - {"id"}) & inner.words:
        return 6
    if identifies and plain(column) == "id" and (of_parameter - {"id"}) & outer.words:
        return 5
    return 0


def _likeness_of_values(path: str, parameter: str, outer: _Part) -> int:
    """How surely the values of a list are what a parameter asks for."""
    wanted = set(words_of(parameter))
    held = set(words_of(path)) if path else set(outer.words) - _READING
    if wanted == held:
        return 6
    return 5 if "id" in wanted and wanted - {"id"} and wanted - {"id"} <= held else 0


def _joined(join: _Join) -> str:
    arguments = dict(join.inner.arguments or {})
    arguments[join.parameter] = f"row.{join.column}" if join.column else "row"
    lines = [
        f"const found = await {join.outer.called()};",
        "const details = await Promise.all(",
        f"  found{join.rows.path}.map((row) => {join.inner.called(arguments)}),",
        ");",
    ]
    fields = join.inner.fields
    test = _test(fields)
    kept = f"details.filter((one) => {test})" if test else "details"
    telling = sorted(fields, key=lambda name: "id" in words_of(name))
    shown = [name for name in telling if f"one.{name}" not in test][:_FIELDS] or telling[:1]
    if not shown:
        lines.append("return details;")
    elif len(shown) == 1:
        lines.append(f"return {kept}.map((one) => one.{shown[0]});")
    else:
        pairs = ", ".join(f"{name}: one.{name}" for name in shown)
        lines.append(f"return {kept}.map((one) => ({{ {pairs} }}));")
    return "\n".join(lines)


def _test(fields: Mapping[str, str]) -> str:
    """A condition on one of the fields, where one lends itself to it."""
    for name, kind in fields.items():
        if kind == "boolean":
            return f"one.{name}"
    for name, kind in fields.items():
        if kind == "number" and "id" not in words_of(name):
            return f"one.{name} > 10"
    return ""


def _side_by_side(first: _Part, second: _Part) -> str:
    lines = [
        "const [first, second] = await Promise.all([",
        f"  {first.called()},",
        f"  {second.called()},",
        "]);",
    ]
    values = [
        f"{name}: {name}.{next(iter(part.fields))}" if part.fields else name
        for name, part in (("first", first), ("second", second))
    ]
    lines.append(f"return {{ {', '.join(values)} }};")
    return "\n".join(lines)


def _alone(part: _Part, *, envelope: bool) -> str:
    lines = [f"const {'{ result }' if envelope else 'result'} = await {part.called()};"]
    lines.append(f"return result.{next(iter(part.fields))};" if part.fields else "return result;")
    return "\n".join(lines)
