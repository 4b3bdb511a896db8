"""A chat model for agents in tests: one call of the code tool, then a word."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class CallsOnce(BaseChatModel):
    code: str
    tool: str = "run_code"

    @property
    def _llm_type(self) -> str:
        return "calls-once"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        if isinstance(messages[-1], ToolMessage):
            reply = AIMessage("done")
        else:
            call = {"name": self.tool, "args": {"code": self.code}, "id": "outer"}
            reply = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=reply)])
