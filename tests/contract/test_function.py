"""Python functions as tools: what becomes of signatures, types, docstrings and values."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import functools
import pathlib
import typing
import uuid
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, Required, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator, Field, SecretStr, field_validator, v1

from toolscript.contract.function import tool_from_function
from toolscript.contract.tool import Tool, ToolContext, ToolValue
from toolscript.errors import ContractError, ToolError

if typing.TYPE_CHECKING:
    from nowhere import Missing, somewhere

T = TypeVar("T")


class Currency(enum.Enum):
    EUR = "eur"
    USD = "usd"


class Address(typing.TypedDict, total=False):
    city: Required[str]
    zip: int


class Node(typing.TypedDict):
    value: str
    children: NotRequired[list[Node]]


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclasses.dataclass
class Item:
    sku: str
    count: int = 1


class Order(BaseModel):
    id: int
    when: datetime.datetime
    items: list[Item] = []
    parent: Order | None = None


class Box(BaseModel, Generic[T]):
    inside: T


class Part(v1.BaseModel):
    size: int


class Whole(v1.BaseModel):
    x: int = v1.Field(description="d")
    parts: list[Part] = []


def made(function: Callable[..., Any], **given: Any) -> Tool:
    return tool_from_function(function, **given)


def called(tool: Tool, arguments: dict[str, Any], context: Any = None) -> Any:
    """What a script would get, were the call made for it."""
    assert tool.parse_input is not None
    result = tool.call(tool.parse_input(arguments), context)
    return tool.dump_output(result) if tool.dump_output else result


def refusal(tool: Tool, arguments: dict[str, Any]) -> str:
    with pytest.raises(ToolError) as refused:
        called(tool, arguments)
    assert refused.value.code == "invalid_args"
    assert "pydantic" not in refused.value.message
    return refused.value.message


def properties(tool: Tool) -> dict[str, Any]:
    assert isinstance(tool.input_schema, dict)
    return tool.input_schema["properties"]


def test_postponed_annotations_are_resolved() -> None:
    def convert(
        amount: int,
        currency: Currency,
        path: pathlib.Path,
        mode: Literal["a", "b"],
        note: str | None = None,
    ) -> str:
        """Convert an amount."""
        return f"{amount} {currency.name} {path.name} {mode} {note}"

    tool = made(convert)
    assert tool.input_schema == {
        "type": "object",
        "additionalProperties": False,
        "required": ["amount", "currency", "path", "mode"],
        "$defs": {"Currency": {"enum": ["eur", "usd"], "title": "Currency", "type": "string"}},
        "properties": {
            "amount": {"type": "integer"},
            "currency": {"$ref": "#/$defs/Currency"},
            "path": {"type": "string", "format": "path"},
            "mode": {"type": "string", "enum": ["a", "b"]},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
    }
    assert tool.output_schema == {"type": "string"}
    given = {"amount": 3, "currency": "eur", "path": "/tmp/x.txt", "mode": "a"}
    assert called(tool, given) == "3 EUR x.txt a None"


def test_local_classes_are_found_where_the_function_is_made() -> None:
    class Local(BaseModel):
        x: int

    def double(one: Local) -> Local:
        return Local(x=one.x * 2)

    assert called(made(double), {"one": {"x": 2}}) == {"x": 4}


def test_an_annotation_that_cannot_be_resolved_leaves_the_others(caplog: Any) -> None:
    def search(query: str, options: Missing = None) -> Missing:
        return [query, options]

    tool = made(search)
    assert properties(tool) == {"query": {"type": "string"}, "options": {}}
    assert tool.output_schema is None
    assert "options" in caplog.text
    assert called(tool, {"query": "a", "options": {"any": 1}}) == ["a", {"any": 1}]


def test_a_type_without_a_json_form_is_unknown(caplog: Any) -> None:
    class Handle:
        pass

    def use(handle: Handle, callback: Callable[[], int], count: int) -> Handle:
        return handle

    tool = made(use)
    assert properties(tool) == {"handle": {}, "callback": {}, "count": {"type": "integer"}}
    assert tool.output_schema is None
    assert "handle" in caplog.text


def test_functions_without_annotations_work() -> None:
    def add(a, b=2):
        return a + b

    tool = made(add)
    assert properties(tool) == {"a": {}, "b": {"default": 2}}
    assert called(tool, {"a": 1}) == 3
    assert refusal(tool, {"A": 1}) == (
        'invalid arguments: a is missing, you passed "A"; A is not an accepted property '
        '(did you mean "a"?). Accepted: a, b?'
    )


GOOGLE = """Find orders.

    Looks in all shops.

    Args:
        status: State of
            the orders.
        limit (int): Most orders.

    Returns:
        The orders, newest first.
    """
NUMPY = """Find orders.

    Looks in all shops.

    Parameters
    ----------
    status : str
        State of the orders.
    limit : int
        Most orders.

    Returns
    -------
    list
        The orders, newest first.
    """
SPHINX = """Find orders.

    Looks in all shops.

    :param status: State of the orders.
    :param int limit: Most orders.
    :returns: The orders, newest first.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_docstrings_describe_the_parts(text: str) -> None:
    def find(status: str, limit: int = 10) -> list[str]:
        return []

    find.__doc__ = text
    tool = made(find)
    assert tool.description == "Find orders.\n\nLooks in all shops."
    assert properties(tool)["status"]["description"] == "State of the orders."
    assert properties(tool)["limit"]["description"] == "Most orders."
    assert isinstance(tool.output_schema, dict)
    assert tool.output_schema["description"] == "The orders, newest first."


