"""A chat model that plays a script: no network, no key, the same each time."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler, CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

Step = AIMessage | Callable[[Sequence[BaseMessage]], AIMessage]


class ScriptedModel(BaseChatModel):
    """Says one step after the other; a step may look at the conversation so far.

    The step is chosen by the number of its own messages in the conversation, so that a graph
    that is resumed in a new process goes on where it was.
    """

    steps: list[Any]
    bound: list[Any] = Field(default_factory=list)
    seen: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> ScriptedModel:
        self.bound.append([t if isinstance(t, dict) else convert_to_openai_tool(t) for t in tools])
        return self

    def _said(self, messages: Sequence[BaseMessage]) -> AIMessage:
        self.seen.append(list(messages))
        turn = 0
        for message in messages:
            turn = turn + 1 if isinstance(message, AIMessage) else turn
        step = self.steps[min(turn, len(self.steps) - 1)]
        message = step(messages) if callable(step) else step
        return message.model_copy(deep=True, update={"id": f"ai-{uuid.uuid4().hex}"})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._said(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        said = self._said(messages)
        parts = [AIMessageChunk(content=said.content, id=said.id)]
        for place, call in enumerate(said.tool_calls):
            piece = {
                "name": call["name"],
                "args": json.dumps(call["args"]),
                "id": call["id"],
                "index": place,
                "type": "tool_call_chunk",
            }
            parts.append(AIMessageChunk(content="", id=said.id, tool_call_chunks=[piece]))
        parts[-1].chunk_position = "last"
        for part in parts:
            chunk = ChatGenerationChunk(message=part)
            if run_manager:
                run_manager.on_llm_new_token(str(part.text), chunk=chunk)
            yield chunk


def scripted(*steps: Step) -> ScriptedModel:
    return ScriptedModel(steps=list(steps))


def calls(*tool_calls: tuple[str, dict[str, Any]], ids: Sequence[str] | None = None) -> AIMessage:
    """A message that calls tools."""
    named = [
        {"name": name, "args": args, "id": (ids or [f"call_{i + 1}" for i in range(9)])[place]}
        for place, (name, args) in enumerate(tool_calls)
    ]
    return AIMessage(content="", tool_calls=[{**one, "type": "tool_call"} for one in named])


def code(script: str, *, name: str = "run_code", **extra: Any) -> AIMessage:
    """A message that runs one script."""
    return calls((name, {"code": script, **extra}))


def done(text: str = "done") -> AIMessage:
    return AIMessage(content=text)


class Recorder(BaseCallbackHandler):
    """Every run with its parent, for the shape of a trace."""

    run_inline = True

    def __init__(self) -> None:
        self.runs: dict[Any, dict[str, Any]] = {}

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: Any, **kw: Any) -> None:
        self.runs[run_id] = {"kind": "chain", "name": kw.get("name"), **kw}

    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: Any, **kw: Any) -> None:
        self.runs[run_id] = {"kind": "tool", **kw, "name": serialized["name"]}

    def on_retriever_start(self, serialized: Any, query: str, *, run_id: Any, **kw: Any) -> None:
        self.runs[run_id] = {"kind": "retriever", "name": kw.get("name"), **kw}

    def on_tool_end(self, output: Any, *, run_id: Any, **kw: Any) -> None:
        self.runs[run_id]["output"] = output

    def on_tool_error(self, error: BaseException, *, run_id: Any, **kw: Any) -> None:
        self.runs[run_id]["error"] = error

    def named(self, name: str) -> list[dict[str, Any]]:
        return [run for run in self.runs.values() if run["name"] == name]

    def parent(self, run: dict[str, Any]) -> dict[str, Any]:
        return self.runs[run["parent_run_id"]]
