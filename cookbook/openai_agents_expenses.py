"""An OpenAI agent that settles expenses in one script and pauses before it pays.

The agent's own interruptions hold the payments that wait. The script goes on behind them when a
person has decided; the receipts that it read already are not read again.

    python cookbook/openai_agents_expenses.py                # the SDK's scripted model, offline
    OPENAI_API_KEY=... python cookbook/openai_agents_expenses.py

Needs: pip install "toolscript[openai-agents]"
"""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from agents import Agent, RunContextWrapper, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call
from pydantic import BaseModel

from toolscript_adapters.openai_agents import code_tool

QUESTION = "Pay back what is open and within the rules, and tell me what you left."


class Receipt(BaseModel):
    id: str
    person: str
    euros: float
    kind: str


RECEIPTS = [
    Receipt(id="R1", person="Ada", euros=42.0, kind="train"),
    Receipt(id="R2", person="Bob", euros=310.0, kind="hotel"),
    Receipt(id="R3", person="Ada", euros=9.5, kind="bar"),
]


@function_tool
def list_receipts() -> list[Receipt]:
    """Receipts that are still open."""
    return RECEIPTS


@function_tool
def allowed_kinds(context: RunContextWrapper[dict[str, str]]) -> list[str]:
    """Kinds of expenses that the company pays back."""
    return {"acme": ["train", "hotel"]}[context.context["company"]]


@function_tool(needs_approval=True)
def pay_back(receipt_id: str, euros: float) -> str:
    """Pay a receipt back.

    Args:
        receipt_id: which one
        euros: how much
    """
    return f"{receipt_id}: {euros:g} euros paid"


SCRIPT = """
const [receipts, kinds] = await Promise.all([tools.list_receipts(), tools.allowed_kinds()]);
const due = receipts.filter((receipt) => kinds.includes(receipt.kind));
const paid = await Promise.all(
  due.map((r) =>
    tools.pay_back({ receipt_id: r.id, euros: r.euros }).catch(() => `${r.id}: not approved`),
  ),
);
return { paid, left: receipts.filter((r) => !due.includes(r)).map((r) => `${r.id} (${r.kind})`) };
"""


def model() -> Any:
    if os.environ.get("OPENAI_API_KEY"):
        return "gpt-5"
    set_tracing_disabled(True)
    return ScriptedModel(
        [
            [function_call("run_code", {"code": SCRIPT}, call_id="call_1")],
            [assistant_message("R1 is paid back. R2 was not approved, and a bar is no expense.")],
        ]
    )


async def main() -> None:
    tools = [list_receipts, allowed_kinds, pay_back]
    agent = Agent(name="Expenses", model=model(), tools=[code_tool(tools)])
    result = await Runner.run(agent, QUESTION, context={"company": "acme"})
    while result.interruptions:
        state = result.to_state()
        for item in result.interruptions:
            small = json.loads(item.arguments or "{}")["euros"] < 100
            print(f"approve {item.name}({item.arguments})? {'yes' if small else 'no'}")
            if small:
                state.approve(item)
            else:
                state.reject(item)
        result = await Runner.run(agent, state)
    for item in result.new_items:
        if item.type == "tool_call_output_item":
            print("script:", item.output)
    print(result.final_output)


asyncio.run(main())
