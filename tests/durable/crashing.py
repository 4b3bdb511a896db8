"""A process that is killed while it runs a script with effects; see `test_crash.py`.

Started as a program it imports everything once and forks a child for each command that it reads,
so that a kill costs milliseconds. A command is a line of JSON: the journal's and the world's
file, the run's id, whether to run it inline, where to leave the result, and after how many
seconds to kill the child.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

from toolscript import (
    Approve,
    CodeMode,
    InlineRuntime,
    RunResult,
    Runtime,
    SQLiteJournal,
    Tool,
    ToolOptions,
)
from toolscript.contract.tool import ToolContext
from toolscript.host.journal import Journal

SCRIPT = """
const out = [];
for (let round = 0; round < 4; round++) {
  const [a, b, c] = await Promise.all([
    tools.read({ key: `a${round}` }),
    tools.read({ key: `b${round}` }),
    tools.put({ key: `slot${round}`, amount: round }),
  ]);
  const paid = await tools.charge({ key: `first${round}`, amount: a + b });
  const gate = round % 2 ? tools.refund : tools.charge;
  const group = await Promise.all([
    tools.put({ key: `slot${round}`, amount: paid }),
    gate({ key: `second${round}`, amount: paid + c }),
    tools.read({ key: `c${round}` }),
  ]);
  console.log(`round ${round}`, group);
  store(`round${round}`, group);
  out.push([a, b, c, paid, ...group]);
}
const last = await Promise.all([tools.charge({ key: "last", amount: 1 }), tools.read({ key: "z" })]);
return [...out, last];
"""

CALLS = 30
ONCE = ("charge", "refund")


def open_world(path: str) -> sqlite3.Connection:
    """What the tools change, and a row for every time that one did."""
    world = sqlite3.connect(path, timeout=30, isolation_level=None)
    world.execute("PRAGMA journal_mode = WAL")
    world.execute("PRAGMA synchronous = OFF")
    world.execute("CREATE TABLE IF NOT EXISTS effects (seq INTEGER, tool TEXT, key TEXT)")
    return world


def tools_of(world: sqlite3.Connection) -> list[Tool]:
    async def call(args: Any, context: ToolContext) -> int:
        await asyncio.sleep(random.random() * 0.002)
        world.execute(
            "INSERT INTO effects VALUES (?, ?, ?)", (context.seq, context.tool, args["key"])
        )
        await asyncio.sleep(random.random() * 0.002)
        return len(args["key"]) + args.get("amount", 0)

    schema = {
        "type": "object",
        "properties": {"key": {"type": "string"}, "amount": {"type": "integer"}},
        "required": ["key"],
    }

    def tool(name: str, **options: bool) -> Tool:
        return Tool(name, name, schema, {"type": "integer"}, call, ToolOptions(**options))

    return [
        tool("read", read_only=True),
        tool("put", idempotent=True),
        tool("charge"),
        tool("refund", requires_approval=True),
    ]


async def go_on(
    journal: Journal, world: sqlite3.Connection, run_id: str, runtime: Runtime | None
) -> RunResult:
    """Begin the run or go on with it, and approve whatever waits, until it is over."""
    async with CodeMode(tools_of(world), journal=journal, runtime=runtime) as codemode:
        if await journal.load(run_id) is None:
            result = await codemode.run(SCRIPT, run_id=run_id)
        else:
            result = await codemode.resume(run_id)
        while result.status == "paused":
            decisions = {pending.id: Approve() for pending in result.pending}
            result = await codemode.resume(run_id, decisions)
        return result


def child(command: dict[str, Any]) -> None:
    journal = SQLiteJournal(command["journal"])
    runtime = InlineRuntime() if command["inline"] else None
    world = open_world(command["world"])
    result = asyncio.run(go_on(journal, world, command["run_id"], runtime))
    done = Path(command["result"])
    done.with_suffix(".part").write_text(result.to_json())
    done.with_suffix(".part").replace(done)


def main() -> None:
    for line in sys.stdin:
        command: dict[str, Any] = json.loads(line)
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            try:
                child(command)
            except BaseException as error:
                print(repr(error), file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        if command["kill_after"] is not None:
            time.sleep(command["kill_after"])
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        print(json.dumps({"code": code, "seconds": time.monotonic() - began}), flush=True)


if __name__ == "__main__":
    main()
