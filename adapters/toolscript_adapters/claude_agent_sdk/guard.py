"""What Claude Code does around a call, for those of a script: hooks, rules, permission, hooks.

In its order: `PreToolUse`, rules that deny, the mode, rules that allow, `can_use_tool`, the tool,
and `PostToolUse` or `PostToolUseFailure`.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from claude_agent_sdk import (
    ClaudeAgentOptions,
    HookContext,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ToolPermissionContext,
)
from claude_agent_sdk.types import HookCallback, HookEvent, HookInput

from toolscript.contract.tool import Tool, ToolContext
from toolscript.errors import ToolError
from toolscript.host.threads import in_thread
from toolscript_adapters.kit import current_session, steer

_HOOK_S: Final = 60.0
"""How long the SDK lets hooks run whose matcher does not say it."""

_log = logging.getLogger("toolscript")


class Interrupted(Exception):
    """A person or a hook ended the script; no script can catch it."""


@dataclass(slots=True)
class CodeCall:
    """One call of the code tool. The SDK tells an in-process tool nothing about it."""


@dataclass(slots=True)
class Guard:
    """Puts nested calls to the hooks and permissions of some options.

    `granted` are rules that a person added by an answer to `can_use_tool`.
    """

    options: ClaudeAgentOptions
    granted: list[str] = field(default_factory=list[str])

    def guarded(self, tool: Tool, full_name: str) -> Tool:
        """The tool, each call of which goes through the guard first."""
        inner = tool.call
        waits = inspect.iscoroutinefunction(inner)

        async def call(args: Any, context: ToolContext) -> Any:
            given = await self._before(full_name, args, context)
            try:
                if waits:
                    value = await inner(given, context)
                else:
                    value = await in_thread(lambda: inner(given, context))
            except Exception as error:
                await self._after_failure(full_name, given, context, error)
                raise
            return await self._after(full_name, given, context, value)

        return replace(tool, call=call)

    async def _before(self, name: str, args: Any, call: ToolContext) -> Any:
        id = current_session(CodeCall).id_of(call)
        allowed = False
        asked: str | None = None
        for said in await self._hooks("PreToolUse", name, args, id, {}):
            _check_goes_on(said, call)
            specific = said.get("hookSpecificOutput", {})
            decision = specific.get("permissionDecision")
            if decision in ("deny", "defer") or said.get("decision") == "block":
                reason = specific.get("permissionDecisionReason") or said.get("reason")
                raise ToolError(reason or f"a hook denied the call of {name}", code="denied")
            allowed = allowed or decision == "allow"
            if decision == "ask":
                asked = specific.get("permissionDecisionReason", "")
            args = specific.get("updatedInput", args)
        if _matches(name, self.options.disallowed_tools):
            raise ToolError(f"{name} is in disallowed_tools", code="denied")
        if asked is None and (allowed or self._is_allowed(name)):
            return args
        return await self._ask(name, args, call, asked)

    def _is_allowed(self, name: str) -> bool:
        options = self.options
        return options.permission_mode == "bypassPermissions" or _matches(
            name, (*options.allowed_tools, *self.granted)
        )

    async def _ask(self, name: str, args: Any, call: ToolContext, reason: str | None) -> Any:
        ask = self.options.can_use_tool
        if ask is None or self.options.permission_mode == "dontAsk":
            raise ToolError(
                f"{name} is not allowed: it is not in allowed_tools, and nobody is asked",
                code="denied",
            )
        answer = await ask(
            name,
            args,
            ToolPermissionContext(
                tool_use_id=current_session(CodeCall).id_of(call), decision_reason=reason
            ),
        )
        if isinstance(answer, PermissionResultDeny):
            if answer.interrupt:
                raise steer(Interrupted(answer.message or f"{name} was denied"), call)
            raise ToolError(answer.message or f"a person denied {name}", code="denied")
        self._remember(answer)
        return args if answer.updated_input is None else answer.updated_input

    def _remember(self, answer: PermissionResultAllow) -> None:
        """Rules of the answer that allow a tool as a whole hold for later calls of scripts."""
        for update in answer.updated_permissions or ():
            if update.type == "addRules" and update.behavior == "allow":
                self.granted += [
                    rule.tool_name for rule in update.rules or () if rule.rule_content is None
                ]

    async def _after(self, name: str, args: Any, call: ToolContext, value: Any) -> Any:
        id = current_session(CodeCall).id_of(call)
        for said in await self._hooks("PostToolUse", name, args, id, {"tool_response": value}):
            _check_goes_on(said, call)
            specific = said.get("hookSpecificOutput", {})
            for word in ("updatedMCPToolOutput", "updatedToolOutput"):
                value = specific.get(word, value)
        return value

    async def _after_failure(
        self, name: str, args: Any, call: ToolContext, error: Exception
    ) -> None:
        id = current_session(CodeCall).id_of(call)
        for said in await self._hooks("PostToolUseFailure", name, args, id, {"error": str(error)}):
            _check_goes_on(said, call)

    async def _hooks(
        self, event: HookEvent, name: str, args: Any, id: str, more: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """What the hooks for this tool said, one after the other."""
        matchers = (self.options.hooks or {}).get(event, [])
        given = {
            "hook_event_name": event,
            "session_id": self.options.session_id or "",
            "transcript_path": "",
            "cwd": str(self.options.cwd or os.getcwd()),
            "permission_mode": self.options.permission_mode or "default",
            "tool_name": name,
            "tool_input": args,
            "tool_use_id": id,
            **more,
        }
        said: list[dict[str, Any]] = []
        for matcher in matchers:
            if matcher.matcher in (None, "", "*") or re.fullmatch(matcher.matcher, name):
                for hook in matcher.hooks:
                    said.append(await _said(hook, matcher, given))
        return said


async def _said(hook: HookCallback, matcher: HookMatcher, given: dict[str, Any]) -> dict[str, Any]:
    """What a hook said; one that fails has no say, unless its matcher wants that to block."""
    id: str = given["tool_use_id"]
    try:
        async with asyncio.timeout(matcher.timeout or _HOOK_S):
            output = await hook(cast("HookInput", given), id, HookContext(signal=None))
    except Exception as error:
        event: str = given["hook_event_name"]
        if getattr(matcher, "on_failure", None) == "block":
            raise ToolError(f"a {event} hook failed: {error}", code="denied") from error
        _log.warning("a %s hook failed and decides nothing: %s", event, type(error).__name__)
        return {}
    return cast("dict[str, Any]", output)


def _check_goes_on(said: dict[str, Any], call: ToolContext) -> None:
    if said.get("continue_", said.get("continue", True)) is False:
        raise steer(Interrupted(said.get("stopReason") or "a hook ended the script"), call)


def _matches(name: str, rules: Sequence[str]) -> bool:
    """Whether a rule names the tool, its server, or all of its server's tools."""
    server = name.rpartition("__")[0]
    return any(
        rule in (name, server) or (rule.endswith("*") and name.startswith(rule[:-1]))
        for rule in rules
    )