def test_a_field_says_more_than_the_docstring() -> None:
    def find(
        query: Annotated[str, Field(description="What to look for", min_length=2)],
        limit: int = Field(10, ge=1, le=50),
        user: Annotated[str, Field(alias="userId")] = "me",
    ) -> list[Any]:
        """Find.

        Args:
            query: ignored, for the field says it
            limit: how many
        """
        return [query, limit, user]

    tool = made(find)
    assert properties(tool)["query"]["description"] == "What to look for"
    assert properties(tool)["limit"] == {
        "default": 10,
        "description": "how many",
        "maximum": 50,
        "minimum": 1,
        "type": "integer",
    }
    assert called(tool, {"query": "ab"})[0] == "ab"
    assert called(tool, {"query": "ab", "limit": 2, "userId": "u"}) == ["ab", 2, "u"]
    assert 'query must have at least 2 characters, got "a"' in refusal(tool, {"query": "a"})
    assert "limit must be at most 50, got 51" in refusal(tool, {"query": "ab", "limit": 51})


def test_the_default_of_a_field_reaches_the_function() -> None:
    tags_of = Field(default_factory=lambda: ["a"])

    def find(limit: int = Field(10), tags: list[str] = tags_of) -> Any:
        return [limit, tags]

    assert called(made(find), {}) == [10, ["a"]]
    assert made(find).call({"limit": 1}, None) == [1, ["a"]]


def test_values_arrive_as_the_types_say() -> None:
    def all_of(
        day: datetime.date,
        moment: datetime.datetime,
        key: uuid.UUID,
        price: decimal.Decimal,
        raw: bytes,
        point: Point,
        item: Item,
        home: Address,
        order: Order,
        box: Box[int],
        pairs: dict[int, tuple[str, ...]],
        secret: SecretStr,
        unique: set[int],
        either: int | list[str],
    ) -> list[str]:
        return [type(value).__name__ for value in locals().values()]

    given = {
        "day": "2025-01-31",
        "moment": "2025-01-31T10:00:00Z",
        "key": "12345678-1234-5678-1234-567812345678",
        "price": "1.10",
        "raw": "text",
        "point": [1],
        "item": {"sku": "s"},
        "home": {"city": "Rome"},
        "order": {"id": 1, "when": "2025-01-31T10:00:00", "parent": None},
        "box": {"inside": 2},
        "pairs": {"1": ["a"]},
        "secret": "s3cret",
        "unique": [1, 2],
        "either": ["a"],
    }
    assert called(made(all_of), given) == [
        "date", "datetime", "UUID", "Decimal", "bytes", "Point", "Item", "dict", "Order",
        "Box[int]", "dict", "SecretStr", "set", "list",
    ]  # fmt: skip


def test_results_leave_in_their_json_form() -> None:
    moment = datetime.datetime(2025, 1, 31, 10)

    class Everything(BaseModel):
        order: Order
        point: Point
        currency: Currency
        price: decimal.Decimal
        path: pathlib.PurePosixPath
        raw: bytes

    def everything() -> Everything:
        return Everything(
            order=Order(id=1, when=moment, items=[Item("a")]),
            point=Point(1, 2),
            currency=Currency.EUR,
            price=decimal.Decimal("1.10"),
            path=pathlib.PurePosixPath("a/b"),
            raw=b"text",
        )

    assert called(made(everything), {}) == {
        "order": {
            "id": 1,
            "when": "2025-01-31T10:00:00",
            "items": [{"sku": "a", "count": 1}],
            "parent": None,
        },
        "point": [1, 2],
        "currency": "eur",
        "price": "1.10",
        "path": "a/b",
        "raw": "text",
    }


def test_what_a_result_always_has_is_required() -> None:
    def get() -> Order: ...

    schema = made(get).output_schema
    assert isinstance(schema, dict)
    assert schema["$defs"]["Order"]["required"] == ["id", "when", "items", "parent"]
    assert schema["$defs"]["Item"]["required"] == ["sku", "count"]


