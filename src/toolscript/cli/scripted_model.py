"""The chat model of `toolscript demo`: it writes one script and reads what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool


class ScriptedModel(BaseChatModel):
    """Says what it was told to say, in the places where a real model would think.

    Attributes:
        script: what it writes for the code tool, whose name it takes from the tools bound to it.
        answer: makes the closing sentence out of the value that the script returned.
    """

    script: str
    answer: Callable[[Any], str]
    tool_name: str = ""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        names = [tool.name for tool in tools if isinstance(tool, BaseTool)]
        return self.model_copy(update={"tool_name": names[0]})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            reply = AIMessage(self._closing(last))
        else:
            call = {"name": self.tool_name, "args": {"code": self.script}, "id": "call_1"}
            reply = AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _closing(self, message: ToolMessage) -> str:
        if message.status == "error":
            return f"The script failed: {message.text}"
        return self.answer(json.loads(message.text))
