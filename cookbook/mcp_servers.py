"""One script over two MCP servers, and the same again as a server for any MCP client.

`connect` takes a URL, a command or a server object. What two servers know is joined in the script;
the 200 rows never reach a model. The second half offers the code tool itself by MCP, which is what
`toolscript mcp --server library=... --server loans=...` does from a shell.

    python cookbook/mcp_servers.py

Needs: pip install "toolscript[mcp]", in an environment without langchain-mcp-adapters, which needs
the MCP SDK before version 2 (cookbook/langchain_mcp.py).
"""

from __future__ import annotations

import asyncio

from mcp import Client
from mcp.server import MCPServer
from mcp.types import ElicitResult
from pydantic import BaseModel

from toolscript import CodeMode, ToolOptions
from toolscript_adapters.mcp import code_server, connect

library: MCPServer = MCPServer("library")
loans: MCPServer = MCPServer("loans")
REMINDED: list[str] = []


class Book(BaseModel):
    isbn: str
    title: str


class Loan(BaseModel):
    isbn: str
    reader: str
    days: int


@library.tool()
def list_books() -> list[Book]:
    """All books of the library."""
    return [Book(isbn=f"978-{number}", title=f"Volume {number}") for number in range(200)]


@loans.tool()
def list_loans() -> list[Loan]:
    """Books that are out."""
    return [
        Loan(isbn="978-7", reader="Ada", days=40),
        Loan(isbn="978-40", reader="Bob", days=3),
        Loan(isbn="978-41", reader="Bob", days=31),
    ]


@loans.tool()
def remind(reader: str, titles: list[str]) -> str:
    """Write to a reader."""
    REMINDED.append(f"{reader}: {', '.join(titles)}")
    return "sent"


SCRIPT = """
const [books, out] = await Promise.all([library.list_books(), loans.list_loans()]);
const titles = new Map(books.map((book) => [book.isbn, book.title]));
const late = out.filter((loan) => loan.days > 30);
const byReader = Object.groupBy(late, (loan) => loan.reader);
for (const [reader, ones] of Object.entries(byReader))
  await loans.remind({ reader, titles: ones.map((loan) => titles.get(loan.isbn)) });
return Object.keys(byReader);
"""


async def say_yes(context: object, question: object) -> ElicitResult:
    """The person at the client; a real one shows the question as a form."""
    print(str(getattr(question, "message", question)).partition("\n")[0])
    return ElicitResult(action="accept", content={"approve": True})


async def main() -> None:
    ask = {"remind": ToolOptions(requires_approval=True)}
    async with (
        connect(library, "library") as books,
        connect(loans, "loans") as plain,
        CodeMode([books, plain]) as codemode,
    ):
        result = await codemode.run(SCRIPT)
        print("reminded:", result.text())

    async with connect(library, "library") as books, connect(loans, "loans", options=ask) as asked:
        server = code_server([books, asked], "librarian")
        async with Client(server, elicitation_callback=say_yes) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            print("the client sees:", ", ".join(names))
            answer = await client.call_tool("run_code", {"code": SCRIPT})
            print("it answers:", answer.content[0].text)
    print(len(REMINDED), "letters:", "; ".join(REMINDED[:2]))


asyncio.run(main())
