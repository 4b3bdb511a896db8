"""Who approved a call, where the framework's own answer or session says it."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.types import ElicitResult
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.messages import ModelMessage
from pydantic_ai.tools import (
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    ToolApproved,
    ToolDenied,
)
from strands import Agent

from tests.adapters import test_google_adk as adk
from tests.adapters import test_llama_index as llama_index
from tests.adapters import test_pydantic_ai as pydantic_ai
from tests.adapters import test_strands as strands
from toolscript import Authority, Event, RunEnded, ToolOptions, tool_from
from toolscript.testing.shop import Shop
from toolscript_adapters.google_adk import CodeModeToolset
from toolscript_adapters.llama_index import ApprovalResponse
from toolscript_adapters.mcp import code_server
from toolscript_adapters.pydantic_ai import nested_calls, nested_results
from toolscript_adapters.strands import CodeModePlugin

REFUND = "return await tools.refund({ order_id: 1 }).catch((error) => error.code);"


class Receipts:
    """The decisions on the calls of the last run that ended, and its principal."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self.principal: str | None = None

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunEnded):
            self.principal = event.result.principal
            self.said = [(one.kind, one.who) for one in event.result.calls[0].decisions]


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        ({"approved": True, "who": "carol"}, "approve"),
        ({"approved": True, "args": {"order_id": 2}, "who": "carol"}, "edit"),
        ({"approved": False, "who": "carol"}, "reject"),
    ],
)
async def test_a_response_names_who_gives_it(response: dict[str, Any], kind: str) -> None:
    receipts = Receipts()

    def respond(event: Any, context: Any) -> None:
        context.send_event(ApprovalResponse(id=event.id, **response))

    options: dict[str, Any] = {"requires_approval": ["refund"], "approver": "somebody"}
    await llama_index.outcome(
        Shop().functions(), REFUND, respond=respond, on_event=receipts, **options
    )
    assert receipts.said == [(kind, "carol")]

    agent = strands.agent_of(
        strands.tools_of(Shop()), REFUND, on_event=(receipts := Receipts()), **options
    )
    result = await agent.invoke_async("go")
    await agent.invoke_async(strands.responses(result, lambda asked: response))
    assert receipts.said == [(kind, "carol")]


async def test_the_state_of_an_invocation_of_strands_names_who_approves() -> None:
    receipts = Receipts()
    plugin = CodeModePlugin(
        requires_approval=["refund"],
        approver=lambda run: run.invocation_state["user"],
        on_event=receipts,
    )
    agent = Agent(
        model=strands.Scripted(REFUND),
        tools=strands.tools_of(Shop()),
        plugins=[plugin],
        callback_handler=None,
    )
    result = await agent.invoke_async("go", invocation_state={"user": "bo"})
    answers = strands.responses(result, lambda asked: True)
    await agent.invoke_async(answers, invocation_state={"user": "carol"})
    assert receipts.said == [("approve", "carol")]


@pytest.mark.parametrize(
    ("decision", "kind"),
    [
        (True, "approve"),
        (ToolApproved(override_args={"order_id": 2}), "edit"),
        (ToolDenied("no"), "reject"),
    ],
)
async def test_results_of_pydantic_ai_name_who_gives_them(decision: Any, kind: str) -> None:
    receipts = Receipts()
    agent = pydantic_ai.agent_of(
        pydantic_ai.refunding(Shop()), REFUND, approver="somebody", on_event=receipts
    )
    result = await agent.run("go")
    assert isinstance(result.output, DeferredToolRequests)
    (waiting,) = nested_calls(result.output)
    answers = nested_results(result.output, {waiting.id: decision}, who="carol")
    await pydantic_ai.go_on(agent, result, answers)
    assert receipts.said == [(kind, "carol")]


async def test_functions_of_options_get_the_run_context_of_pydantic_ai() -> None:
    receipts = Receipts()

    def authority(context: RunContext[Any]) -> Authority:
        return Authority(principal=context.deps)

    def approver(context: RunContext[Any]) -> str:
        return context.deps

    agent: Any = pydantic_ai.agent_of(
        pydantic_ai.refunding(Shop()),
        REFUND,
        authority=authority,
        approver=approver,
        on_event=receipts,
    )
    result = await agent.run("go", deps="ada")
    (waiting,) = nested_calls(result.output)
    history: list[ModelMessage] = result.all_messages()
    answers = nested_results(result.output, {waiting.id: True})
    await agent.run(message_history=history, deferred_tool_results=answers, deps="carol")
    assert receipts.said == [("approve", "carol")]
    assert receipts.principal == "ada"


