"""The official MCP SDK: its own client and servers, in one process and over standard streams."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import shlex
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server import MCPServer, Server
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import (
    ElicitResult,
    ImageContent,
    ListToolsResult,
    TextContent,
    Tool,
    ToolAnnotations,
)

from toolscript import (
    CodeMode,
    ConfigurationError,
    ContractError,
    ToolContext,
    ToolOptions,
    tool_from,
)
from toolscript.cli import main
from toolscript.mcp.convert import tool_from_mcp
from toolscript.testing.adapters import (
    USER,
    AdapterConformance,
    Answer,
    Conversation,
    Decide,
    allow,
)
from toolscript.testing.shop import Shop
from toolscript_adapters.mcp import code_server, connect, namespace_of

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


def whoami(context: ToolContext) -> str:
    """Tell who the user is."""
    return context.app.request_context.meta["user"]


def shop_server(shop: Shop, seen: list[str] | None = None) -> MCPServer[Any]:
    """The shop as a server of its own; its middleware notes each call."""
    server: MCPServer[Any] = MCPServer("shop")
    for function in shop.functions():
        server.add_tool(telling(function) if function.__name__ == "get_order" else function)

    async def note(context: Any, call_next: Any) -> Any:
        if context.method == "tools/call" and seen is not None:
            seen.append(context.params["name"])
        return await call_next(context)

    server.middleware.append(note)
    return server


def telling(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with errors that a server of the SDK tells: others it keeps to itself."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except ValueError as error:
            raise ToolError(str(error)) from error

    return call


class TestInResults(AdapterConformance):
    """A client of the present protocol: the model's side is the client that calls the tool."""

    framework = "MCP"
    package = "toolscript_adapters.mcp"
    mode = "auto"

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
        asking = {"refund": ToolOptions(requires_approval=True)} if approvals else {}

        async def elicit(context: Any, params: Any) -> ElicitResult:
            tool, args = call_in(params.message)
            talk.asked.append((tool, args))
            return ElicitResult(action="accept", content={"approve": decide(tool, args)})

        async with connect(shop_server(shop, talk.hooked), options=asking) as namespace:
            server = code_server([whoami, *namespace.tools], **options)
            async with Client(server, mode=self.mode, elicitation_callback=elicit) as client:
                (tool,) = (await client.list_tools()).tools
                talk.shown = [tool.name]
                talk.declared = tool.description or ""
                for script in scripts:
                    result = await client.call_tool(
                        tool.name, {"code": script}, meta={"user": USER}
                    )
                    talk.answers.append(Answer(text_of(result), result.is_error))
        return talk


class TestWhileTheCallWaits(TestInResults):
    """A client of an earlier protocol, which is asked while its call waits."""

    mode = "legacy"


def text_of(result: Any) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def call_in(message: str) -> tuple[str, Any]:
    """The call that a question is about."""
    call = message.partition("\n")[0].removeprefix("A script wants to call ").removesuffix(".")
    name, _, args = call.removesuffix(")").partition("(")
    return name, json.loads(args)


async def test_a_namespace_is_made_of_every_page_that_a_server_lists() -> None:
    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        page = int((params and params.cursor) or 0)
        tool = Tool(name=f"tool_{page}", input_schema={"type": "object"})
        return ListToolsResult(tools=[tool], next_cursor=str(page + 1) if page < 2 else None)

    server = Server("long-list", on_list_tools=list_tools)
    async with connect(server) as namespace:
        assert namespace.name == "long_list"
        assert [tool.name for tool in namespace.tools] == ["tool_0", "tool_1", "tool_2"]


async def test_servers_stand_side_by_side_in_one_script() -> None:
    async with (
        connect(shop_server(Shop()), "first") as first,
        connect(shop_server(Shop()), "second") as second,
        CodeMode([first, second]) as codemode,
    ):
        result = await codemode.run(
            """
            const orders = await first.list_orders();
            return Promise.all(
                orders.map(({ customer }) => second.get_email({ customer })),
            );
            """
        )
        assert result.unwrap() == ["ada@example.com", "bob@example.com", "ada@example.com"]
        assert "from shop" in codemode.prompt()


async def test_a_session_gives_a_namespace_as_a_client_does() -> None:
    async with Client(shop_server(Shop())) as client:
        namespace = await namespace_of(client.session, "shop")
        async with CodeMode([namespace]) as codemode:
            result = await codemode.run("return (await shop.get_order({ order_id: 2 })).total;")
            assert result.unwrap() == 80.0


async def test_options_of_a_tool_that_is_not_there_are_a_mistake() -> None:
    async with Client(shop_server(Shop())) as client:
        with pytest.raises(ContractError, match=r"options for refunds, but the tools of shop are"):
            await namespace_of(client, options={"refunds": ToolOptions(read_only=True)})


