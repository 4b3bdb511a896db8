"""Claude Agent SDK: its client and in-process server as they are, with a stand-in for the CLI."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    PermissionUpdate,
    SdkMcpTool,
    ToolPermissionContext,
    tool,
)
from claude_agent_sdk.types import PermissionRuleValue
from pydantic_core import to_json

from tests.adapters.claude_code import ClaudeCode
from toolscript import ConfigurationError, ToolOptions, tool_from
from toolscript.testing.adapters import (
    AdapterConformance,
    Answer,
    Conversation,
    Decide,
    allow,
)
from toolscript.testing.shop import Shop
from toolscript_adapters.claude_agent_sdk import tool_from_claude, with_code_tool

pytestmark = pytest.mark.filterwarnings("ignore:can_use_tool will not be invoked")

ALL = ["mcp__code"]


def sdk_tool(function: Callable[..., Any], **more: Any) -> Any:
    """A function as one would write it for the SDK: its result is text, or JSON in a text."""
    plain = tool_from(function)

    async def handler(args: dict[str, Any]) -> dict[str, Any]:
        returned = function(**args)
        value = await returned if inspect.isawaitable(returned) else returned
        text = value if isinstance(value, str) else to_json(value).decode()
        return {"content": [{"type": "text", "text": text}]}

    own = SdkMcpTool[Any](plain.name, plain.description, dict(plain.input_schema), handler)
    output_schema = None if plain.output_schema == {"type": "string"} else plain.output_schema
    return tool_from_claude(own, output_schema=output_schema)


async def talk_with(
    options: ClaudeAgentOptions, scripts: Sequence[str], name: str = "run_code"
) -> tuple[ClaudeCode, list[Any]]:
    cli = ClaudeCode("code", name, [{"code": script} for script in scripts])
    async with ClaudeSDKClient(options, transport=cli) as client:
        await client.query("hi")
        messages = [message async for message in client.receive_response()]
    return cli, messages


class TestServer(AdapterConformance):
    framework = "Claude Agent SDK"
    package = "toolscript_adapters.claude_agent_sdk"
    lacks = frozenset({"context", "receipt of an approval"})

    async def converse(
        self,
        shop: Shop,
        scripts: Sequence[str],
        *,
        approvals: bool = False,
        decide: Decide = allow,
        **options: Any,
    ) -> Conversation:
        conversation = Conversation()

        async def person(name: str, args: dict[str, Any], context: ToolPermissionContext) -> Any:
            own = name.rpartition("__")[2]
            if own == "refund":
                conversation.asked.append((own, args))
                return (
                    PermissionResultAllow()
                    if decide(own, args)
                    else PermissionResultDeny(message="no")
                )
            return PermissionResultAllow()

        async def hook(given: Any, tool_use_id: str | None, context: Any) -> Any:
            conversation.hooked.append(given["tool_name"].rpartition("__")[2])
            return {}

        tools = [sdk_tool(one) for one in shop.functions()]
        asks = approvals and "approve" not in options
        if approvals and not asks:
            tools = [
                tool_from(one, options=ToolOptions(requires_approval=one.name == "refund"))
                for one in tools
            ]
        own = ClaudeAgentOptions(
            allowed_tools=[f"mcp__code__{one.name}" for one in tools if one.name != "refund"]
            if asks
            else ALL,
            can_use_tool=person,
            hooks={"PostToolUse": [HookMatcher(hooks=[hook])]},
        )
        made = with_code_tool(own, tools, **options)
        cli, messages = await talk_with(made, scripts, options.get("name", "run_code"))
        conversation.shown = [one["name"] for one in cli.tools]
        conversation.declared = cli.tools[0]["description"]
        conversation.answers = [
            Answer(one["content"][0]["text"], one.get("isError", False)) for one in cli.results
        ]
        (said,) = [one for one in messages if isinstance(one, AssistantMessage)]
        conversation.final = said.content[0].text
        return conversation


async def answer_of(script: str, tools: Any, **own: Any) -> str:
    """What the model reads of one script, under these options."""
    cli, _ = await talk_with(with_code_tool(options_of(**own), tools), [script])
    (result,) = cli.results
    return result["content"][0]["text"]


def options_of(**own: Any) -> ClaudeAgentOptions:
    async def only_the_code_tool(name: str, args: Any, context: ToolPermissionContext) -> Any:
        if name == "mcp__code__run_code":
            return PermissionResultAllow()
        return PermissionResultDeny(message=f"nobody allows {name}")

    return ClaudeAgentOptions(**{"can_use_tool": only_the_code_tool, **own})


REFUND = "return await tools.refund({ order_id: 1 }).catch((e) => `${e.code}: ${e.message}`);"


def shop_tools(shop: Shop) -> list[Any]:
    return [sdk_tool(one) for one in shop.functions()]


async def test_a_nested_call_needs_the_permission_of_a_direct_one() -> None:
    shop = Shop()
    denied = await answer_of(REFUND, shop_tools(shop))
    assert denied == "denied: nobody allows mcp__code__refund"
    assert not shop.effects
    for rule in ("mcp__code__refund", "mcp__code", "mcp__code__*"):
        assert await answer_of(REFUND, shop_tools(shop), allowed_tools=[rule]) == "refunded 1"
    mode = await answer_of(REFUND, shop_tools(shop), permission_mode="bypassPermissions")
    assert mode == "refunded 1"


async def test_what_is_disallowed_is_denied_whatever_else_is_said() -> None:
    shop = Shop()
    text = await answer_of(
        REFUND,
        shop_tools(shop),
        permission_mode="bypassPermissions",
        disallowed_tools=["mcp__code__refund"],
    )
    assert text.startswith("denied: mcp__code__refund is in disallowed_tools")
    assert not shop.effects


async def test_namespaces_are_the_servers_of_their_tools() -> None:
    shop = Shop()
    script = REFUND.replace("tools.refund", "shop.refund")
    text = await answer_of(script, {"shop": shop_tools(shop)}, allowed_tools=["mcp__shop"])
    assert text == "refunded 1"


async def test_a_person_may_change_arguments_and_allow_for_later() -> None:
    shop = Shop()
    asked: list[Any] = []

    async def person(name: str, args: Any, context: ToolPermissionContext) -> Any:
        if name == "mcp__code__run_code":
            return PermissionResultAllow()
        asked.append(args)
        assert context.tool_use_id
        rule = PermissionUpdate("addRules", [PermissionRuleValue(name)], "allow")
        return PermissionResultAllow(updated_input={"order_id": 7}, updated_permissions=[rule])

    script = "for (const order_id of [1, 2]) await tools.refund({ order_id }); return 'all';"
    assert await answer_of(script, shop_tools(shop), can_use_tool=person) == "all"
    assert asked == [{"order_id": 1}]
    assert shop.effects == ["refund 7", "refund 2"]


async def test_a_person_may_end_the_script() -> None:
    shop = Shop()

    async def person(name: str, args: Any, context: ToolPermissionContext) -> Any:
        if name == "mcp__code__run_code":
            return PermissionResultAllow()
        return PermissionResultDeny(message="enough of this", interrupt=True)

    script = """
        try { await tools.refund({ order_id: 1 }); } catch { await tools.note({ text: "x" }); }
        return "went on";
    """
    assert await answer_of(script, shop_tools(shop), can_use_tool=person) == "enough of this"
    assert not shop.effects


def hooks(event: str, output: dict[str, Any], matcher: str | None = None) -> Any:
    seen: list[Any] = []

    async def hook(given: Any, tool_use_id: str | None, context: Any) -> Any:
        seen.append(given)
        return output

    return {event: [HookMatcher(matcher=matcher, hooks=[hook])]}, seen


async def test_a_hook_before_a_call_denies_allows_and_changes_it() -> None:
    shop = Shop()

    async def answer(decision: str, **more: Any) -> str:
        specific = {"hookEventName": "PreToolUse", "permissionDecision": decision, **more}
        given, _ = hooks("PreToolUse", {"hookSpecificOutput": specific}, "mcp__code__ref.*")
        return await answer_of(REFUND, shop_tools(shop), hooks=given)

    assert await answer("deny", permissionDecisionReason="never") == "denied: never"
    assert await answer("ask") == "denied: nobody allows mcp__code__refund"
    assert not shop.effects
    assert await answer("allow", updatedInput={"order_id": 5}) == "refunded 5"


async def test_hooks_after_a_call_see_and_change_what_it_returned() -> None:
    specific = {"hookEventName": "PostToolUse", "updatedToolOutput": "hidden"}
    given, seen = hooks("PostToolUse", {"hookSpecificOutput": specific})
    text = await answer_of(REFUND, shop_tools(Shop()), hooks=given, allowed_tools=ALL)
    assert text == "hidden"
    (one,) = seen
    assert (one["tool_name"], one["tool_input"]) == ("mcp__code__refund", {"order_id": 1})
    assert one["tool_response"] == "refunded 1"


async def test_hooks_hear_of_failures() -> None:
    given, seen = hooks("PostToolUseFailure", {})
    script = "return await tools.get_order({ order_id: -1 }).catch(() => 'failed');"
    text = await answer_of(script, shop_tools(Shop()), hooks=given, allowed_tools=ALL)
    assert text == "failed"
    assert "there is no order -1" in seen[0]["error"]


async def test_a_hook_may_end_the_script() -> None:
    shop = Shop()
    given, _ = hooks("PreToolUse", {"continue_": False, "stopReason": "stop here"})
    text = await answer_of(REFUND, shop_tools(shop), hooks=given, allowed_tools=ALL)
    assert text == "stop here"
    assert not shop.effects


async def test_a_hook_that_denies_is_heard_whatever_another_one_asks() -> None:
    shop = Shop()

    async def say(decision: str) -> Any:
        return {"hookSpecificOutput": {"permissionDecision": decision}}

    async def ask(given: Any, tool_use_id: str | None, context: Any) -> Any:
        return await say("ask")

    async def deny(given: Any, tool_use_id: str | None, context: Any) -> Any:
        return await say("deny")

    given = {"PreToolUse": [HookMatcher(hooks=[ask, deny])]}
    text = await answer_of(REFUND, shop_tools(shop), hooks=given, allowed_tools=ALL)
    assert text == "denied: a hook denied the call of mcp__code__refund"
    assert not shop.effects


async def test_a_hook_that_fails_decides_nothing_unless_it_shall_block() -> None:
    async def broken(given: Any, tool_use_id: str | None, context: Any) -> Any:
        raise RuntimeError("out of order")

    async def answer(**more: Any) -> str:
        given = {"PreToolUse": [HookMatcher(hooks=[broken], **more)]}
        return await answer_of(REFUND, shop_tools(Shop()), hooks=given, allowed_tools=ALL)

    assert await answer() == "refunded 1"
    assert await answer(on_failure="block") == "denied: a PreToolUse hook failed: out of order"


async def test_functions_that_block_hold_up_nobody() -> None:
    both = threading.Barrier(2, timeout=60)

    def meet(name: str) -> str:
        """Wait for the other one."""
        both.wait()
        return name

    script = """
        const names = ["a", "b"].map((name) => tools.meet({ name }));
        return (await Promise.all(names)).join("");
    """
    assert await answer_of(script, [meet], allowed_tools=ALL) == "ab"


async def test_tools_of_the_sdk_s_decorator_are_values_with_errors() -> None:
    @tool("divide", "Divide two numbers", {"a": float, "b": float})
    async def divide(args: dict[str, Any]) -> dict[str, Any]:
        if args["b"] == 0:
            return {"content": [{"type": "text", "text": "by zero"}], "is_error": True}
        text = json.dumps({"quotient": args["a"] / args["b"]})
        return {"content": [{"type": "text", "text": text}]}

    script = """
        const good = (await tools.divide({ a: 6, b: 3 })).quotient;
        const bad = await tools.divide({ a: 6, b: 0 }).catch((error) => error.message);
        const wrong = await tools.divide({ a: 6 }).catch((error) => error.code);
        return [good, bad, wrong];
    """
    text = await answer_of(script, [divide], allowed_tools=ALL)
    assert text == '[2,"by zero","invalid_args"]'


async def test_pictures_of_scripts_reach_the_model() -> None:
    script = 'image("iVBORw0KGgo=", "image/png"); return "see";'
    cli, _ = await talk_with(with_code_tool(options_of(), shop_tools(Shop())), [script])
    kinds = [block["type"] for block in cli.results[0]["content"]]
    assert kinds == ["text", "image"]


def test_a_name_that_is_taken_is_refused() -> None:
    options = with_code_tool(ClaudeAgentOptions(), shop_tools(Shop()))
    with pytest.raises(ConfigurationError, match="there is a server 'code' already"):
        with_code_tool(options, shop_tools(Shop()))
    again = with_code_tool(options, shop_tools(Shop()), server="more")
    assert isinstance(again.mcp_servers, dict)
    assert set(again.mcp_servers) == {"code", "more"}


def test_an_approval_of_toolscript_s_own_needs_a_function() -> None:
    refund = tool_from(Shop().functions()[4], options=ToolOptions(requires_approval=True))
    with pytest.raises(ConfigurationError, match=r"refund.*Claude Agent SDK.*approve="):
        with_code_tool(ClaudeAgentOptions(), [refund])
