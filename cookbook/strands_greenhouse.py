"""Strands: one script waters a greenhouse, and a hook of yours stops it where a person must look.

`CodeModePlugin` puts the agent's tools behind one tool that runs scripts. Hooks see each call that
a script makes, so a gate that was written for single calls works unchanged: here it interrupts the
agent for large amounts of water. Answering goes on in the middle of the script.

    python cookbook/strands_greenhouse.py            # a scripted model, offline
    ANTHROPIC_API_KEY=... python cookbook/strands_greenhouse.py

Needs: pip install "toolscript[strands]" (and strands-agents[anthropic])
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any, TypedDict

from strands import Agent, ToolContext, tool
from strands.hooks import BeforeToolCallEvent
from strands.models import Model

from toolscript_adapters.strands import CodeModePlugin

QUESTION = "Water everything that is dry."


class Bed(TypedDict):
    name: str
    moisture: float
    square_meters: float


BEDS: list[Bed] = [
    {"name": "herbs", "moisture": 0.2, "square_meters": 2},
    {"name": "tomatoes", "moisture": 0.6, "square_meters": 8},
    {"name": "melons", "moisture": 0.1, "square_meters": 20},
]


@tool
def list_beds() -> list[Bed]:
    """All beds; moisture is between 0 and 1."""
    print("  (the beds are measured)")
    return BEDS


@tool(context=True)
def water(bed: str, liters: float, tool_context: ToolContext[Any]) -> str:
    """Water a bed.

    Args:
        bed: name of the bed
        liters: how much
    """
    print(f"  ({liters:g} liters for the {bed}, for {tool_context.invocation_state['gardener']})")
    return f"{bed}: {liters:g} liters"


def gate(event: BeforeToolCallEvent[Any]) -> None:
    """A person has to agree to more than 50 liters."""
    asked = event.tool_use["input"]
    much = event.tool_use["name"] == "water" and asked["liters"] > 50
    if much and event.interrupt("much water", reason=asked) != "y":
        event.cancel_tool = f"the {asked['bed']} are watered by hand"


SCRIPT = """
const dry = (await tools.list_beds()).filter((bed) => bed.moisture < 0.3);
const done = [];
for (const bed of dry) {
  const liters = bed.square_meters * 5;
  done.push(await tools.water({ bed: bed.name, liters }).catch((error) => error.message));
}
return done;
"""


class Scripted(Model):
    """Plays the model where no key is set."""

    def update_config(self, **config: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        yield {"messageStart": {"role": "assistant"}}
        if len(messages) == 1:
            use = {"toolUseId": "use_1", "name": "run_code"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {
                "contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps({"code": SCRIPT})}}}
            }
        else:
            answer = messages[-1]["content"][0]["toolResult"]["content"][0]["text"]
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": f"Done: {answer}"}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if len(messages) == 1 else "end_turn"}}


def model() -> Model:
    if os.environ.get("ANTHROPIC_API_KEY"):
        from strands.models.anthropic import AnthropicModel

        return AnthropicModel(model_id="claude-sonnet-4-5", max_tokens=4000)
    return Scripted()


def decide(asked: dict[str, Any]) -> str:
    """A person's answer; where nobody sits at a terminal, it is a no."""
    print(f"May I give {asked['liters']:g} liters to the {asked['bed']}?")
    return input("  [y]es or [n]o: ")[:1] if sys.stdin.isatty() else "n"


async def main() -> None:
    agent = Agent(
        model=model(),
        tools=[list_beds, water],
        plugins=[CodeModePlugin()],
        callback_handler=None,
    )
    agent.add_hook(gate, BeforeToolCallEvent)
    state = {"gardener": "Gil"}
    result = await agent.invoke_async(QUESTION, invocation_state=state)
    while result.stop_reason == "interrupt":
        answers: Any = [
            {"interruptResponse": {"interruptId": asked.id, "response": decide(asked.reason)}}
            for asked in result.interrupts or ()
        ]
        result = await agent.invoke_async(answers, invocation_state=state)
    print(str(result).strip())


if __name__ == "__main__":
    asyncio.run(main())
