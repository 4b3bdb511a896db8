"""LangChain and LangGraph: everything that a tool has there, it has inside a script.

`CodeModeTool` is one tool that runs scripts against many; `CodeModeMiddleware` has an agent call
its own tools from scripts; `tool_from_langchain` is for engines of one's own. LangChain's agents
are imported only with the middleware.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolscript.langchain.code_tool import CodeModeTool as CodeModeTool
    from toolscript.langchain.convert import tool_from_langchain as tool_from_langchain
    from toolscript.langchain.middleware import CodeModeMiddleware as CodeModeMiddleware

_HOME = {
    "CodeModeMiddleware": "middleware",
    "CodeModeTool": "code_tool",
    "tool_from_langchain": "convert",
}

__all__ = ["CodeModeMiddleware", "CodeModeTool", "tool_from_langchain"]


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module 'toolscript.langchain' has no attribute {name!r}")
    return getattr(importlib.import_module(f"toolscript.langchain.{module}"), name)
