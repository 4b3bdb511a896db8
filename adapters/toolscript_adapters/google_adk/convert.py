"""Tools of ADK, as tools that a script can call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from google.adk.tools import BaseTool, FunctionTool
from google.genai.types import FunctionDeclaration

from toolscript.contract.tool import JsonSchema, Tool, ToolContext, ToolOptions
from toolscript.mcp.convert import options_from
from toolscript.mcp.faces import with_face
from toolscript.mcp.unwrap import unwrap, unwrapped_schema
from toolscript_adapters.google_adk.internals import asks_of, declaration_of
from toolscript_adapters.google_adk.nested import call_adk_tool, needs_confirmation
from toolscript_adapters.kit import returns_of

SOURCE: Final = "google_adk"


def is_for_scripts(tool: BaseTool) -> bool:
    """Whether a script can call the tool at all; the model keeps the others.

    Not so: tools that the model's own service runs, such as its search, and those whose answer
    comes only later.
    """
    return not tool.is_long_running and declaration_of(tool) is not None


def tool_from_adk(tool: BaseTool, key: str) -> Tool:
    """The tool as scripts see it. It finds the tool to call by `key` in the session."""
    declared = declaration_of(tool) or FunctionDeclaration(name=tool.name)
    definition: Any = getattr(tool, "raw_mcp_tool", None)
    if definition is not None:
        output_schema, dump, receive = _mcp(definition)
        annotations: Any = getattr(definition, "annotations", None)
    else:
        output_schema, dump = _returns(tool, declared)
        receive, annotations = _as_it_is, None
    asks = asks_of(tool)
    call = _NestedCall(key, receive, _names_an_error(output_schema))
    return Tool(
        name=tool.name,
        description=tool.description or declared.description or "",
        input_schema=_input_schema(declared),
        output_schema=output_schema,
        call=call.__call__,
        options=options_from(
            annotations,
            ToolOptions(requires_approval=_Asking(key) if asks is None else asks),
            trusted=False,
        ),
        dump_output=dump,
        source=SOURCE,
    )


@dataclass(frozen=True, slots=True)
class _NestedCall:
    """Calls the tool that the session has under `key`."""

    key: str
    receive: Callable[[Any], Any]
    error_is_value: bool

    async def __call__(self, args: Any, context: ToolContext) -> Any:
        value = await call_adk_tool(self.key, args, context, error_is_value=self.error_is_value)
        return self.receive(value)


@dataclass(frozen=True, slots=True)
class _Asking:
    """Whether a call needs a confirmation, said by the tool; equal for the same tool."""

    key: str

    async def __call__(self, args: dict[str, Any]) -> bool:
        return await needs_confirmation(self.key, args)


def _as_it_is(value: Any) -> Any:
    return value


def _mcp(definition: Any) -> tuple[JsonSchema | None, None, Callable[[Any], Any]]:
    declared: JsonSchema | None = getattr(definition, "outputSchema", None) or getattr(
        definition, "output_schema", None
    )

    def receive(result: Any) -> Any:
        return with_face(unwrap(result, declared))

    return unwrapped_schema(declared), None, receive


def _returns(
    tool: BaseTool, declared: FunctionDeclaration
) -> tuple[JsonSchema | None, Callable[[Any], Any] | None]:
    if isinstance(tool, FunctionTool):
        return returns_of(tool.func, tool.name)
    return cast("JsonSchema | None", declared.response_json_schema), None


def _input_schema(declared: FunctionDeclaration) -> JsonSchema:
    schema = cast("JsonSchema | None", declared.parameters_json_schema)
    if schema is not None:
        return schema
    if declared.parameters is not None:
        return cast("JsonSchema", _plain(declared.parameters.model_dump(exclude_none=True)))
    return {"type": "object", "properties": {}}


def _plain(schema: Any) -> Any:
    """The Gemini API's dialect of schemas as JSON Schema: types in lower case, `nullable`."""
    if isinstance(schema, list):
        return [_plain(item) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    given = cast("dict[str, Any]", schema)
    plain: dict[str, Any] = {}
    for word, value in given.items():
        if word == "properties":
            plain[word] = {name: _plain(inner) for name, inner in value.items()}
        elif word in ("default", "example", "enum"):
            plain[word] = value
        elif word == "type":
            plain[word] = str(getattr(value, "value", value)).lower()
        elif word not in ("nullable", "property_ordering"):
            plain[_CAMEL.get(word, word)] = _plain(value)
    if given.get("nullable") and "type" in plain:
        plain["type"] = [plain["type"], "null"]
    return plain


_CAMEL: Final = {
    "any_of": "anyOf",
    "additional_properties": "additionalProperties",
    "max_items": "maxItems",
    "min_items": "minItems",
    "max_length": "maxLength",
    "min_length": "minLength",
    "max_properties": "maxProperties",
    "min_properties": "minProperties",
    "defs": "$defs",
    "ref": "$ref",
}


def _names_an_error(output_schema: JsonSchema | None) -> bool:
    """Whether the tool itself says that a property `error` is part of its result."""
    if not isinstance(output_schema, dict):
        return False
    return "error" in output_schema.get("properties", {})