async def test_the_word_of_a_server_counts_only_when_it_is_trusted() -> None:
    server: MCPServer[Any] = MCPServer("files")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def read(path: str) -> str:
        """Read a file."""
        return path

    async with Client(server) as client:
        stranger = await namespace_of(client)
        friend = await namespace_of(client, trust_annotations=True)
    assert [tool.options.read_only for tool in (*stranger.tools, *friend.tools)] == [False, True]


async def test_a_client_that_cannot_ask_anybody_gets_the_call_denied() -> None:
    shop = Shop()
    tools = [
        tool_from(one, options=ToolOptions(requires_approval=one.__name__ == "refund"))
        for one in shop.functions()
    ]
    for mode in ("auto", "legacy"):
        async with Client(code_server(tools), mode=mode) as client:
            script = "return await tools.refund({ order_id: 1 }).catch((e) => e.message);"
            result = await client.call_tool("run_code", {"code": script})
            assert text_of(result) == "nobody can be asked: the MCP client has no elicitation"
    assert not shop.effects


async def test_a_person_says_why_not() -> None:
    async def elicit(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"approve": False, "reason": "too much"})

    def pay(amount: int) -> int:
        """Pay."""
        return amount

    server = code_server([tool_from(pay, options=ToolOptions(requires_approval=True))])
    async with Client(server, elicitation_callback=elicit) as client:
        script = "return await tools.pay({ amount: 9 }).catch((e) => `${e.code}: ${e.message}`);"
        result = await client.call_tool("run_code", {"code": script})
        assert text_of(result) == "denied: too much"


async def test_progress_and_images_of_a_script_reach_the_client() -> None:
    heard: list[tuple[float, str | None]] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    async with Client(code_server([])) as client:
        script = f'progress("half", 0.5); image("{PNG}", "image/png"); return 1;'
        result = await client.call_tool("run_code", {"code": script}, progress_callback=listen)
    assert heard == [(0.5, "half")]
    (image,) = [part for part in result.content if isinstance(part, ImageContent)]
    assert (image.data, image.mime_type) == (PNG, "image/png")