def test_typed_dicts_keep_what_they_do_not_declare_and_refuse_it_in_arguments() -> None:
    def move(address: Address) -> Address:
        return {"city": "Rome", "country": "IT"}

    tool = made(move)
    assert called(tool, {"address": {"city": "Oslo"}}) == {"city": "Rome", "country": "IT"}
    message = refusal(tool, {"address": {"City": "Oslo"}})
    assert 'address.City is not an accepted property (did you mean "city"?)' in message
    assert "address.city is missing (string)" in message
    assert isinstance(tool.input_schema, dict)
    assert tool.input_schema["$defs"]["Address"]["required"] == ["city"]


def test_recursive_typed_dicts_are_taken() -> None:
    def depth(node: Node) -> int:
        return 1 + max((depth(child) for child in node.get("children", [])), default=0)

    given = {"node": {"value": "a", "children": [{"value": "b"}]}}
    assert called(made(depth), given) == 2


def test_a_dict_for_a_declared_model_is_validated_and_completed() -> None:
    def get(good: bool) -> Order:
        return {"id": 1 if good else "x", "when": "2025-01-31"}

    tool = made(get)
    assert called(tool, {"good": True})["items"] == []
    with pytest.raises(ToolError) as refused:
        called(tool, {"good": False})
    assert refused.value.code == "invalid_result"
    assert 'id must be an integer, got "x"' in refused.value.message


def test_a_result_without_a_json_form_says_so() -> None:
    def get() -> bytes:
        return b"\xff"

    with pytest.raises(ToolError, match=r"no JSON form.*bytes that are no UTF-8 text"):
        called(made(get), {})


@pytest.mark.parametrize("annotation", [Any, object, ToolValue, None])
def test_results_without_a_type(annotation: Any) -> None:
    def get():
        return 1

    if annotation is not None:
        get.__annotations__["return"] = annotation
    tool = made(get)
    assert tool.output_schema is None
    assert tool.dump_output is None


def test_a_result_of_none_is_null() -> None:
    def forget() -> None: ...

    assert made(forget).output_schema == {"type": "null"}


async def test_async_functions_are_awaited() -> None:
    async def fetch(url: str) -> Box[str]:
        return Box(inside=url)

    def later(url: str) -> Awaitable[int]: ...

    tool = made(fetch)
    assert tool.parse_input is not None
    assert tool.dump_output is not None
    result = await tool.call(tool.parse_input({"url": "u"}), None)
    assert tool.dump_output(result) == {"inside": "u"}
    assert made(later).output_schema == {"type": "integer"}


def test_the_context_is_passed_and_not_declared() -> None:
    def plain(query: str, context: ToolContext) -> Any:
        return [query, context]

    def first(context: ToolContext, /, query: str, *, limit: int = 1) -> Any:
        return [context, query, limit]

    def perhaps(query: str, ctx: ToolContext | None = None) -> Any:
        return [query, ctx]

    def quoted(query: str, ctx: somewhere.ToolContext) -> Any:
        return [query, ctx]

    for function in (plain, first, perhaps, quoted):
        tool = made(function)
        assert "context" not in properties(tool)
        assert "ctx" not in properties(tool)
        assert "CONTEXT" in called(tool, {"query": "q"}, "CONTEXT")


def test_every_kind_of_parameter() -> None:
    def mixed(first: int, second: int = 2, /, third: int = 3, *, fourth: int = 4) -> list[int]:
        return [first, second, third, fourth]

    tool = made(mixed)
    assert called(tool, {"first": 1}) == [1, 2, 3, 4]
    assert called(tool, {"first": 1, "second": 7, "fourth": 9}) == [1, 7, 3, 9]


