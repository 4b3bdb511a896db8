"""The person at the terminal, asked for each call that needs approval."""

from __future__ import annotations

import asyncio
import json
import sys

from rich.console import Console
from rich.markup import escape

from toolscript.cli.live import LiveRun
from toolscript.host.approval import Approve, Edit, Reject
from toolscript.result import Pending


def person_at_hand() -> bool:
    """Whether somebody can read a question and answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class Person:
    """Answers for one run, one question at a time however many calls wait.

    `who` is their name, for receipts.
    """

    def __init__(self, live: LiveRun, who: str):
        self._live = live
        self._who = who
        self._console = Console(stderr=True, highlight=False)
        self._turn = asyncio.Lock()

    async def asked(self, pending: Pending) -> Approve | Edit | Reject:
        """An `ApproveCallback`. Only a clear yes approves; JSON takes the arguments' place."""
        name = f"{pending.namespace}.{pending.tool}" if pending.namespace else pending.tool
        arguments = json.dumps(pending.args, ensure_ascii=False, default=str)
        async with self._turn:
            with self._live.standing_still():
                self._console.print(f"[cyan]?[/] [bold]{escape(name)}[/]({escape(arguments)})")
                if pending.reason:
                    self._console.print(f"  {escape(pending.reason)}")
                return await self._answer()

    async def _answer(self) -> Approve | Edit | Reject:
        while True:
            self._console.print(
                "  Approve this call, or write other arguments as JSON? \\[y/N] ", end=""
            )
            said = (await _line()).strip()
            if said.casefold() in ("y", "yes"):
                return Approve(who=self._who)
            if not said.startswith("{"):
                return Reject("the person at the terminal said no", who=self._who)
            try:
                return Edit(json.loads(said), who=self._who)
            except ValueError as error:
                self._console.print(f"  These arguments are no JSON: {escape(str(error))}")


async def _line() -> str:
    """A line of standard input. Waits on the loop, where an interrupt can end the wait."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(sys.stdin, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.readline()
