"""FastMCP: its own client against servers with the transform, in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from fastmcp import Client, Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server import create_proxy
from fastmcp.server.middleware import Middleware
from mcp.types import InputRequiredResult, TextContent

from toolscript import ToolOptions
from toolscript.testing.adapters import (
    USER,
    AdapterConformance,
    Answer,
    Conversation,
    Decide,
    allow,
)
from toolscript.testing.shop import Shop
from toolscript_adapters.fastmcp import CodeTransform

from .test_mcp import call_in


class Spy(Middleware):
    """Notes each tool that is called."""

    def __init__(self) -> None:
        self.called: list[str] = []

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        self.called.append(context.message.name)
        return await call_next(context)


def whoami(context: Context) -> str:
    """Tell who the user is."""
    request = context.request_context
    assert request is not None
    assert request.meta is not None
    return request.meta["user"]


def shop_server(shop: Shop, *transforms: Any, **more: Any) -> FastMCP[Any]:
    server: FastMCP[Any] = FastMCP("shop", transforms=transforms, **more)
    server.tool(whoami)
    for function in shop.functions():
        server.tool(function)
    return server


async def answer(client: Client[Any], script: str, name: str = "run_code") -> Answer:
    result = await client.call_tool(
        name, {"code": script}, meta={"user": USER}, raise_on_error=False
    )
    parts = [part.text for part in result.content if isinstance(part, TextContent)]
    return Answer("\n".join(parts), result.is_error)


class TestTransform(AdapterConformance):
    framework = "FastMCP"
    package = "toolscript_adapters.fastmcp"
    mode: Any = "auto"

    async def converse(
        self,
        shop: Shop,
        scripts: Sequence[str],
        *,
        approvals: bool = False,
        decide: Decide = allow,
        **options: Any,
    ) -> Conversation:
        talk = Conversation(final="done")
        spy = Spy()
        asking = {"refund": ToolOptions(requires_approval=True)} if approvals else {}
        server = shop_server(shop, CodeTransform(tool_options=asking, **options), middleware=[spy])

        async def elicit(message: str, response_type: Any, params: Any, context: Any) -> Any:
            tool, args = call_in(message)
            talk.asked.append((tool, args))
            return {"approve": decide(tool, args)}

        async with Client(server, elicitation_handler=elicit, mode=self.mode) as client:
            (tool,) = await client.list_tools()
            talk.shown = [tool.name]
            talk.declared = tool.description or ""
            for script in scripts:
                talk.answers.append(await answer(client, script, tool.name))
        talk.hooked = [name for name in spy.called if name != tool.name]
        return talk


class TestEarlierProtocol(TestTransform):
    """A client that is asked while its call waits."""

    mode = "legacy"


async def test_servers_that_are_mounted_and_proxied_are_called_too() -> None:
    inner = shop_server(Shop())
    outer: FastMCP[Any] = FastMCP("gateway", transforms=[CodeTransform()])
    outer.mount(inner, namespace="near")
    outer.mount(create_proxy(shop_server(Shop())), namespace="far")
    script = """
        const order = await tools.near_get_order({ order_id: 1 });
        return tools.far_get_email({ customer: order.customer });
    """
    async with Client(outer) as client:
        assert await answer(client, script) == Answer("ada@example.com", False)


async def test_what_a_client_may_not_see_its_scripts_cannot_call() -> None:
    shop = Shop()
    server = shop_server(shop, CodeTransform())

    @server.tool(auth=lambda context: False)
    def secret() -> str:
        """Not for everybody."""
        return "secret"

    server.disable(names={"refund"}, components={"tool"})
    script = """
        const codes = [];
        for (const name of ["refund", "secret"])
            codes.push(await codemode.call(name, { order_id: 1 }).catch((error) => error.code));
        return codes;
    """
    async with Client(server) as client:
        (tool,) = await client.list_tools()
        assert "get_order" in (tool.description or "")
        assert "refund" not in (tool.description or "")
        assert "secret" not in (tool.description or "")
        assert (await answer(client, script)).text == '["unknown_tool","unknown_tool"]'
    assert not shop.effects


async def test_middleware_refuses_a_nested_call_and_the_script_reads_why() -> None:
    class NoRefunds(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            if context.message.name == "refund":
                raise ToolError("no refunds on Sundays")
            return await call_next(context)

    shop = Shop()
    server = shop_server(shop, CodeTransform(), middleware=[NoRefunds()])
    script = "return await tools.refund({ order_id: 1 }).catch((error) => error.message);"
    async with Client(server) as client:
        assert (await answer(client, script)).text == "no refunds on Sundays"
    assert not shop.effects


async def test_a_tool_that_asks_by_its_result_is_refused_by_name() -> None:
    server: FastMCP[Any] = FastMCP("shop", transforms=[CodeTransform()])

    @server.tool
    def guard() -> str | InputRequiredResult:
        """Ask first."""
        return InputRequiredResult(request_state="asked")

    script = "return await tools.guard({}).catch((error) => error.message);"
    async with Client(server) as client:
        text = (await answer(client, script)).text
    assert text.startswith("guard asks the client for input by its result")


async def test_a_tool_keeps_its_own_time_limit() -> None:
    server: FastMCP[Any] = FastMCP("shop", transforms=[CodeTransform()])

    @server.tool(timeout=0.1)
    async def slow() -> str:
        """Take long."""
        await asyncio.sleep(30)
        return "late"

    async with Client(server) as client:
        told = await answer(client, "return await tools.slow({});")
    assert told.failed
    assert "slow" in told.text
