"""The person at the terminal, asked for each call that needs approval."""

from __future__ import annotations

import asyncio
import json
import sys

from rich.console import Console
from rich.markup import escape

from toolscript.cli.live import LiveRun
from toolscript.host.approval import Approve, Reject
from toolscript.result import Pending


def person_at_hand(script: str) -> bool:
    """Whether somebody can read a question and answer it; `-` reads the script from them."""
    return script != "-" and sys.stdin.isatty() and sys.stderr.isatty()


class Person:
    """Answers for one run, one question at a time however many calls wait."""

    def __init__(self, live: LiveRun):
        self._live = live
        self._console = Console(stderr=True, highlight=False)
        self._turn = asyncio.Lock()

    async def asked(self, pending: Pending) -> Approve | Reject:
        """An `ApproveCallback`. Only a clear yes approves."""
        name = f"{pending.namespace}.{pending.tool}" if pending.namespace else pending.tool
        arguments = json.dumps(pending.args, ensure_ascii=False, default=str)
        async with self._turn:
            with self._live.standing_still():
                self._console.print(f"[cyan]?[/] [bold]{escape(name)}[/]({escape(arguments)})")
                if pending.reason:
                    self._console.print(f"  {escape(pending.reason)}")
                self._console.print("  Approve this call? \\[y/N] ", end="")
                answer = await _line()
        if answer.strip().casefold() in ("y", "yes"):
            return Approve()
        return Reject("the person at the terminal said no")


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