def test_parameters_may_have_any_name() -> None:
    def odd(schema: int, model_config: int, _hidden: int, self: int, cls: int, json: int) -> int:
        return schema + model_config + _hidden + self + cls + json

    names = ["schema", "model_config", "_hidden", "self", "cls", "json"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tool = made(odd)
    assert list(properties(tool)) == names
    assert called(tool, dict.fromkeys(names, 1)) == 6


def test_methods_partials_and_callable_objects() -> None:
    class Shop:
        """A shop."""

        def buy(self, sku: str, count: int = 1) -> str:
            """Buy a thing."""
            return f"{count} {sku}"

        def __call__(self, sku: str) -> str:
            """Look at a thing."""
            return sku

    shop = Shop()
    assert made(shop.buy).name == "buy"
    assert called(made(shop.buy), {"sku": "a"}) == "1 a"
    assert (made(shop).name, made(shop).description) == ("shop", "Look at a thing.")
    assert called(made(shop), {"sku": "b"}) == "b"
    two = functools.partial(shop.buy, count=2)
    assert list(properties(made(two))) == ["sku"]
    assert called(made(two), {"sku": "c"}) == "2 c"
    assert list(properties(made(functools.partial(shop.buy, "d")))) == ["count"]


def test_decorated_functions_keep_their_signature() -> None:
    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    @logged
    def find(query: str) -> int:
        return len(query)

    assert properties(made(find)) == {"query": {"type": "string"}}
    assert called(made(find), {"query": "abc"}) == 3


def test_models_of_pydantic_1() -> None:
    def turn(wholes: list[Whole]) -> Whole:
        return wholes[0]

    tool = made(turn)
    given = {"wholes": [{"x": 1, "parts": [{"size": 2}]}]}
    assert called(tool, given) == {"x": 1, "parts": [{"size": 2}]}
    message = refusal(tool, {"wholes": [{"x": "a", "parts": [{}]}]})
    assert 'wholes[0].x must be an integer, got "a"' in message
    assert "wholes[0].parts[0].size is missing (integer)" in message
    assert isinstance(tool.input_schema, dict)
    assert set(tool.input_schema["$defs"]) == {"Part"}


def test_what_only_python_can_check_is_told_in_the_same_voice() -> None:
    class Period(BaseModel):
        start: datetime.date
        days: int

        @field_validator("days")
        @classmethod
        def positive(cls, value: int) -> int:
            if value < 1:
                raise ValueError("must be positive")
            return value

    def book(period: Period) -> int:
        return period.days

    tool = made(book)
    message = refusal(tool, {"period": {"start": "soon", "days": 0}})
    assert "period.days must be positive, got 0" in message
    assert "period.start must be a valid date" in message
    assert "Value error" not in message


def test_strings_are_not_taken_for_numbers() -> None:
    def add(a: int, sure: bool = False) -> int:
        return a

    tool = made(add)
    assert 'a must be an integer, got "5"' in refusal(tool, {"a": "5"})
    assert 'sure must be true or false, got "yes"' in refusal(tool, {"a": 1, "sure": "yes"})
    assert called(tool, {"a": 2.0}) == 2
    assert called(tool, {"a": 2**70}) == 2**70


def test_null_is_taken_where_it_is_the_default() -> None:
    def find(limit: int = 1) -> Any:
        return limit

    find.__defaults__ = (None,)

    assert called(made(find), {"limit": None}) is None


def test_secrets_are_not_quoted() -> None:
    def check(code: SecretStr) -> None: ...

    def short(code: Annotated[SecretStr, Field(min_length=30)]) -> None: ...

    assert "4711" not in refusal(made(check), {"code": 4711})
    assert "hunter2" not in refusal(made(short), {"code": "hunter2"})


def several() -> Iterator[int]:
    yield 1


async def stream() -> AsyncIterator[int]:
    yield 1


def promised() -> AsyncIterator[int]: ...


def positional(*parts: str) -> None: ...


def keywords(**options: str) -> None: ...


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (several, "return a list"),
        (stream, "return a list"),
        (promised, "return a list"),
        (positional, r"\*parts"),
        (keywords, r"\*\*options"),
        (lambda x: x, "a lambda has no name"),
        (print, r"\*args"),
    ],
)
def test_what_cannot_be_a_tool_is_told_why(function: Any, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        made(function)


def test_a_name_makes_a_tool_of_a_lambda() -> None:
    assert called(made(lambda x: x, name="same"), {"x": 1}) == 1


def test_arguments_pass_unparsed_where_nothing_is_validated() -> None:
    def find(query: str, /, limit: int = 3) -> Any:
        return [query, limit]

    assert made(find).call({"query": "q"}, None) == ["q", 3]


def test_validators_in_annotations_run() -> None:
    def find(tags: Annotated[list[str], BeforeValidator(lambda tags: sorted(tags))]) -> Any:
        return tags

    assert called(made(find), {"tags": ["b", "a"]}) == ["a", "b"]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from(["order", "home", "point", "either", "x"]), json_values))
def test_arguments_fit_or_are_refused_and_nothing_else(arguments: dict[str, Any]) -> None:
    def mixed(
        order: Order,
        home: Address | None = None,
        point: Point | None = None,
        either: int | list[str] = 1,
    ) -> Any:
        return None

    tool = made(mixed)
    assert tool.parse_input is not None
    try:
        tool.parse_input(arguments)
    except ToolError as error:
        refused = error
    else:
        return
    assert refused.code == "invalid_args"


@settings(max_examples=200)
@given(json_values)
def test_values_without_a_declared_type_pass_as_they_are(value: Any) -> None:
    def same(value: Any) -> Any:
        return value

    assert called(made(same), {"value": value}) == value
