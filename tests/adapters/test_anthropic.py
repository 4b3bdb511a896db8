"""Anthropic SDK: its client and tool runners as they are, over a transport that plays the API."""

from __future__ import annotations

import inspect
import json
import uuid
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError, beta_async_tool, beta_tool

from toolscript import ConfigurationError, ContractError, ToolOptions, tool_from
from toolscript.testing.adapters import (
    AdapterConformance,
    Answer,
    Conversation,
    Decide,
    allow,
)
from toolscript.testing.shop import Shop
from toolscript_adapters.anthropic import code_tool, sync_code_tool

NO_IMAGE = "iVBORw0KGgo="


class Api(httpx2.MockTransport):
    """Calls the code tool with one script after the other, and then says "done"."""

    def __init__(self, scripts: Sequence[str], tool: str = "run_code"):
        super().__init__(self.reply)
        self.scripts = list(scripts)
        self.tool = tool
        self.requests: list[Any] = []

    def reply(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(request.content))
        place = len(self.requests) - 1
        content: dict[str, Any] = {"type": "text", "text": "done"}
        if place < len(self.scripts):
            content = {
                "type": "tool_use",
                "id": f"toolu_{place}",
                "name": self.tool,
                "input": {"code": self.scripts[place]},
            }
        message = {
            "id": f"msg_{uuid.uuid4().hex}",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [content],
            "stop_reason": "tool_use" if content["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=message)

    def results(self) -> list[Any]:
        """The blocks with which the code tool answered, once each.

        A request may hold the whole conversation, or only what is new in it.
        """
        blocks = {
            block["tool_use_id"]: block
            for request in self.requests
            for message in request["messages"]
            if message["role"] == "user" and isinstance(message["content"], list)
            for block in message["content"]
        }
        return list(blocks.values())


ASK: dict[str, Any] = {
    "model": "scripted",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hi"}],
}


async def ask(api: Api, tool: Any) -> str:
    client = AsyncAnthropic(api_key="none", http_client=httpx2.AsyncClient(transport=api))
    message = await client.beta.messages.tool_runner(**ASK, tools=[tool]).until_done()
    return message.content[0].text


def ask_sync(api: Api, tool: Any) -> str:
    client = Anthropic(api_key="none", http_client=httpx2.Client(transport=api))
    message = client.beta.messages.tool_runner(**ASK, tools=[tool]).until_done()
    return message.content[0].text


def beta_tools(shop: Shop, *, approvals: bool = False) -> list[Any]:
    return [
        tool_from(one, options=ToolOptions(requires_approval=True))
        if approvals and one.__name__ == "refund"
        else decorated(one)
        for one in shop.functions()
    ]


def decorated(function: Callable[..., Any]) -> Any:
    return (beta_async_tool if inspect.iscoroutinefunction(function) else beta_tool)(function)


def text_of(block: Any) -> str:
    content = block["content"]
    return content if isinstance(content, str) else content[0]["text"]


class TestAsyncRunner(AdapterConformance):
    framework = "Anthropic SDK"
    package = "toolscript_adapters.anthropic"
    lacks = frozenset({"pause", "context", "hooks"})

    async def converse(
        self,
        shop: Shop,
        scripts: Sequence[str],
        *,
        approvals: bool = False,
        decide: Decide = allow,
        **options: Any,
    ) -> Conversation:
        tool = code_tool(beta_tools(shop, approvals=approvals), **options)
        api = Api(scripts, tool.name)
        final = await ask(api, tool)
        (declared,) = api.requests[0]["tools"]
        return Conversation(
            shown=[declared["name"]],
            declared=declared["description"],
            answers=[Answer(text_of(one), one.get("is_error", False)) for one in api.results()],
            final=final,
        )


async def answer_of(tools: Sequence[Any], script: str) -> Any:
    api = Api([script])
    assert await ask(api, code_tool(tools)) == "done"
    (result,) = api.results()
    return result["content"]


def test_the_sync_runner_runs_scripts_too_with_tools_of_both_kinds() -> None:
    script = """
        const order = await tools.get_order({ order_id: 1 });
        const all = await Promise.all([tools.meet(), tools.meet(), tools.meet()]);
        return [order.total, all];
    """
    api = Api([script, "await tools.get_order({ order_id: -1 });"])
    assert ask_sync(api, sync_code_tool(beta_tools(Shop()))) == "done"
    first, second = api.results()
    assert text_of(first) == "[120.5,[true,true,true]]"
    assert second["is_error"] is True
    assert "there is no order -1" in text_of(second)


async def test_text_that_is_json_is_read() -> None:
    @beta_tool
    def find(name: str) -> str:
        """Find something."""
        return json.dumps({"name": name, "size": 3})

    script = 'return (await tools.find({ name: "box" })).size + 1;'
    assert await answer_of([find], script) == "4"


async def test_content_blocks_are_their_text_and_images_are_shown() -> None:
    @beta_async_tool
    async def look(at: str) -> list[Any]:
        """Look."""
        source = {"type": "base64", "media_type": "image/png", "data": NO_IMAGE}
        return [
            {"type": "text", "text": at},
            {"type": "text", "text": "is here"},
            {"type": "image", "source": source},
        ]

    content = await answer_of([untyped(look)], 'return await tools.look({ at: "it" });')
    text, image = content
    assert "it\nis here" in text["text"]
    assert image["source"]["data"] == NO_IMAGE


def untyped(tool: Any) -> Any:
    tool.func.__annotations__.pop("return")
    return tool


async def test_an_error_of_the_sdk_s_kind_is_thrown() -> None:
    @beta_tool
    def fail() -> str:
        """Fail."""
        raise ToolError([{"type": "text", "text": "not today"}])

    script = "return await tools.fail().catch((error) => `${error.code}: ${error.message}`);"
    assert await answer_of([fail], script) == "failed: not today"


async def test_what_only_python_can_check_is_told_in_full() -> None:
    @beta_tool
    def on(day: date, until: int = 3) -> str:
        """Say what is on."""
        return f"{day.year + until}"

    script = """
        const good = await tools.on({ day: "2026-02-01" });
        const bad = await tools.on({ day: "2026-02-31" }).catch((e) => `${e.code} ${e.message}`);
        return [good, bad];
    """
    text = await answer_of([on], script)
    assert '"2029"' in text
    assert "invalid_args" in text
    assert "day" in text


async def test_plain_functions_need_no_decorator_and_keep_their_types() -> None:
    shop = Shop()
    tool = code_tool(list(shop.functions()))
    assert "total: number" in tool.description
    api = Api(["return (await tools.list_orders()).length;"])
    await ask(api, tool)
    assert text_of(api.results()[0]) == "3"


async def test_tools_come_in_namespaces() -> None:
    api = Api(["return await shop.get_email({ customer: 'a' });"])
    await ask(api, code_tool({"shop": beta_tools(Shop())}))
    assert text_of(api.results()[0]) == "a@example.com"


async def test_a_model_that_sends_no_script_is_told() -> None:
    api = Api([])
    api.scripts = [""]
    tool = code_tool(beta_tools(Shop()))
    with pytest.raises(ToolError, match="pass the script as one string"):
        await tool.call({"text": "x"})


def test_the_memory_tool_stays_with_the_runner() -> None:
    class Memory(BetaAbstractMemoryTool):
        def view(self, command: Any) -> str:
            return ""

        create = str_replace = insert = delete = rename = view

    with pytest.raises(ContractError, match=r"Memory has no schema.*beside the code tool"):
        code_tool([Memory()])


def test_an_approval_that_nobody_can_give_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"refund.*cannot pause.*approve="):
        code_tool(beta_tools(Shop(), approvals=True))
