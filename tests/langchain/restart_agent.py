"""One step of an agent in a process of its own: `python -m tests.langchain.restart_agent`.

Arguments: the checkpointer's file, the file that notes effects, the step, an answer.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, interrupt

from tests.langchain.model import code, done, scripted
from toolscript import CodeModeTool

SCRIPT = """
const now = Date.now(), dice = Math.random();
const stock = await tools.count({ item: "nut" });
const [first, second] = await Promise.all([
  tools.order({ item: "nut", amount: 10 - stock }),
  tools.order({ item: "bolt", amount: 1 }),
]);
return { stock, first, second, same: now === Date.now() || Date.now() > now, dice };
"""


def main(database: str, effects: str, step: str, answer: str = "") -> None:
    def note(line: str) -> None:
        with Path(effects).open("a") as file:
            file.write(line + "\n")

    @tool
    def count(item: str) -> int:
        """Count what is there."""
        note(f"count {item}")
        return 4

    @tool
    def order(item: str, amount: int) -> str:
        """Order more, if a person agrees."""
        said = interrupt({"item": item, "amount": amount})
        note(f"order {item} {amount} {said}")
        if said == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return f"{item}: {said}"

    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    with SqliteSaver.from_conn_string(database) as saver:
        agent = create_agent(
            scripted(code(SCRIPT), done()), tools=[CodeModeTool([count, order])], checkpointer=saver
        )
        given: Any = {"start": {"messages": [("user", "go")]}, "again": None}.get(
            step, Command(resume=json.loads(answer) if answer else None)
        )
        result = agent.invoke(given, config)
    asked = {one.value["item"]: one.id for one in result.get("__interrupt__", ())}
    said = [m for m in result["messages"] if m.type == "tool"]
    print(json.dumps({"asked": asked, "said": [[m.status, m.content] for m in said]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
