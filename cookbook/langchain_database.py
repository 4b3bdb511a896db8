"""Analyse a database with one script instead of a query at a time.

The agent has two small tools. The model writes one script that looks at the tables, runs several
queries side by side, and joins and rounds in code; only the answer comes back to it.

    python cookbook/langchain_database.py            # a scripted model, offline
    ANTHROPIC_API_KEY=... python cookbook/langchain_database.py

Needs: pip install "toolscript[langchain]" (and langchain-anthropic or langchain-openai)
"""

from __future__ import annotations

import os
import sqlite3
from typing import Any

from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from toolscript import CodeModeTool

QUESTION = "Which region grew most from January to February, and by how much?"

database = sqlite3.connect(":memory:", check_same_thread=False)
database.row_factory = sqlite3.Row
database.executescript(
    """
    create table sales (region text, month text, euros real);
    insert into sales values
      ('north', '2026-01', 1200), ('north', '2026-02', 1500),
      ('south', '2026-01', 900),  ('south', '2026-02', 1400),
      ('east',  '2026-01', 2000), ('east',  '2026-02', 1900);
    """
)


@tool
def list_tables() -> list[str]:
    """Names of the tables with their columns, as SQL."""
    rows = database.execute("select sql from sqlite_master where type = 'table'")
    return [row["sql"] for row in rows]


@tool
def query(sql: str) -> list[dict[str, Any]]:
    """Run one SELECT and get its rows."""
    if not sql.lstrip().lower().startswith("select"):
        raise ValueError("only SELECT is allowed")
    return [dict(row) for row in database.execute(sql)]


class Scripted(BaseChatModel):
    """Plays the model where no key is set."""

    replies: list[AIMessage]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        turn = sum(isinstance(message, AIMessage) for message in messages)
        reply = self.replies[turn].model_copy(update={"id": None})
        return ChatResult(generations=[ChatGeneration(message=reply)])


def model(*replies: AIMessage) -> BaseChatModel:
    if os.environ.get("ANTHROPIC_API_KEY"):
        return init_chat_model("anthropic:claude-sonnet-4-5")
    if os.environ.get("OPENAI_API_KEY"):
        return init_chat_model("openai:gpt-5")
    return Scripted(replies=list(replies))


def script(code: str) -> AIMessage:
    call = {"name": "run_code", "args": {"code": code}, "id": "call_1", "type": "tool_call"}
    return AIMessage(content="", tool_calls=[call])


def main() -> None:
    agent = create_agent(
        model(
            script(
                """
                const month = (m: string) => tools.query({
                  sql: `select region, sum(euros) as euros from sales where month = '${m}' group by 1`,
                });
                const [before, after] = await Promise.all([month("2026-01"), month("2026-02")]);
                const was = new Map(before.map((row) => [row.region, Number(row.euros)]));
                return after
                  .map((row) => ({ region: row.region, growth: Number(row.euros) / was.get(row.region) - 1 }))
                  .sort((a, b) => b.growth - a.growth)[0];
                """
            ),
            AIMessage("The south grew most, by 56 %."),
        ),
        tools=[CodeModeTool([list_tables, query])],
    )
    result = agent.invoke({"messages": [("user", QUESTION)]})
    for message in result["messages"]:
        message.pretty_print()


if __name__ == "__main__":
    main()
