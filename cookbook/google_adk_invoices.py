"""A clerk that pays invoices back from one script, and asks before each larger sum.

The script reads all invoices, leaves most of them alone, and pays two back. The second needs a
confirmation: ADK pauses the session, a person answers, and the script goes on behind that call.

    python cookbook/google_adk_invoices.py                    # a scripted model, offline
    GOOGLE_API_KEY=... python cookbook/google_adk_invoices.py

Needs: pip install "toolscript[google-adk]"
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import FunctionTool, ToolContext
from google.genai import types
from pydantic import BaseModel

from toolscript_adapters.google_adk import CodeModeToolset

QUESTION = "Pay back every invoice that was paid twice."


class Invoice(BaseModel):
    number: str
    amount: float
    times_paid: int


def list_invoices() -> list[Invoice]:
    """All invoices of this year."""
    paid_twice = {"A-2": 40.0, "A-5": 950.0}
    return [
        Invoice(
            number=number,
            amount=paid_twice.get(number, 100.0),
            times_paid=2 if number in paid_twice else 1,
        )
        for number in (f"A-{place}" for place in range(1, 8))
    ]


def pay_back(number: str, amount: float, tool_context: ToolContext) -> str:
    """Pay the amount of an invoice back.

    Args:
        number: of the invoice
        amount: in euros
    """
    tool_context.state["paid_back"] = tool_context.state.get("paid_back", 0) + amount
    return f"{number}: {amount:.0f} paid back"


def is_large(number: str, amount: float, tool_context: ToolContext) -> bool:
    """Asked by ADK with all that the tool itself gets."""
    return amount > 500


class Scripted(BaseLlm):
    """Plays the model where no key is set."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = llm_request.contents[-1].parts or []
        answer = parts[-1].function_response if parts else None
        if answer is None:
            code = """
                const twice = (await tools.list_invoices()).filter((one) => one.times_paid > 1);
                const done = [];
                for (const { number, amount } of twice) {
                    done.push(await tools.pay_back({ number, amount }));
                }
                return done.join("; ");
            """
            part = types.Part.from_function_call(name="run_code", args={"code": code})
        else:
            part = types.Part(text=f"Done. {(answer.response or {})['result']}")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def model() -> Any:
    return "gemini-2.5-flash" if os.environ.get("GOOGLE_API_KEY") else Scripted(model="scripted")


async def main() -> None:
    tools = [list_invoices, FunctionTool(pay_back, require_confirmation=is_large)]
    agent = LlmAgent(name="clerk", model=model(), tools=[CodeModeToolset(tools)])
    runner = InMemoryRunner(agent=agent, app_name="clerk")
    session = await runner.session_service.create_session(app_name="clerk", user_id="ada")
    parts = [types.Part(text=QUESTION)]
    while parts:
        message = types.Content(role="user", parts=parts)
        parts = []
        async for event in runner.run_async(
            user_id="ada", session_id=session.id, new_message=message
        ):
            for part in (event.content.parts if event.content else None) or []:
                if part.text:
                    print(part.text)
            for call in event.get_function_calls():
                if call.name == "adk_request_confirmation":
                    parts.append(confirm(call))


def confirm(request: types.FunctionCall) -> types.Part:
    """What a user interface does: show the calls that wait, and send the answer back."""
    for call in (request.args or {})["toolConfirmation"]["payload"]["calls"]:
        print(f"Allow {call['tool']} {call['args']}? Yes.")
    return types.Part(
        function_response=types.FunctionResponse(
            id=request.id, name=request.name, response={"confirmed": True}
        )
    )


if __name__ == "__main__":
    asyncio.run(main())
