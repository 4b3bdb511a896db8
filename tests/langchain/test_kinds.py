"""Every kind of LangChain tool, called from a script."""

from __future__ import annotations

import dataclasses
import enum
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun, CallbackManagerForToolRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import (
    BaseTool,
    BaseToolkit,
    InjectedToolArg,
    StructuredTool,
    Tool,
    ToolException,
    create_retriever_tool,
    tool,
)
from pydantic import BaseModel, BeforeValidator, Field
from pydantic.v1 import BaseModel as BaseModelV1
from pydantic.v1 import Field as FieldV1

from tests.langchain.scripts import caught, run_error, run_value
from toolscript import CodeModeTool, ContractError, tool_from

if TYPE_CHECKING:
    Missing = str


class Order(BaseModel):
    id: int
    total: float = Field(description="In euros.")
    tags: list[str] = []


@tool
def get_order(order_id: int, currency: str = "EUR") -> Order:
    """Look up one order."""
    return Order(id=order_id, total=9.5, tags=[currency])


async def test_a_decorated_function_gives_its_model_as_an_object() -> None:
    value = await run_value([get_order], "return (await tools.get_order({ order_id: 7 })).total;")
    assert value == 9.5


def test_the_contract_of_a_decorated_function() -> None:
    contract = tool_from(get_order)
    assert contract.description == "Look up one order."
    assert contract.input_schema["required"] == ["order_id"]
    assert "description" not in contract.input_schema
    assert contract.output_schema["properties"]["total"]["description"] == "In euros."


async def test_arguments_are_coerced_as_langchain_does() -> None:
    value = await run_value(
        [get_order], "return (await tools.get_order({ order_id: '7', unknown: 1 })).id;"
    )
    assert value == 7


async def test_wrong_arguments_are_named() -> None:
    error = await run_value([get_order], caught("tools.get_order({ orderId: 7 })"))
    assert error["code"] == "invalid_args"
    assert "order_id" in error["message"]
    assert "orderId" in error["message"]


Words = Annotated[list[str], BeforeValidator(lambda v: v.split() if isinstance(v, str) else v)]


async def test_a_validator_of_the_model_decides_and_not_the_schema() -> None:
    @tool
    def count(words: Words) -> int:
        """Count words."""
        return len(words)

    assert await run_value([count], "return await tools.count({ words: 'a b c' });") == 3


class SearchV1(BaseModelV1):
    query: str = FieldV1(description="What to look for.")
    limit: int = 10


class Nested(BaseModelV1):
    inner: SearchV1


def _search(query: str, limit: int = 10) -> str:
    return f"{query}:{limit}"


async def test_pydantic_v1_schema() -> None:
    search = StructuredTool.from_function(
        _search, name="search", description="d", args_schema=SearchV1
    )
    assert tool_from(search).input_schema["properties"]["query"]["description"]
    assert await run_value([search], "return await tools.search({ query: 'x' });") == "x:10"
    error = await run_value([search], caught("tools.search({ limit: 'many', query: 'x' })"))
    assert error["code"] == "invalid_args"


def test_pydantic_v1_references_reach_the_declarations() -> None:
    nested = StructuredTool.from_function(
        lambda inner: str(inner), name="nested", description="d", args_schema=Nested
    )
    assert "query" in CodeModeTool([nested]).description


class Tree(BaseModel):
    inner: int | Tree


async def test_recursive_models() -> None:
    @tool
    def depth(tree: Tree) -> Tree:
        """How deep it is."""
        return tree

    assert "Promise<Tree>" in CodeModeTool([depth]).description
    script = "return (await tools.depth({ tree: { inner: { inner: 3 } } })).inner.inner;"
    assert await run_value([depth], script) == 3


JSON_SCHEMA = {
    "type": "object",
    "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["q"],
}


async def _echo(**arguments: Any) -> dict[str, Any]:
    return arguments


async def test_json_schema_tools_are_validated_here() -> None:
    echo = StructuredTool(name="echo", description="d", args_schema=JSON_SCHEMA, coroutine=_echo)
    assert await run_value([echo], "return await tools.echo({ q: 'a', n: 2 });") == {
        "q": "a",
        "n": 2,
    }
    error = await run_value([echo], caught("tools.echo({ q: 1.5 })"))
    assert error["code"] == "invalid_args"
    error = await run_value([echo], caught("tools.echo({ n: 1 })"))
    assert '"q"' in error["message"] or "q is missing" in error["message"]


