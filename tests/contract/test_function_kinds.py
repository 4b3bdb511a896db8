"""Functions and types of kinds that applications have and tutorials do not mention."""

from __future__ import annotations

import asyncio
import datetime
import enum
import functools
from collections.abc import AsyncIterable, Collection, Generator, Iterable, Iterator
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    LiteralString,
    NoReturn,
    NotRequired,
    Protocol,
    overload,
)

import pydantic
import pytest
from typing_extensions import TypedDict, TypeVar, Unpack

from toolscript import CodeMode, ContractError, ToolError, render_tool_signature, tool_from


def signature(function: Any) -> str:
    return render_tool_signature(tool_from(function))


def parsed(function: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    parse = tool_from(function).parse_input
    assert parse is not None
    return parse(arguments)


def dumped(function: Any, result: Any) -> Any:
    dump = tool_from(function).dump_output
    assert dump is not None
    return dump(result)


class Access(enum.Flag):
    """What a person may do."""

    READ = 1
    WRITE = 2


class Colour(enum.Enum):
    RED = (255, 0, 0)
    BLUE = (0, 0, 255)


class Quarter(enum.Enum):
    FIRST = datetime.date(2026, 1, 1)


def test_flags_cross_as_their_sum() -> None:
    def grant(access: Access) -> Access:
        return access

    assert signature(grant) == "grant(args: { access: number; }): Promise<number>;"
    assert parsed(grant, {"access": 3}) == {"access": Access.READ | Access.WRITE}
    assert dumped(grant, Access.READ | Access.WRITE) == 3
    with pytest.raises(ToolError, match="access must be"):
        parsed(grant, {"access": 8})
    assert "What a person may do. Sum of flags: READ = 1, WRITE = 2." in (
        CodeMode([grant]).declarations()
    )


def test_enumerations_of_tuples_and_dates_are_found_by_their_json_form() -> None:
    def paint(colour: Colour, start: Quarter = Quarter.FIRST) -> Colour:
        return colour

    assert signature(paint) == (
        'paint(args: { colour: [255, 0, 0] | [0, 0, 255]; start?: "2026-01-01"; }): '
        "Promise<[255, 0, 0] | [0, 0, 255]>;"
    )
    arguments = {"colour": [0, 0, 255], "start": "2026-01-01"}
    assert parsed(paint, arguments) == {"colour": Colour.BLUE, "start": Quarter.FIRST}
    assert dumped(paint, Colour.RED) == [255, 0, 0]


Kind = TypeVar("Kind", default=int)


class Box(pydantic.BaseModel, Generic[Kind]):
    inside: Kind


class Aliased(pydantic.BaseModel):
    x: int = pydantic.Field(validation_alias="inX", serialization_alias="outX")
    y: int = pydantic.Field(default=1, alias="Why")

    @pydantic.computed_field
    @property
    def twice(self) -> int:
        return self.x * 2


class Cat(pydantic.BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(pydantic.BaseModel):
    kind: Literal["dog"] = "dog"
    name: str


Pet = Annotated[Cat | Dog, pydantic.Field(discriminator="kind")]


def test_models_of_every_kind() -> None:
    def keep(box: Box, text: Box[str], ids: pydantic.RootModel[list[int]]) -> Aliased: ...

    assert signature(keep) == (
        "keep(args: { box: { inside: number; }; ids: Array<number>; text: { inside: string; }; }):"
        " Promise<{ Why: number; outX: number; readonly twice: number; }>;"
    )
    assert dumped(keep, Aliased(inX=2)) == {"outX": 2, "Why": 1, "twice": 4}

    def alias(given: Aliased) -> None: ...

    assert signature(alias) == (
        "alias(args: { given: { Why?: number; inX: number; }; }): Promise<null>;"
    )


def test_a_tagged_union_asks_for_its_tag() -> None:
    def adopt(pet: Pet) -> None: ...

    assert signature(adopt) == (
        'adopt(args: { pet: { kind: "cat"; lives: number; } | { kind: "dog"; name: string; }; }): '
        "Promise<null>;"
    )
    with pytest.raises(ToolError, match=r'pet.kind must be "cat" or "dog", got "cow"'):
        parsed(adopt, {"pet": {"kind": "cow"}})
    with pytest.raises(ToolError, match=r"pet.kind is missing"):
        parsed(adopt, {"pet": {"lives": 9}})


class Search(TypedDict):
    query: str
    limit: NotRequired[int]


def test_keywords_of_a_typed_dict_are_parameters() -> None:
    def search(**options: Unpack[Search]) -> dict[str, Any]:
        """Search.

        Args:
            query: What to look for.
        """
        return dict(options)

    assert signature(search) == (
        "search(args: string | { limit?: number; query: string; }): Promise<{ [key: string]: "
        "unknown; }>;"
    )
    tool = tool_from(search)
    assert tool.call(parsed(search, {"query": "a"}), None) == {"query": "a"}
    assert tool.call(parsed(search, {"query": "a", "limit": 2}), None) == {"query": "a", "limit": 2}
    assert "/** What to look for. */" in CodeMode([search]).declarations()


def test_abstract_and_literal_types_are_read_by_what_they_hold() -> None:
    def take(names: Collection[str], more: Iterable[int], text: LiteralString) -> Collection[str]:
        return [*names]

    assert signature(take) == (
        "take(args: { more: Array<number>; names: Array<string>; text: string; }): "
        "Promise<Array<string>>;"
    )
    assert dumped(take, {"a": 1}.keys()) == ["a"]


class Speaks(Protocol):
    def speak(self) -> str: ...


def test_a_type_that_pydantic_cannot_take_is_told_with_its_reason(caplog: Any) -> None:
    def call(who: Speaks) -> None: ...

    assert signature(call) == "call(args: { who: unknown; }): Promise<null>;"
    assert "declared as unknown: SchemaError: 'cls' must be valid" in caplog.text


async def later(number: int) -> int:
    return number


def promised(number: int) -> asyncio.Future[int]:
    return asyncio.ensure_future(later(number))


def test_a_future_is_what_it_will_be() -> None:
    assert signature(promised) == "promised(args: { number: number; }): Promise<number>;"


def fails(number: int) -> NoReturn:
    raise ValueError("never")


def test_a_function_that_never_returns_says_nothing_of_a_result(caplog: Any) -> None:
    assert signature(fails) == "fails(args: { number: number; }): Promise<unknown>;"
    assert not caplog.text


def generated(number: int) -> Generator[int, None, None]:
    yield number


def iterated(number: int) -> Iterator[int]:
    return iter([number])


async def streamed(number: int) -> AsyncIterable[int]: ...


@pytest.mark.parametrize("function", [generated, iterated, streamed])
def test_what_comes_one_by_one_is_no_answer(function: Any) -> None:
    with pytest.raises(ContractError, match=r"yields its results one by one.*return a list"):
        tool_from(function)


class Shop:
    def find(self, id: int) -> int:
        return id

    @classmethod
    def kind(cls, id: int) -> str:
        return f"{cls.__name__} {id}"


def test_a_method_without_its_object_is_refused() -> None:
    with pytest.raises(ContractError, match=r"Shop.find is a method without its object.*Shop\("):
        tool_from(Shop.find)
    assert tool_from(Shop().find).call({"id": 1}, None) == 1
    assert tool_from(Shop.kind).call({"id": 1}, None) == "Shop 1"


@overload
def double(value: int) -> int: ...
@overload
def double(value: str) -> str: ...
def double(value: int | str) -> int | str:
    return value * 2


def test_wrappers_and_overloads_show_what_is_inside() -> None:
    @functools.wraps(later)
    def blocking(*args: Any, **options: Any) -> Any:
        return later(*args, **options)

    assert signature(double) == (
        "double(args: { value: number | string; }): Promise<number | string>;"
    )
    assert signature(blocking) == "later(args: { number: number; }): Promise<number>;"


def test_bytes_are_text_unless_a_type_says_how_they_are_written() -> None:
    def read(data: bytes) -> bytes:
        return data

    def raw(data: pydantic.Base64Bytes) -> pydantic.Base64Bytes:
        return data

    assert parsed(read, {"data": "é"}) == {"data": "é".encode()}
    assert dumped(read, "é".encode()) == "é"
    assert "@format utf-8" in CodeMode([read]).declarations()
    with pytest.raises(ToolError, match=r"bytes that are no UTF-8 text; use pydantic.Base64Bytes"):
        dumped(read, b"\xff")
    assert parsed(raw, {"data": "/w=="}) == {"data": b"\xff"}
    assert dumped(raw, b"\xff").strip() == "/w=="
    assert "@format base64" in CodeMode([raw]).declarations()