@pytest.mark.parametrize(("options", "who"), [({}, "u"), ({"approver": "carol"}, "carol")])
async def test_the_user_of_a_session_of_adk_approves(options: dict[str, Any], who: str) -> None:
    receipts = Receipts()
    toolset = CodeModeToolset(adk.adk_tools(Shop(), approvals=True), on_event=receipts, **options)
    talk = adk.Talk(toolset, [REFUND])
    (request,) = adk.asked_in(await talk.say())
    await talk.say(adk.reply(request, confirmed=True))
    assert receipts.said == [("approve", who)]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(("subject", "who"), [("carol", "carol"), (None, "desk-app")])
async def test_the_token_of_an_mcp_request_names_who_approves(
    mode: Any, subject: str | None, who: str
) -> None:
    receipts = Receipts()

    def pay() -> str:
        """Pay."""
        return "paid"

    asking = tool_from(pay, options=ToolOptions(requires_approval=True))
    server = code_server([asking], on_event=receipts)

    async def elicit(context: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"approve": True})

    token = AccessToken(token="t", client_id="desk-app", scopes=[], subject=subject)
    reset = auth_context_var.set(AuthenticatedUser(token))
    try:
        async with Client(server, mode=mode, elicitation_callback=elicit) as client:
            await client.call_tool("run_code", {"code": "return await tools.pay({});"})
    finally:
        auth_context_var.reset(reset)
    assert receipts.said == [("approve", who)]


WRONG: dict[str, Any] = {"approved": True, "args": {"order_id": "one"}, "who": "carol"}
RIGHT: dict[str, Any] = {"approved": True, "args": {"order_id": 2}, "who": "dan"}


async def test_arguments_of_a_person_that_do_not_fit_are_asked_for_again() -> None:
    receipts, shop, asked = Receipts(), Shop(), list[str]()

    def respond(event: Any, context: Any) -> None:
        asked.append(event.reason)
        context.send_event(ApprovalResponse(id=event.id, **(WRONG if len(asked) < 3 else RIGHT)))

    (answer,) = await llama_index.outcome(
        shop.functions(),
        REFUND,
        respond=respond,
        requires_approval=["refund"],
        on_event=receipts,
    )
    assert answer.text == "refunded 2"
    assert ["order_id must be an integer" in reason for reason in asked] == [False, True, True]
    assert receipts.said == [("edit", "dan")]

    agent = strands.agent_of(strands.tools_of(shop), REFUND, requires_approval=["refund"])
    result = await agent.invoke_async("go")
    for response in (WRONG, WRONG, RIGHT):
        assert result.stop_reason == "interrupt"
        (interrupt,) = result.interrupts
        asked.append(interrupt.reason["reason"])
        answers = strands.responses(result, lambda asked, response=response: response)
        result = await agent.invoke_async(answers)
    assert strands.answers_of(agent)[-1].text == "refunded 2"
    assert ["order_id must be an integer" in reason for reason in asked[3:]] == [False, True, True]
    assert shop.effects == ["refund 2", "refund 2"]


async def test_arguments_of_a_handler_that_do_not_fit_deny_the_call() -> None:
    shop = Shop()

    async def handle(ctx: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults:
        edited = ToolApproved(override_args={"order_id": "one"})
        return DeferredToolResults(
            approvals={call.tool_call_id: edited for call in requests.approvals}
        )

    script = "return await tools.refund({ order_id: 1 }).catch((error) => error.message)"
    handler = HandleDeferredToolCalls(handle)
    agent = pydantic_ai.agent_of(pydantic_ai.refunding(shop), script, capabilities=[handler])
    result = await agent.run("go")
    text = pydantic_ai.answers_of(result.all_messages())[-1].text
    assert "order_id must be an integer" in text
    assert not shop.effects


async def test_arguments_in_results_of_pydantic_ai_that_do_not_fit_are_asked_for_again() -> None:
    agent = pydantic_ai.agent_of(pydantic_ai.refunding(Shop()), REFUND)
    result = await agent.run("go")
    for args in ({"order_id": "one"}, {"order_id": 2}):
        assert isinstance(result.output, DeferredToolRequests)
        (waiting,) = nested_calls(result.output)
        edit = ToolApproved(override_args=args)
        answers = nested_results(result.output, {waiting.id: edit}, who="carol")
        result = await pydantic_ai.go_on(agent, result, answers)
        if args["order_id"] == "one":
            assert isinstance(result.output, DeferredToolRequests)
            assert "must be an integer" in nested_calls(result.output)[0].reason
    assert pydantic_ai.answers_of(result.all_messages())[-1].text == "refunded 2"