def test_a_json_schema_argument_that_could_never_arrive_is_refused() -> None:
    async def call(runtime: Any = None, **arguments: Any) -> Any:
        return arguments

    schema = {"type": "object", "properties": {"runtime": {"type": "string"}}}
    swallowing = StructuredTool(name="t", description="d", args_schema=schema, coroutine=call)
    with pytest.raises(ContractError, match="runtime"):
        tool_from(swallowing)


async def test_an_argument_that_is_called_runtime_is_an_ordinary_one() -> None:
    @tool
    def start(runtime: str) -> str:
        """Start."""
        return runtime

    assert await run_value([start], "return await tools.start({ runtime: 'node' });") == "node"


@pytest.mark.parametrize("script", ["tools.shout('hi')", "tools.shout({ anything: 'hi' })"])
async def test_a_tool_of_one_string(script: str) -> None:
    shout = Tool(name="shout", description="d", func=lambda text: text.upper())
    assert await run_value([shout], f"return await {script};") == "HI"


async def test_a_tool_of_one_string_takes_nothing_else() -> None:
    shout = Tool(name="shout", description="d", func=lambda text: text.upper())
    for wrong in ("{}", "{ a: 'x', b: 'y' }", "{ a: 1 }"):
        error = await run_value([shout], caught(f"tools.shout({wrong})"))
        assert error["code"] == "invalid_args"
        assert "one string" in error["message"]


class SyncOnly(BaseTool):
    name: str = "sync_only"
    description: str = "d"

    def _run(self, x: int, run_manager: CallbackManagerForToolRun | None = None) -> int:
        return x + 1


class AsyncOnly(BaseTool):
    name: str = "async_only"
    description: str = "d"

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _arun(self, x: int, y: int = 2) -> int:
        return x * y


class Both(BaseTool):
    name: str = "both"
    description: str = "d"
    calls: list[str] = Field(default_factory=list)

    def _run(self, x: int, config: RunnableConfig) -> str:
        raise AssertionError("the async form is there")

    async def _arun(self, x: int, config: RunnableConfig) -> str:
        self.calls.append(f"{x}")
        return ",".join(self.calls)


async def test_base_tools_without_args_schema() -> None:
    both = Both()
    script = (
        "return [await tools.sync_only({ x: 1 }), await tools.async_only({ x: 4 }), "
        "await tools.both({ x: 1 }), await tools.both({ x: 2 })];"
    )
    assert await run_value([SyncOnly(), AsyncOnly(), both], script) == [2, 8, "1", "1,2"]
    assert both.calls == ["1", "2"]


def test_what_langchain_fills_in_by_type_is_not_in_the_contract() -> None:
    for one in (SyncOnly(), AsyncOnly(), Both()):
        assert set(tool_from(one).input_schema["properties"]) <= {"x", "y"}


async def test_a_base_tool_with_args_schema_keeps_its_state() -> None:
    class Arguments(BaseModel):
        step: int = 1

    class Counter(BaseTool):
        name: str = "counter"
        description: str = "d"
        args_schema: type[BaseModel] = Arguments
        total: int = 0

        def _run(self, step: int) -> int:
            self.total += step
            return self.total

    counter = Counter()
    script = "await tools.counter({ step: 5 }); return await tools.counter({});"
    assert await run_value([counter], script) == 6
    assert counter.total == 6


@pytest.mark.filterwarnings("ignore:This API is in beta")
async def test_runnables_as_tools() -> None:
    def add(given: dict[str, int]) -> int:
        return given["a"] + given["b"]

    class Two(BaseModel):
        a: int
        b: int

    adder = RunnableLambda(add).as_tool(name="adder", description="d", args_schema=Two)
    upper = RunnableLambda(lambda text: text.upper()).with_types(input_type=str)
    shout = upper.as_tool(name="shout", description="d")
    script = "return [await tools.adder({ a: 1, b: 2 }), await tools.shout('x')];"
    assert await run_value([adder, shout], script) == [3, "X"]


class Shelf(BaseRetriever):
    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [Document(page_content=f"{query} is here")]


