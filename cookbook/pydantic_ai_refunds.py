"""PydanticAI: one script looks at all complaints, and a person approves what it wants to pay back.

The agent's tools stay as they are; `CodeModeCapability` puts them behind one tool that runs
scripts. Dependencies reach them as ever. The refund needs an approval: the run of the agent ends
with `DeferredToolRequests` in the middle of the script, and the next run goes on from there.

    python cookbook/pydantic_ai_refunds.py            # a scripted model, offline
    ANTHROPIC_API_KEY=... python cookbook/pydantic_ai_refunds.py

Needs: pip install "toolscript[pydantic-ai]" (and pydantic-ai-slim[anthropic] or [openai])
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass, field

from pydantic import BaseModel
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import DeferredToolRequests, ToolApproved, ToolDenied

from toolscript_adapters.pydantic_ai import (
    CodeModeCapability,
    NestedCall,
    nested_calls,
    nested_results,
)

QUESTION = "Pay back what customers with a broken delivery paid."


class Complaint(BaseModel):
    order: str
    customer: str
    about: str


@dataclass
class Desk:
    """What the agent's tools work with."""

    clerk: str
    paid: dict[str, float]
    refunds: list[str] = field(default_factory=list[str])


COMPLAINTS = [
    Complaint(order="B-1", customer="Ada", about="the vase came broken"),
    Complaint(order="B-2", customer="Bert", about="where is my parcel?"),
    Complaint(order="B-3", customer="Cleo", about="a broken clock"),
]


def list_complaints() -> list[Complaint]:
    """All open complaints."""
    print("  (the complaints are read)")
    return COMPLAINTS


def amount_paid(context: RunContext[Desk], order: str) -> float:
    """What was paid for an order, in euros."""
    return context.deps.paid[order]


def refund(context: RunContext[Desk], order: str, euros: float) -> str:
    """Pay money back."""
    context.deps.refunds.append(f"{euros:g} for {order}, by {context.deps.clerk}")
    return f"paid back {euros:g}"


SCRIPT = """
const broken = (await tools.list_complaints()).filter((one) => /broken/.test(one.about));
return await Promise.all(
  broken.map(async ({ order, customer }) => {
    const euros = await tools.amount_paid({ order });
    const said = await tools.refund({ order, euros }).catch((error) => error.message);
    return `${customer}: ${said}`;
  }),
);
"""


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Plays the model where no key is set."""
    if any(isinstance(message, ModelResponse) for message in messages):
        return ModelResponse([TextPart("Everybody with a broken delivery has an answer.")])
    return ModelResponse([ToolCallPart("run_code", {"code": SCRIPT})])


def model() -> Model | str:
    if os.environ.get("ANTHROPIC_API_KEY"):
        return "anthropic:claude-sonnet-4-5"
    if os.environ.get("OPENAI_API_KEY"):
        return "openai:gpt-5"
    return FunctionModel(scripted)


def decide(call: NestedCall) -> bool | ToolApproved | ToolDenied:
    """A person's answer; where nobody sits at a terminal, large amounts are cut to 100."""
    print(f"May I {call.tool_name} {call.args}?")
    if sys.stdin.isatty():
        return input("  [y]es or [n]o: ").startswith("y") or ToolDenied("the clerk said no")
    if call.args["euros"] <= 100:
        return True
    return ToolApproved(override_args={**call.args, "euros": 100})


async def main() -> None:
    agent = Agent(
        model(),
        deps_type=Desk,
        output_type=[str, DeferredToolRequests],
        capabilities=[CodeModeCapability()],
    )
    agent.tool_plain(list_complaints)
    agent.tool(amount_paid)
    agent.tool(requires_approval=True)(refund)

    desk = Desk(clerk="Dora", paid={"B-1": 30, "B-2": 12, "B-3": 450})
    result = await agent.run(QUESTION, deps=desk)
    while isinstance(result.output, DeferredToolRequests):
        decisions = {call.id: decide(call) for call in nested_calls(result.output)}
        result = await agent.run(
            deps=desk,
            message_history=result.all_messages(),
            deferred_tool_results=nested_results(result.output, decisions),
        )
    print(result.output)
    for line in desk.refunds:
        print(f"- {line}")


if __name__ == "__main__":
    asyncio.run(main())
