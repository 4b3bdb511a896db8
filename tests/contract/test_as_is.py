"""What is passed on as it is comes out as pydantic would make it."""

from __future__ import annotations

import enum
import json
from datetime import date
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import pytest
from annotated_types import Len
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import StringConstraints, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from toolscript.contract.as_is import as_is
from toolscript.contract.function import tool_from_function
from toolscript.errors import ToolError
from toolscript.host.values import NotJson, json_text


class Colour(enum.Enum):
    RED = "red"


class Text(str):
    pass


class Table(dict[str, Any]):
    pass


TYPES: list[Any] = [
    list[dict[str, Any]],
    list[int],
    list[str | None],
    dict[str, list[int | str]],
    dict[str, Any],
    dict[int, str],
    list[Any],
    list[list[bool]],
    dict[str, dict[str, int] | None],
    list[float],
    list[date],
]
values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([2**53 + 1, 2**70, 1.5, 2.0, -0.0, float("nan"), "a", "\ud800", b"b"])
    | st.sampled_from([Colour.RED, Text("t"), UUID(int=1), date(2026, 1, 2), Decimal("1.50")]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(st.sampled_from(["a", "b", 1]), inner, max_size=3)
        | st.dictionaries(st.just("a"), inner, max_size=1).map(Table)
    ),
    max_leaves=6,
)


def outcome(dump: Any, value: Any) -> Any:
    try:
        return json.loads(json_text(dump(value)).text)
    except (ToolError, NotJson):
        return "refused"


@pytest.mark.parametrize("type_", TYPES, ids=str)
@settings(max_examples=60, deadline=None)
@given(values)
def test_it_comes_out_as_pydantic_dumps_it(type_: Any, value: Any) -> None:
    def answer() -> Any: ...

    answer.__annotations__ = {"return": type_}
    tool = tool_from_function(answer)
    adapter = TypeAdapter(type_)

    def reference(found: Any) -> Any:
        try:
            return adapter.dump_python(found, mode="json", warnings="error")
        except (PydanticSerializationError, UnicodeDecodeError):
            try:
                return adapter.dump_python(adapter.validate_python(found), mode="json")
            except (ValidationError, PydanticSerializationError, UnicodeDecodeError) as error:
                raise ToolError(str(error), code="invalid_result") from error

    assert repr(outcome(tool.dump_output, value)) == repr(outcome(reference, value))


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([1.0, 2.5, " a ", "2026-01-02"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "1"]), inner, max_size=3)
    ),
    max_leaves=6,
)
Stripped = Annotated[str, StringConstraints(strip_whitespace=True)]


@pytest.mark.parametrize(
    "type_",
    [
        *TYPES,
        list[Stripped],
        Annotated[list[Any], Len(1, 2)],
        list[dict[str, Any]] | None,
        set[str],
    ],
    ids=str,
)
@settings(max_examples=60, deadline=None)
@given(json_values)
def test_arguments_come_in_as_pydantic_makes_them(type_: Any, value: Any) -> None:
    def take(one: Any, other: Any = None, more: Any = None) -> None: ...

    take.__annotations__ = {"one": type_, "other": int | None, "more": type_}
    parse = tool_from_function(take).parse_input
    assert parse is not None
    try:
        found = parse({"one": value, "other": 1, "more": value})
    except ToolError:
        return
    wanted = TypeAdapter(type_).validate_python(value)
    assert repr(found) == repr({"one": wanted, "other": 1, "more": wanted})


def test_only_types_that_dump_to_themselves_are_taken() -> None:
    def kept(type_: Any) -> Any:
        adapter = TypeAdapter(type_)
        return as_is(adapter.core_schema, adapter.json_schema(mode="serialization"))

    assert kept(list[float]) is None
    assert kept(list[date]) is None
    assert kept(int) is None
    rows = kept(list[dict[str, Any]])
    assert rows([{"a": 1}])
    assert not rows([1])
    assert not rows([{"a": b"b"}])
    assert not rows([Table(a=1)])


def test_large_plain_arguments_are_passed_on_and_others_are_made() -> None:
    def take(
        rows: list[dict[str, Any]], numbers: list[float], names: list[str] | None = None
    ) -> None: ...

    take.__annotations__ = {
        "rows": list[dict[str, Any]],
        "numbers": list[float],
        "names": list[str] | None,
    }
    parse = tool_from_function(take).parse_input
    assert parse is not None
    sent: Any = {"rows": [{"a": 1}], "numbers": [1], "names": ["n"]}
    found = parse(sent)
    assert found == sent
    assert found["rows"] is sent["rows"]
    assert found["names"] is sent["names"]
    assert repr(found["numbers"]) == "[1.0]"