async def test_retriever_tools() -> None:
    find = create_retriever_tool(Shelf(), "find", "Find documents.")
    assert await run_value([find], "return await tools.find({ query: 'it' });") == "it is here"


async def test_toolkits_are_opened() -> None:
    class Kit(BaseToolkit):
        def get_tools(self) -> list[BaseTool]:
            return [get_order, SyncOnly()]

    script = (
        "return [(await tools.get_order({ order_id: 1 })).id, await tools.sync_only({ x: 1 })];"
    )
    assert await run_value([Kit()], script) == [1, 2]
    assert "sync_only" in CodeModeTool.from_toolkit(Kit()).description


async def test_tools_in_namespaces_and_names_that_are_no_identifiers() -> None:
    odd = StructuredTool.from_function(lambda: "odd", name="list-items.v2", description="d")
    script = (
        "return [(await shop.get_order({ order_id: 1 })).id, "
        "await shop['list-items.v2']({}), await shop.list_items_v2({})];"
    )
    assert await run_value({"shop": [get_order, odd]}, script) == [1, "odd", "odd"]


@pytest.mark.parametrize(
    "definition",
    [
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "function", "function": {"name": "weather", "parameters": {}}},
        {"name": "weather", "input_schema": {"type": "object"}},
    ],
)
def test_definitions_without_a_function_are_refused(definition: dict[str, Any]) -> None:
    with pytest.raises(ContractError, match="without a function"):
        CodeModeTool([get_order, definition])


def test_generators_are_refused() -> None:
    @tool
    def rows() -> Any:
        """Rows."""
        yield 1

    with pytest.raises(ContractError, match="generator"):
        CodeModeTool([rows])


async def test_a_generator_that_shows_only_when_called_fails_the_call() -> None:
    @tool
    def rows() -> Any:
        """Rows."""
        return (n for n in range(3))

    error = await run_value([rows], caught("tools.rows({})"))
    assert error["code"] == "invalid_result"


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    when: date


NATIVE: list[tuple[Any, Any]] = [
    (Order(id=1, total=2.5), {"id": 1, "total": 2.5, "tags": []}),
    ([Order(id=1, total=2.0)], [{"id": 1, "total": 2, "tags": []}]),
    (Point(1, date(2026, 1, 2)), {"x": 1, "when": "2026-01-02"}),
    (Colour.RED, "red"),
    (datetime(2026, 1, 2, 3, 4, 5), "2026-01-02T03:04:05"),
    (UUID(int=5), "00000000-0000-0000-0000-000000000005"),
    (Decimal("1.50"), "1.50"),
    (Path("a") / "b", "a/b"),
    ({"a": (1, 2)}, {"a": [1, 2]}),
    (None, None),
    (True, True),
    (2**63, 2**63),
    (["a", "b"], ["a", "b"]),
    ("plain", "plain"),
    ("42", "42"),
]


@pytest.mark.parametrize(("returned", "expected"), NATIVE, ids=lambda value: type(value).__name__)
async def test_native_values_arrive_in_their_json_form(returned: Any, expected: Any) -> None:
    @tool
    def give() -> Any:
        """Give."""
        return returned

    @tool
    async def agive() -> Any:
        """Give."""
        return returned

    script = "return [await tools.give({}), await tools.agive({})];"
    assert await run_value([give, agive], script) == [expected, expected]


async def test_documents_arrive_as_objects() -> None:
    @tool
    def find() -> list[Document]:
        """Find."""
        return [Document(page_content="text", metadata={"page": 3})]

    assert await run_value([find], "return (await tools.find({}))[0].metadata.page;") == 3


async def test_content_blocks_arrive_as_objects_and_can_be_passed_on() -> None:
    blocks = [
        {"type": "text", "text": "a"},
        {"type": "image", "base64": "eA==", "mime_type": "x/y"},
    ]

    @tool
    def look() -> list[dict[str, Any]]:
        """Look."""
        return blocks

    tool_message = await CodeModeTool([look]).ainvoke(
        {
            "name": "run_code",
            "args": {"code": "return await tools.look({});"},
            "id": "1",
            "type": "tool_call",
        }
    )
    assert tool_message.content == blocks