async def test_a_call_of_a_script_is_cancelled_on_the_server_too() -> None:
    shop = Shop()
    async with (
        connect(shop_server(shop)) as namespace,
        CodeMode([namespace]) as codemode,
    ):
        run = asyncio.create_task(codemode.run("await shop.wait();"))
        await until(lambda: shop.waiting)
        run.cancel()
        await until(lambda: shop.cancelled)
        with pytest.raises(asyncio.CancelledError):
            await run


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(6000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


SHOP_FILE = """
print("loaded")

def price(item: str) -> float:
    "Price of an item."
    return {"desk": 200.0, "chair": 80.0}[item]
"""

STOCK_SERVER = """
from mcp.server import MCPServer

server = MCPServer("stock")

@server.tool()
def stock(item: str) -> int:
    "How many there are."
    return {"desk": 3, "chair": 0}[item]

server.run()
"""


async def test_the_command_serves_files_and_other_servers_over_standard_streams(
    tmp_path: Path,
) -> None:
    (tmp_path / "shop.py").write_text(SHOP_FILE)
    (tmp_path / "stock.py").write_text(STOCK_SERVER)
    command = [
        *("-m", "toolscript", "mcp", "--name", "shop"),
        *("--tools", str(tmp_path / "shop.py")),
        *("--server", f"stock={sys.executable} {tmp_path / 'stock.py'}"),
    ]
    started = stdio_client(StdioServerParameters(command=sys.executable, args=command))
    async with Client(started) as client:
        assert client.server_info is not None
        assert client.server_info.name == "shop"
        script = """
            const items = ["desk", "chair"];
            const left = await Promise.all(items.map((item) => stock.stock({ item })));
            const worth = await Promise.all(items.map((item) => tools.price({ item })));
            return worth[0] * left[0] + worth[1] * left[1];
        """
        result = await client.call_tool("run_code", {"code": script})
        assert text_of(result) == "600"


@pytest.mark.parametrize("server", ["shop", "no name=x", "shop="])
def test_the_command_says_how_a_server_is_written(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", "--server", server]) == 2
    assert "write NAME=URL or NAME=COMMAND" in capsys.readouterr().err


def test_the_command_wants_tools(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp"]) == 2
    assert "--server NAME=URL|COMMAND" in capsys.readouterr().err


SERVER = """
from mcp.server import MCPServer

server = MCPServer("stock")


@server.tool()
def count(item: str) -> int:
    "How many there are."
    return len(item)


server.run()
"""


@pytest.mark.parametrize("form", ["string", "list", "parameters"])
async def test_a_command_starts_a_server(tmp_path: Path, form: str) -> None:
    file = tmp_path / "a server.py"
    file.write_text(SERVER)
    words = [sys.executable, str(file)]
    command: Any = {
        "string": shlex.join(words),
        "list": words,
        "parameters": StdioServerParameters(command=words[0], args=words[1:]),
    }[form]
    async with connect(command) as stock:
        codemode = CodeMode([stock])
        result = await codemode.run("return await stock.count({ item: 'nail' })")
    assert result.value == 4, result.text()


DYING = """
import os

from mcp.server import MCPServer

server = MCPServer("stock")


@server.tool()
def die() -> None:
    '''Die.'''
    os._exit(3)


server.run()
"""


async def test_a_server_that_goes_away_is_named_with_its_command(tmp_path: Path) -> None:
    place = tmp_path / "stock server.py"
    place.write_text(DYING)
    command = [sys.executable, str(place), "--api-key", "hunter2", "--db=x://me:hunter2@host/db"]
    async with connect(command, "stock") as stock, CodeMode([stock]) as codemode:
        result = await codemode.run(
            "try { await stock.die() } catch (e) {} await stock.die({}).catch((e) => {throw e});"
        )
    for error in (result.calls[0].error, result.calls[1].error):
        assert error is not None
        for words in ("'stock'", "stock server.py", "is gone", "connects to it again"):
            assert words in error.message
        assert "hunter2" not in error.message


@pytest.mark.parametrize("named", [True, False])
async def test_a_server_that_never_speaks_is_named_with_its_command(named: bool) -> None:
    command = [sys.executable, "-c", "raise SystemExit", "--token=hunter2", "--port", "80"]
    with pytest.raises(ConnectionError, match=r"did not answer.*standard error") as failed:
        async with connect(command, "stock" if named else None):
            pass
    told = str(failed.value)
    assert "'raise SystemExit' '--token=…' --port 80" in told
    assert ("'stock'" in told) is named


async def test_a_transport_that_fails_while_it_is_used_is_named(tmp_path: Path) -> None:
    """As one over HTTP does: the SDK then cancels whatever is at work beside it."""

    @contextlib.asynccontextmanager
    async def transport() -> AsyncIterator[Any]:
        async with stdio_client(parameters) as streams, asyncio.TaskGroup() as group:
            group.create_task(fails())
            yield streams

    place = tmp_path / "stock.py"
    place.write_text(DYING)
    parameters = StdioServerParameters(command=sys.executable, args=[str(place)])
    broken = asyncio.Event()

    async def fails() -> None:
        await broken.wait()
        raise OSError("the cable is out")

    async def breaks() -> None:
        async with connect(transport(), "stock"):
            broken.set()
            await asyncio.Event().wait()

    with pytest.raises(ConnectionError, match=r"'stock'.* is gone: the cable is out"):
        await breaks()


async def test_what_is_raised_while_a_server_is_connected_comes_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "server.py"
    file.write_text(SERVER)
    command = [sys.executable, str(file)]
    with pytest.raises(LookupError, match=r"^my own$"):
        async with connect(command):
            raise LookupError("my own")
    with pytest.raises(ContractError, match="options for cuont, but the tools of stock are count"):
        async with connect(command, options={"cuont": ToolOptions()}):
            pass


@pytest.mark.parametrize(
    ("server", "error", "words"),
    [
        ("nosuchcmd --x", ConfigurationError, ("'nosuchcmd'", "http://")),
        (["nosuchcmd"], ConfigurationError, ("'nosuchcmd'",)),
        ([], ConfigurationError, ("list of strings",)),
        (["python", 3], ConfigurationError, ("list of strings",)),
        ('say "hi', ConfigurationError, ("no command",)),
        (Path("server.py"), ConfigurationError, ("connect(server=)", "[sys.executable,")),
        (42, ConfigurationError, ("connect(server=)", "42", "URL", "list of strings")),
        (None, ConfigurationError, ("None",)),
        ([sys.executable, "-c", "pass"], ConnectionError, ("did not answer",)),
        ("http://user:secret@127.0.0.1:9/mcp?key=1", ConnectionError, ("http://127.0.0.1:9/mcp",)),
    ],
)
async def test_what_is_no_server_is_told_in_one_line(
    server: Any, error: type[Exception], words: tuple[str, ...]
) -> None:
    with pytest.raises(error) as refused:
        async with connect(server):
            raise AssertionError
    told = str(refused.value)
    for word in words:
        assert word in told
    assert "secret" not in told
    assert "\n" not in told


async def test_options_of_tools_may_be_mappings() -> None:
    server = MCPServer("stock")

    @server.tool()
    def count(item: str) -> int:
        """How many there are."""
        return len(item)

    async with connect(server, options={"count": {"requires_approval": True}}) as stock:
        assert stock.tools[0].options.requires_approval is True
        wrong = {"requires_aproval": True}
        with pytest.raises(ConfigurationError, match=r"'count'.*did you mean 'requires_approval'"):
            tool_from_mcp({"name": "count", "inputSchema": {}}, count, options=wrong)
