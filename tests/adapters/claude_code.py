"""A stand-in for Claude Code: the transport of the SDK, which plays the CLI's side.

The SDK's own side is real: client, control protocol, in-process MCP server, hooks, `can_use_tool`.
What the bundled CLI decides by itself (settings files, modes) is not tested with it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from claude_agent_sdk import Transport


class ClaudeCode(Transport):
    """Calls the code tool with one script after the other, and then says "done"."""

    def __init__(self, server: str, tool: str, calls: Sequence[dict[str, Any]]):
        self._name = f"mcp__{server}__{tool}"
        self._server = server
        self._tool = tool
        self._calls = list(calls)
        self._lines: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._turn: asyncio.Task[None] | None = None
        self._count = 0
        self.tools: list[Any] = []
        self.results: list[Any] = []

    async def connect(self) -> None:
        return

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None:
        return

    async def close(self) -> None:
        if self._turn is not None:
            self._turn.cancel()
        await self._lines.put(None)

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while (line := await self._lines.get()) is not None:
            yield line

    async def write(self, data: str) -> None:
        for line in data.splitlines():
            message = json.loads(line)
            if message["type"] == "control_request":
                done = {
                    "subtype": "success",
                    "request_id": message["request_id"],
                    "response": {"hook_on_failure_supported": True},
                }
                await self._lines.put({"type": "control_response", "response": done})
            elif message["type"] == "control_response":
                self._waiting[message["response"]["request_id"]].set_result(message["response"])
            elif message["type"] == "user":
                self._turn = asyncio.create_task(self._play())

    async def _play(self) -> None:
        await self._mcp(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "stand-in", "version": "1"},
            },
        )
        await self._mcp("notifications/initialized", {}, answered=False)
        self.tools = (await self._mcp("tools/list", {}))["result"]["tools"]
        for place, arguments in enumerate(self._calls):
            asked = {
                "subtype": "can_use_tool",
                "tool_name": self._name,
                "input": arguments,
                "permission_suggestions": [],
                "tool_use_id": f"toolu_{place}",
            }
            allowed = await self._ask(asked)
            if allowed["response"]["behavior"] == "allow":
                called = await self._mcp("tools/call", {"name": self._tool, "arguments": arguments})
                self.results.append(called["result"])
        said = {"role": "assistant", "model": "x", "content": [{"type": "text", "text": "done"}]}
        await self._lines.put(
            {"type": "assistant", "message": said, "session_id": "s", "parent_tool_use_id": None}
        )
        await self._lines.put(
            {
                "type": "result",
                "subtype": "success",
                "duration_ms": 1,
                "duration_api_ms": 1,
                "is_error": False,
                "num_turns": 1,
                "session_id": "s",
                "result": "done",
                "total_cost_usd": 0,
            }
        )

    async def _ask(self, request: dict[str, Any]) -> Any:
        self._count += 1
        id = f"cli_{self._count}"
        self._waiting[id] = asyncio.get_running_loop().create_future()
        await self._lines.put({"type": "control_request", "request_id": id, "request": request})
        return await self._waiting[id]

    async def _mcp(self, method: str, params: dict[str, Any], *, answered: bool = True) -> Any:
        self._count += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if answered:
            message["id"] = self._count
        request = {"subtype": "mcp_message", "server_name": self._server, "message": message}
        response = await self._ask(request)
        return response.get("response", {}).get("mcp_response", {})
