"""MCP tools in: definitions, annotations, results of every form and of every SDK."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from pydantic import Field as PydanticField

from toolscript import CodeMode
from toolscript.contract.tool import ToolOptions, ToolValue
from toolscript.errors import ContractError, ToolError
from toolscript.mcp import tool_from_mcp, unwrap

WRAPPED = {
    "type": "object",
    "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/Name"}}},
    "required": ["result"],
    "$defs": {"Name": {"type": "string"}},
    "x-fastmcp-wrap-result": True,
}


class TextBlock(BaseModel):
    """A content block as SDKs model it."""

    type: str = "text"
    text: str
    annotations: Any = None


class ResultV1(BaseModel):
    """A result as the first generation of SDKs models it."""

    model_config = ConfigDict(populate_by_name=True)
    content: list[TextBlock] = []
    structuredContent: dict[str, Any] | None = None
    isError: bool = False
    meta: dict[str, Any] | None = PydanticField(default=None, alias="_meta")


@dataclass
class ClientResult:
    """A result as a client library hands it out, with Python's spelling."""

    content: list[Any] = field(default_factory=list)
    structured_content: dict[str, Any] | None = None
    is_error: bool = False


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (ResultV1(content=[TextBlock(text='{"a": [1]}')]), {"a": [1]}),
        (ResultV1(structuredContent={"a": 1}), {"a": 1}),
        (ClientResult(content=[TextBlock(text="plain")]), "plain"),
        (ClientResult(structured_content={"b": None}), {"b": None}),
        ({"content": [{"type": "text", "text": "007"}]}, "007"),
        ({"content": [{"type": "text", "text": ""}]}, ""),
        ({"content": [{"type": "text", "text": "[not json"}]}, "[not json"),
        ({"content": [{"type": "text", "text": '{"a": NaN}'}]}, '{"a": NaN}'),
        ({"content": [{"type": "text", "text": "[" * 100_000}]}, "[" * 100_000),
        ({"content": [], "structuredContent": {"result": 1}}, {"result": 1}),
        ({"structuredContent": {}}, {}),
        ({"rows": [1]}, {"rows": [1]}),
        ([1, 2], [1, 2]),
    ],
)
def test_results_of_every_form(result: Any, value: Any) -> None:
    assert unwrap(result) == value


def test_content_of_mixed_kinds_stays_whole() -> None:
    result = {
        "content": [
            {"type": "text", "text": "done"},
            {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
        ]
    }
    assert unwrap(result) == result
    whole = tool_from_mcp({"name": "shot", "inputSchema": {}}, lambda name, args: result)
    assert whole.call({}, None) == ToolValue(result, "done\n[image, image/png, 8 bytes]")
    assert unwrap(ResultV1(content=[TextBlock(text="a"), TextBlock(type="other", text="b")])) == {
        "content": [{"type": "text", "text": "a"}, {"type": "other", "text": "b"}],
        "isError": False,
    }


def test_a_declared_output_decides_what_text_means() -> None:
    answer = {"content": [{"type": "text", "text": "42"}]}
    assert unwrap(answer) == "42"
    assert unwrap(answer, {"type": "integer"}) == 42


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("42", "string", "42"),
        ("true", "string", "true"),
        ('{"a": 1}', "string", '{"a": 1}'),
        ('"quoted"', "string", "quoted"),
        ("42", "integer", 42),
        ("plain", "integer", "plain"),
        ('\ufeff{"a": 1}', None, {"a": 1}),
        ("\ufefftext", None, "\ufefftext"),
    ],
)
def test_text_stays_text_where_text_is_declared(text: str, kind: str | None, value: Any) -> None:
    schema = None if kind is None else {"type": kind}
    assert unwrap({"content": [{"type": "text", "text": text}]}, schema) == value


def test_the_box_of_fastmcp_is_opened_where_it_is_declared() -> None:
    boxed = {"content": [], "structuredContent": {"result": ["a"]}}
    tool = tool_from_mcp(
        {"name": "names", "inputSchema": {}, "outputSchema": WRAPPED}, lambda name, args: boxed
    )
    assert tool.call({}, None) == ["a"]
    assert tool.output_schema == {
        "$defs": {"Name": {"type": "string"}},
        "type": "array",
        "items": {"$ref": "#/$defs/Name"},
    }
    assert unwrap(boxed, {"type": "object"}) == {"result": ["a"]}


def test_an_error_keeps_its_structured_content() -> None:
    with pytest.raises(ToolError) as failed:
        unwrap({"isError": True, "content": [], "structuredContent": {"code": "RATE_LIMITED"}})
    assert failed.value.details == {"code": "RATE_LIMITED"}
    assert "RATE_LIMITED" in failed.value.message
    with pytest.raises(ToolError, match="boom"):
        unwrap(ClientResult(content=[TextBlock(text="boom")], is_error=True))


def test_typed_results_are_whole() -> None:
    answer = {"content": [{"type": "text", "text": "x"}], "structuredContent": {"a": 1}}
    output = {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {}}}
    tool = tool_from_mcp(
        {"name": "t", "inputSchema": {}, "outputSchema": output},
        lambda name, args: answer,
        typed=True,
    )
    assert tool.call({}, None) == answer
    assert isinstance(tool.output_schema, dict)
    assert tool.output_schema["$defs"] == {"A": {}}
    assert "$defs" not in tool.output_schema["properties"]["structuredContent"]