async def test_an_injected_argument_can_be_neither_seen_nor_forged() -> None:
    @tool
    def whoami(question: str, user: Annotated[str, InjectedToolArg] = "nobody") -> str:
        """Who."""
        return f"{user}: {question}"

    script = "return await tools.whoami({ question: 'q', user: 'root' });"
    assert await run_value([whoami], script) == "nobody: q"
    assert await run_value([whoami], script, inject={"user": "ada"}) == "ada: q"
    assert await run_value([whoami], script, inject={"user": lambda runtime: "eve"}) == "eve: q"
    assert "user" not in CodeModeTool([whoami]).description


async def test_a_required_injected_argument_that_nobody_gives_fails_the_call() -> None:
    @tool
    def whoami(user: Annotated[str, InjectedToolArg]) -> str:
        """Who."""
        return user

    error = await run_value([whoami], caught("tools.whoami({ user: 'root' })"))
    assert "inject={'user': ...}" in error["message"]


async def test_output_types_come_from_annotations_or_from_the_host() -> None:
    @tool
    def untyped() -> Any:
        """Untyped."""
        return {"n": 1}

    assert tool_from(untyped).output_schema is None
    schemas = {"untyped": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    assert "n?: number" in CodeModeTool([untyped], output_schemas=schemas).description
    assert await run_value([untyped], "return (await tools.untyped({})).n;", output_schemas=schemas)


@pytest.mark.parametrize("kind", [Exception, ValueError, ToolException, NotImplementedError])
async def test_exceptions_keep_their_message(kind: type[Exception]) -> None:
    @tool
    def fail() -> str:
        """Fail."""
        raise kind("the disk is full")

    error = await run_value([fail], caught("tools.fail({})"))
    assert error["code"] == "failed"
    assert error["isToolError"] is True
    assert "the disk is full" in error["message"]
    assert "the disk is full" in await run_error([fail], "await tools.fail({});")


async def test_a_validation_error_of_the_body_is_no_argument_error() -> None:
    @tool
    def parse() -> str:
        """Parse."""
        return str(Order.model_validate({"id": "x"}))

    error = await run_value([parse], caught("tools.parse({})"))
    assert error["code"] == "failed"


async def test_stop_iteration_is_an_ordinary_failure() -> None:
    @tool
    def stop() -> str:
        """Stop."""
        return next(iter([]))

    assert (await run_value([stop], caught("tools.stop({})")))["code"] == "failed"


@pytest.mark.parametrize(
    ("handler", "expected"),
    [(True, "no such user"), ("try later", "try later"), (lambda e: f"<{e}>", "<no such user>")],
)
async def test_a_handled_tool_error_is_still_an_error(handler: Any, expected: str) -> None:
    def find(name: str) -> str:
        raise ToolException("no such user")

    handled = StructuredTool.from_function(
        find, name="find", description="d", handle_tool_error=handler
    )
    error = await run_value([handled], caught("tools.find({ name: 'x' })"))
    assert error["message"].endswith(expected)


async def test_a_handled_validation_error_is_still_an_error() -> None:
    handled = StructuredTool.from_function(
        _search, name="search", description="d", handle_validation_error="ask nicely"
    )
    error = await run_value([handled], caught("tools.search({ query: ['no'] })"))
    assert error["message"].endswith("ask nicely")


async def test_blocking_tools_run_side_by_side() -> None:
    import threading

    gate = threading.Barrier(12, timeout=60)

    @tool
    def meet() -> str:
        """Meet."""
        gate.wait()
        return "met"

    script = "return (await Promise.all(Array.from({ length: 12 }, () => tools.meet({})))).length;"
    assert await run_value([meet], script) == 12


async def test_an_annotation_that_cannot_be_resolved_hides_no_injected_argument() -> None:
    from langgraph.prebuilt import InjectedState

    def keep(x: Missing, state: Annotated[dict[str, Any], InjectedState]) -> Missing:
        return x

    schema = {"type": "object", "properties": {"x": {"type": "string"}, "state": {}}}
    tool_ = StructuredTool(name="keep", description="d", args_schema=schema, func=keep)
    assert set(tool_from(tool_).input_schema["properties"]) == {"x"}
    error = await run_value([tool_], caught("tools.keep({ x: 'a', state: {} })"))
    assert "state" in error["message"]
