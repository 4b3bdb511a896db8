"""The engines behind a code tool, and its tools in the shape that they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, cast

from langchain_core.tools import BaseTool
from langchain_core.tools import tool as langchain_tool

from toolscript.contract.contract import check_group
from toolscript.contract.convert import tool_from
from toolscript.contract.tool import JsonSchema, Namespace
from toolscript.engine import CodeMode
from toolscript.errors import ContractError
from toolscript.langchain.checkpoint import CheckpointJournal
from toolscript.langchain.convert import flatten_tools, tool_from_langchain
from toolscript.langchain.foreign import as_langchain_calls
from toolscript.langchain.inject import wants_injection
from toolscript.options import EngineOptions


class Engines:
    """One contract, and an engine for each way in which its runs are kept.

    Raises:
        ContractError, ConfigurationError: as `CodeMode` does.
    """

    def __init__(self, tools: Any, options: EngineOptions):
        self._tools = tools
        self._options = options
        self.plain = CodeMode(tools, **options)

    @cached_property
    def kept(self) -> CodeMode:
        """For graphs with a checkpointer: it keeps what a run did, for the time after a pause."""
        return CodeMode(self._tools, journal=CheckpointJournal(), **self._options)


def converted(tools: Any, output_schemas: Mapping[str, JsonSchema]) -> Any:
    """Tools of all kinds, LangChain's converted, in the groups in which they were given."""

    def convert(items: Any) -> list[Any]:
        check_group(items)
        return [one(item) for item in flatten_tools(items)]

    def one(item: Any) -> Any:
        if isinstance(item, BaseTool):
            return tool_from_langchain(item, output_schema=output_schemas.get(item.name))
        if isinstance(item, Namespace):
            return Namespace(item.name, convert(item.tools), item.description, item.error_class)
        if callable(item) and wants_injection(item):
            return one(_as_langchain_tool(item))
        return as_langchain_calls(tool_from(item))

    if isinstance(tools, Mapping):
        groups = cast("Mapping[str, Any]", tools)
        return {name: convert(group) for name, group in groups.items()}
    return convert(tools)


def _as_langchain_tool(function: Callable[..., Any]) -> BaseTool:
    try:
        return langchain_tool(function)
    except ValueError as error:
        raise ContractError(f"{getattr(function, '__name__', function)}: {error}") from error
