"""What holds calls back or hands them on, apart from any run."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from toolscript.contract.function import tool_from_function
from toolscript.contract.validation import compile_validator
from toolscript.errors import ToolError
from toolscript.host.cancel import CancelToken
from toolscript.host.coerce import coerce_strings
from toolscript.host.gates import ToolGate, Turnstile
from toolscript.host.threads import in_thread


async def test_a_turnstile_counts_across_threads_and_loops() -> None:
    turnstile = Turnstile(2, None)
    lock = threading.Lock()
    inside = peak = passed = 0

    async def pass_through() -> None:
        nonlocal inside, peak, passed
        await turnstile.enter()
        with lock:
            inside += 1
            peak = max(peak, inside)
        await asyncio.sleep(0.001)
        with lock:
            inside -= 1
            passed += 1
        turnstile.leave()

    async def crowd() -> None:
        await asyncio.gather(*(pass_through() for _ in range(10)))

    threads = [threading.Thread(target=asyncio.run, args=(crowd(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await asyncio.to_thread(thread.join, 60)
    assert (passed, inside) == (40, 0)
    assert peak <= 2


async def test_a_place_in_line_that_is_given_up_goes_to_the_next() -> None:
    turnstile = Turnstile(1, None)
    await turnstile.enter()
    given_up = asyncio.create_task(turnstile.enter())
    waiting = asyncio.create_task(turnstile.enter())
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.sleep(0)
    turnstile.leave()
    async with asyncio.timeout(60):
        await waiting
    # Cancelled in the very moment in which the place was handed over.
    late = asyncio.create_task(turnstile.enter())
    last = asyncio.create_task(turnstile.enter())
    await asyncio.sleep(0)
    turnstile.leave()
    late.cancel()
    async with asyncio.timeout(60):
        await last


async def test_threads_carry_context_and_raise_what_was_raised() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")
    variable.set("mine")
    assert await in_thread(variable.get) == "mine"

    def stop() -> None:
        raise StopIteration("odd")

    with pytest.raises(RuntimeError, match="odd"):
        await in_thread(stop)


async def test_as_many_threads_as_there_are_calls() -> None:
    meet = threading.Barrier(60, timeout=60)
    await asyncio.gather(*(in_thread(meet.wait) for _ in range(60)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
async def test_a_forked_child_makes_threads_of_its_own() -> None:
    await in_thread(lambda: None)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            asyncio.new_event_loop().run_until_complete(
                asyncio.wait_for(in_thread(lambda: None), 60)
            )
            status = 0
        finally:
            os._exit(status)
    _, status = await asyncio.to_thread(os.waitpid, child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_token_tells_each_listener_once() -> None:
    token = CancelToken()
    heard: list[str] = []
    forget = token.listen(lambda: heard.append("forgotten"))
    token.listen(lambda: heard.append("heard"))
    forget()
    token.cancel("why")
    token.cancel("again")
    token.listen(lambda: heard.append("late"))
    assert heard == ["heard", "late"]
    assert (token.cancelled, token.reason) == (True, "why")


SCHEMA: dict[str, Any] = {
    "type": "object",
    "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    "properties": {
        "count": {"type": "integer"},
        "ratio": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "name": {"type": "string"},
        "either": {"type": ["string", "integer"]},
        "anything": {},
        "flags": {"type": "array", "items": {"type": "boolean"}},
        "node": {"$ref": "#/$defs/node"},
        "extra": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
}


@pytest.mark.parametrize(
    ("value", "expected", "places"),
    [
        ({"count": "5"}, {"count": 5}, ["count"]),
        ({"count": "5.5"}, {"count": "5.5"}, []),
        ({"count": "five"}, {"count": "five"}, []),
        ({"count": "true"}, {"count": "true"}, []),
        ({"ratio": "null"}, {"ratio": None}, ["ratio"]),
        ({"ratio": "1.5"}, {"ratio": 1.5}, ["ratio"]),
        ({"name": "5"}, {"name": "5"}, []),
        ({"either": "5"}, {"either": "5"}, []),
        ({"anything": "5"}, {"anything": "5"}, []),
        ({"flags": "[true]"}, {"flags": [True]}, ["flags"]),
        ({"flags": ["true", False]}, {"flags": [True, False]}, ["flags[0]"]),
        ({"flags": '["true"]'}, {"flags": [True]}, ["flags", "flags[0]"]),
        ({"node": {"next": '{"next": {}}'}}, {"node": {"next": {"next": {}}}}, ["node.next"]),
        ({"extra": {"a": "1"}}, {"extra": {"a": 1}}, ["extra.a"]),
        ('{"count": 1}', {"count": 1}, ["arguments"]),
        ("nonsense", "nonsense", []),
        ("[1]", "[1]", []),
    ],
)
def test_only_a_string_that_is_exactly_the_value_is_taken(
    value: Any, expected: Any, places: list[str]
) -> None:
    assert coerce_strings(SCHEMA, value) == (expected, places)


class And(BaseModel):
    kind: Literal["and"]
    args: list[Expression] = []


class Or(BaseModel):
    kind: Literal["or"]
    args: list[Expression] = []


class Not(BaseModel):
    kind: Literal["not"]
    args: list[Expression] = []


Expression = And | Or | Not


class Tagged(BaseModel):
    of: Annotated[TaggedNot | TaggedLeaf, Field(discriminator="kind")]


class TaggedNot(BaseModel):
    kind: Literal["not"]
    of: Annotated[TaggedNot | TaggedLeaf, Field(discriminator="kind")]


class TaggedLeaf(BaseModel):
    kind: Literal["leaf"]


for model in (And, Or, Not, Tagged, TaggedNot):
    model.model_rebuild()


def nested(levels: int, end: Any, wrap: Callable[[Any], Any]) -> Any:
    for _ in range(levels):
        end = wrap(end)
    return end


async def test_arguments_that_a_union_would_be_tried_on_without_end_are_refused() -> None:
    async def find(where: Expression) -> str:
        return where.kind

    async def take(one: Tagged) -> str:
        return one.of.kind

    find.__annotations__ = {"where": Expression, "return": str}
    take.__annotations__ = {"one": Tagged, "return": str}
    gate, tagged = (ToolGate(tool_from_function(one)) for one in (find, take))

    def expression(levels: int) -> Any:
        return {"where": nested(levels, {"kind": "or"}, lambda one: {"kind": "not", "args": [one]})}

    gate.check_effort(expression(5))
    with pytest.raises(ToolError, match="nested too deeply"):
        gate.check_effort(expression(60))
    gate.check_effort({"where": {"kind": "and", "args": [{"kind": "or"}] * 50_000}})
    large = nested(4, {"where": None, "kind": "or"}, lambda one: {"kind": "and", "args": [one]})
    large["args"] += [{"kind": "or", "args": []}] * 50_000
    gate.check_effort({"where": large})
    deep = nested(100, {"kind": "leaf"}, lambda one: {"kind": "not", "of": one})
    tagged.check_effort({"one": {"of": deep}})


def test_only_values_of_bounded_size_are_looked_through_for_strings() -> None:
    table = {"extra": {f"k{number}": "1" for number in range(20_000)}}
    assert coerce_strings(SCHEMA, table) == (table, [])
    many = {"extra": {f"k{number}": "1" for number in range(2_000)}}
    assert len(coerce_strings(SCHEMA, many)[1]) == 2_000


def test_a_string_of_too_many_levels_stays_a_string() -> None:
    nested = {"flags": "[" * 513 + "]" * 513}
    assert coerce_strings(SCHEMA, nested) == (nested, [])
    found, places = coerce_strings(SCHEMA, {"flags": "[" * 500 + "]" * 500})
    assert places == ["flags"]
    assert isinstance(found["flags"], list)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text('0123456789{}[]"antrue.:,', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*SCHEMA["properties"], "next"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=300)
@given(JSON)
def test_taking_strings_never_breaks_a_value_and_never_changes_the_given_one(value: Any) -> None:
    before = repr(value)
    check: Callable[[Any], bool] = compile_validator(SCHEMA).is_valid
    taken, places = coerce_strings(SCHEMA, value)
    assert repr(value) == before
    if check(value):
        assert (taken, places) == (value, [])
    if not places:
        assert taken == value


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"anyOf": [{"$ref": "#"}]},
        {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
        {"allOf": [{"type": "object"}, {"$ref": "#"}]},
    ],
)
def test_schemas_that_lead_nowhere_end(schema: Any) -> None:
    assert coerce_strings(schema, {"a": "1"})[0] == {"a": "1"}


def test_references_are_followed_as_uris_and_as_they_are() -> None:
    schema = {
        "definitions": {"a/b c": {"type": "integer"}, "List<X>": {"type": "array"}},
        "properties": {
            "a": {"$ref": "#/definitions/a~1b%20c"},
            "b": {"$ref": "#/definitions/List<X>"},
        },
    }
    assert coerce_strings(schema, {"a": "5", "b": "[1]"}) == ({"a": 5, "b": [1]}, ["a", "b"])
