"""Support requests sorted in one script, under the permissions of Claude Code.

Reading is allowed as a whole. Each answer to a customer is put to `can_use_tool`, as it would be
if the model had called the tool itself: a person sees it, and denies one.

    python cookbook/claude_agent_support.py          # a stand-in for Claude Code, offline
    ANTHROPIC_API_KEY=... python cookbook/claude_agent_support.py

Needs: pip install "toolscript[claude-agent-sdk]"
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResult,
    PermissionResultAllow,
    PermissionResultDeny,
    TextBlock,
    ToolPermissionContext,
    Transport,
    tool,
)
from pydantic import BaseModel

from toolscript_adapters.claude_agent_sdk import with_code_tool

QUESTION = "Answer the requests about parcels; leave the rest to us."


class Request(BaseModel):
    number: int
    customer: str
    about: str


def list_requests() -> list[Request]:
    """All open requests."""
    subjects = ["parcel", "invoice", "parcel", "job", "parcel"]
    names = ["Ada", "Bob", "Cleo", "Dan", "Eve"]
    return [
        Request(number=place, customer=name, about=about)
        for place, (name, about) in enumerate(zip(names, subjects, strict=True), 1)
    ]


@tool("find_parcel", "Tell where the parcel of a request is.", {"number": int})
async def find_parcel(args: dict[str, Any]) -> dict[str, Any]:
    where = {"number": args["number"], "place": "lost" if args["number"] == 5 else "on the road"}
    return {"content": [{"type": "text", "text": json.dumps(where)}]}


@tool("answer", "Answer a request.", {"number": int, "text": str})
async def answer(args: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": f"request {args['number']} answered"}]}


async def ask(name: str, args: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
    """What a user interface does: show the call, and give the answer."""
    if name == "mcp__code__run_code":
        return PermissionResultAllow()
    allowed = "lost" not in args["text"]
    print(f"{name} {args['text']!r}: {'yes' if allowed else 'no'}")
    return PermissionResultAllow() if allowed else PermissionResultDeny(message="I call her")


SCRIPT = """
    const open = (await support.list_requests()).filter((one) => one.about === "parcel");
    const done: string[] = [];
    for (const { number, customer } of open) {
        const { place } = await support.find_parcel({ number });
        const text = `Dear ${customer}, your parcel is ${place}.`;
        const said = await support.answer({ number, text }).catch((error) => error.message);
        done.push(`${customer}: ${said}`);
    }
    return done.join("; ");
"""


async def main() -> None:
    options = with_code_tool(
        ClaudeAgentOptions(
            allowed_tools=["mcp__support__list_requests", "mcp__support__find_parcel"],
            can_use_tool=ask,
        ),
        {"support": [list_requests, find_parcel, answer]},
    )
    cli = None if os.environ.get("ANTHROPIC_API_KEY") else StandIn()
    async with ClaudeSDKClient(options, transport=cli) as client:
        await client.query(QUESTION)
        async for message in client.receive_response():
            if isinstance(message, AssistantMessage):
                for block in message.content:
                    if isinstance(block, TextBlock):
                        print(block.text)


class StandIn(Transport):
    """Plays Claude Code where no key is set: asks for permission, calls the tool, tells the end."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._waiting: dict[str, asyncio.Future[Any]] = {}

    async def connect(self) -> None:
        return

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None:
        return

    async def close(self) -> None:
        await self._lines.put(None)

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while (line := await self._lines.get()) is not None:
            yield line

    async def write(self, data: str) -> None:
        message = json.loads(data)
        if message["type"] == "control_request":
            done = {"subtype": "success", "request_id": message["request_id"], "response": {}}
            await self._lines.put({"type": "control_response", "response": done})
        elif message["type"] == "control_response":
            response = message["response"]
            self._waiting[response["request_id"]].set_result(response.get("response", {}))
        else:
            self._turn = asyncio.create_task(self._play())

    async def _play(self) -> None:
        client = {"protocolVersion": "2025-06-18", "capabilities": {}}
        await self._mcp("initialize", {**client, "clientInfo": {"name": "x", "version": "1"}})
        call = {"name": "run_code", "arguments": {"code": SCRIPT}}
        await self._ask(
            {
                "subtype": "can_use_tool",
                "tool_name": "mcp__code__run_code",
                "input": call["arguments"],
                "permission_suggestions": [],
                "tool_use_id": "toolu_1",
            }
        )
        result = (await self._mcp("tools/call", call))["mcp_response"]["result"]
        text = {"type": "text", "text": result["content"][0]["text"]}
        said = {"role": "assistant", "model": "stand-in", "content": [text]}
        both = {"session_id": "s", "parent_tool_use_id": None}
        await self._lines.put({"type": "assistant", "message": said, **both})
        end = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, **both}
        await self._lines.put({**end, "duration_ms": 1, "duration_api_ms": 1})

    async def _ask(self, request: dict[str, Any]) -> Any:
        id = f"ask_{len(self._waiting)}"
        self._waiting[id] = asyncio.get_running_loop().create_future()
        await self._lines.put({"type": "control_request", "request_id": id, "request": request})
        return await self._waiting[id]

    async def _mcp(self, method: str, params: dict[str, Any]) -> Any:
        id = len(self._waiting)
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        asked = {"subtype": "mcp_message", "server_name": "code", "message": message}
        return await self._ask(asked)


if __name__ == "__main__":
    asyncio.run(main())