async def test_calls_reach_the_server_by_name() -> None:
    seen: list[tuple[str, dict[str, Any]]] = []

    async def session_call(name: str, arguments: dict[str, Any]) -> Any:
        seen.append((name, arguments))
        return ResultV1(structuredContent={"ok": True})

    definition = {"name": "exact-name", "description": "Does it.", "inputSchema": {}}
    tool = tool_from_mcp(definition, session_call, server="shop")
    assert await tool.call({"a": 1}, None) == {"ok": True}
    lazy = tool_from_mcp(definition, lambda name, arguments: session_call(name, arguments))
    assert await lazy.call({"a": 2}, None) == {"ok": True}
    assert seen == [("exact-name", {"a": 1}), ("exact-name", {"a": 2})]
    assert (tool.description, tool.source) == ("Does it.", "shop")


class Annotations(BaseModel):
    """Annotations as the second generation of SDKs models them."""

    read_only_hint: bool | None = None
    destructive_hint: bool | None = None
    idempotent_hint: bool | None = None


class DefinitionV2(BaseModel):
    """A tool definition as the second generation of SDKs models it."""

    name: str
    description: str | None = None
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    annotations: Annotations | None = None


def test_hints_of_strangers_warn_but_permit_nothing() -> None:
    reader = DefinitionV2(
        name="r",
        input_schema={"type": "object"},
        annotations=Annotations(read_only_hint=True, idempotent_hint=True),
    )
    writer = {"name": "w", "inputSchema": {}, "annotations": {"destructiveHint": True}}
    options = tool_from_mcp(reader, print).options
    assert (options.read_only, options.idempotent) == (False, False)
    options = tool_from_mcp(reader, print, trust_annotations=True).options
    assert (options.read_only, options.idempotent) == (True, True)
    assert tool_from_mcp(writer, print).options.destructive
    kept = tool_from_mcp(writer, print, options=ToolOptions(timeout=3.0)).options
    assert (kept.timeout, kept.destructive) == (3.0, True)


def test_destructive_stands_against_what_a_stranger_calls_reading() -> None:
    both = {"readOnlyHint": True, "destructiveHint": True}
    definition = {"name": "t", "inputSchema": {}, "annotations": both}
    options = tool_from_mcp(definition, print).options
    assert (options.read_only, options.destructive) == (False, True)
    options = tool_from_mcp(definition, print, trust_annotations=True).options
    assert (options.read_only, options.destructive) == (True, False)


@pytest.mark.parametrize(
    ("words", "description"),
    [
        ({"description": "Does.", "title": "Title"}, "Does."),
        ({"title": "Title", "annotations": {"title": "Other"}}, "Title"),
        ({"description": None, "annotations": {"title": "Other"}}, "Other"),
        ({"description": ["no", "text"]}, ""),
        ({"annotations": ["odd"]}, ""),
    ],
)
def test_a_description_is_the_first_text_there_is(words: dict[str, Any], description: str) -> None:
    assert (
        tool_from_mcp({"name": "t", "inputSchema": {}, **words}, print).description == description
    )


@pytest.mark.parametrize("schema", ["object", [1], 5])
def test_a_schema_that_is_none_takes_no_other_tool_along(schema: Any, caplog: Any) -> None:
    for part in ("inputSchema", "outputSchema"):
        tool = tool_from_mcp({"name": "odd", "inputSchema": {}, part: schema}, lambda name, args: 1)
        codemode = CodeMode([tool, tool_from_mcp({"name": "good", "inputSchema": {}}, print)])
        assert "good(args?: {}): Promise<unknown>;" in codemode.declarations()
        assert codemode.run_sync("return await tools.odd({})").unwrap() == 1
        assert f"MCP tool 'odd': its {part} is no JSON Schema" in caplog.text


def test_a_definition_without_a_name_is_refused() -> None:
    with pytest.raises(ContractError, match="needs a name"):
        tool_from_mcp({"inputSchema": {}}, print)


class Renamed:
    """An SDK's object that still knows the protocol's names, and warns of each of them."""

    def __init__(self, old: dict[str, str], **fields: Any) -> None:
        self._old = old
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("_old", {}):
            warnings.warn(f"{name} is deprecated", DeprecationWarning, stacklevel=2)
            return getattr(self, self._old[name])
        raise AttributeError(name)


def test_what_sdks_warn_of_is_not_asked_for() -> None:
    definition = Renamed(
        {"inputSchema": "input_schema", "outputSchema": "output_schema"},
        name="get",
        description="Gets.",
        input_schema={"type": "object"},
        output_schema={"type": "object"},
        annotations=Renamed(
            {"readOnlyHint": "read_only_hint", "idempotentHint": "idempotent_hint"},
            title="Get",
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
        ),
    )
    result = Renamed(
        {"structuredContent": "structured_content", "isError": "is_error", "_meta": "meta"},
        content=[],
        structured_content={"a": 1},
        is_error=False,
        meta=None,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tool = tool_from_mcp(definition, print, trust_annotations=True)
        assert tool.options.read_only
        assert unwrap(result) == {"a": 1}
