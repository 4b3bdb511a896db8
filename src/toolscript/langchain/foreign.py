"""Tools that are not LangChain's, called as if they were.

A function that is given to a code tool shows in traces, passes middleware, may pause the graph
and may return a `Command`, like the tools beside it.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import Any, cast

from langchain_core.tools import BaseTool
from pydantic import PrivateAttr

from toolscript.contract.tool import Tool, ToolContext
from toolscript.host.threads import in_thread
from toolscript.langchain.nested import NestedTool

_WHOLE = "arguments"
"""Holds arguments that are no mapping: a tool may parse them to an object of its own."""

_context: ContextVar[ToolContext] = ContextVar("toolscript_foreign_context")


class ForeignTool(BaseTool):
    """A `Tool` in the shape of LangChain. Arguments are checked before it is called."""

    _tool: Tool = PrivateAttr()

    def __init__(self, tool: Tool):
        schema = dict(tool.input_schema) if isinstance(tool.input_schema, Mapping) else {}
        super().__init__(
            name=tool.name,
            description=tool.description,
            args_schema={"properties": dict[str, Any](), **schema},
        )
        self._tool = tool

    def _run(self, /, **args: Any) -> Any:
        raise NotImplementedError("a script's calls are async")

    async def _arun(self, /, **args: Any) -> Any:
        call, given = self._tool.call, args.get(_WHOLE) if set(args) == {_WHOLE} else args
        context = _context.get()
        if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__):
            return await cast(Any, call(given, context))
        value = await in_thread(partial(call, given, context))
        return await value if inspect.isawaitable(value) else value


def as_langchain_calls(tool: Tool) -> Tool:
    """The same tool, whose calls are runs of a LangChain tool."""
    nested = NestedTool(ForeignTool(tool), tool.output_schema)

    async def call(args: Any, context: ToolContext) -> Any:
        token = _context.set(context)
        try:
            named = cast("dict[str, Any]", args) if type(args) is dict else {_WHOLE: args}
            return await nested(named, context)
        finally:
            _context.reset(token)

    return replace(tool, call=call)
