"""Google ADK: its runner and flow as they are, with a model that plays back scripts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App, ResumabilityConfig
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner
from google.adk.tools import (
    AgentTool,
    BaseTool,
    FunctionTool,
    LongRunningFunctionTool,
    ToolContext,
    exit_loop,
)
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types

from toolscript import ContractError, SQLiteJournal
from toolscript.testing.adapters import (
    USER,
    AdapterConformance,
    Answer,
    Conversation,
    Decide,
    allow,
)
from toolscript.testing.shop import Shop
from toolscript_adapters.google_adk import CodeModeToolset

APP = "shop"
CONFIRMATION = "adk_request_confirmation"


class ScriptedLlm(BaseLlm):
    """Calls the code tool with one script after the other, and then says "done"."""

    scripts: list[str]
    tool: str = "run_code"
    made: int = 0
    requests: list[Any]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.requests.append(llm_request)
        if self.made < len(self.scripts):
            args = {"code": self.scripts[self.made]}
            part = types.Part.from_function_call(name=self.tool, args=args)
        else:
            part = types.Part(text="done")
        self.made += 1
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


class Spy(BasePlugin):
    def __init__(self) -> None:
        super().__init__("spy")
        self.ended: list[str] = []
        self.begun: list[str] = []
        self.failed: list[str] = []

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: Any, tool_context: Any
    ) -> None:
        self.begun.append(tool.name)

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: Any, tool_context: Any, result: Any
    ) -> None:
        if tool.name != "run_code":
            self.ended.append(tool.name)

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: Any, tool_context: Any, error: Exception
    ) -> None:
        self.failed.append(f"{tool.name}: {error}")


class Talk:
    """One session of an agent with the toolset."""

    def __init__(self, tools: Any, scripts: Sequence[str], *, plugins: Any = (), **agent: Any):
        self.toolset = tools if isinstance(tools, CodeModeToolset) else CodeModeToolset(tools)
        self.model = ScriptedLlm(model="scripted", scripts=list(scripts), requests=[])
        self.agent = LlmAgent(name="clerk", model=self.model, tools=[self.toolset], **agent)
        app = App(name=APP, root_agent=self.agent, plugins=list(plugins))
        self.runner = InMemoryRunner(app=app)
        self.session_id = ""
        self.events: list[Any] = []

    async def say(self, *parts: types.Part) -> list[Any]:
        service = self.runner.session_service
        if not self.session_id:
            session = await service.create_session(app_name=APP, user_id="u", state={"user": USER})
            self.session_id = session.id
        message = types.Content(role="user", parts=list(parts) or [types.Part(text="hi")])
        events = [
            event
            async for event in self.runner.run_async(
                user_id="u", session_id=self.session_id, new_message=message
            )
        ]
        self.events += events
        return events

    async def state(self) -> dict[str, Any]:
        session = await self.runner.session_service.get_session(
            app_name=APP, user_id="u", session_id=self.session_id
        )
        assert session is not None
        return dict(session.state)

    def answers(self) -> list[dict[str, Any]]:
        """What the code tool answered, without what it said while it waited."""
        return [
            one.response
            for event in self.events
            if not event.actions.requested_tool_confirmations
            for one in event.get_function_responses()
        ]


def asked_in(events: Sequence[Any]) -> list[Any]:
    return [
        call for event in events for call in event.get_function_calls() if call.name == CONFIRMATION
    ]


def nested_in(request: Any) -> list[tuple[str, Any]]:
    calls = request.args["toolConfirmation"]["payload"]["calls"]
    return [(call["tool"], call["args"]) for call in calls]


def reply(request: Any, **response: Any) -> types.Part:
    return types.Part(
        function_response=types.FunctionResponse(
            id=request.id, name=CONFIRMATION, response=response
        )
    )


def adk_tools(shop: Shop, *, approvals: bool = False) -> list[Any]:
    def whoami(tool_context: ToolContext) -> str:
        """Tell who the user is."""
        return tool_context.state["user"]

    return [
        whoami,
        *(
            FunctionTool(one, require_confirmation=approvals and one.__name__ == "refund")
            for one in shop.functions()
        ),
    ]


class TestToolset(AdapterConformance):
    framework = "Google ADK"
    package = "toolscript_adapters.google_adk"

    async def converse(
        self,
        shop: Shop,
        scripts: Sequence[str],
        *,
        approvals: bool = False,
        decide: Decide = allow,
        **options: Any,
    ) -> Conversation:
        toolset = CodeModeToolset(adk_tools(shop, approvals=approvals), **options)
        spy = Spy()
        talk = Talk(toolset, scripts, plugins=[spy])
        talk.model.tool = options.get("name", "run_code")
        conversation = Conversation()
        events = await talk.say()
        while requests := asked_in(events):
            replies: list[types.Part] = []
            for request in requests:
                asked = nested_in(request)
                conversation.asked += asked
                replies.append(reply(request, confirmed=all(decide(*one) for one in asked)))
            events = await talk.say(*replies)
        first = talk.model.requests[0]
        (declared,) = first.config.tools[0].function_declarations
        conversation.shown = list(first.tools_dict)
        conversation.declared = declared.description
        conversation.answers = [
            Answer(str(one.get("result", one.get("error"))), "error" in one)
            for one in talk.answers()
        ]
        conversation.final = talk.events[-1].content.parts[0].text or ""
        conversation.hooked = spy.ended
        return conversation


async def answer_of(tools: Any, script: str, **more: Any) -> dict[str, Any]:
    talk = Talk(tools, [script], **more)
    await talk.say()
    (answer,) = talk.answers()
    return answer


async def test_a_callback_of_the_agent_answers_in_the_place_of_a_tool() -> None:
    def before(tool: BaseTool, args: dict[str, Any], tool_context: Any) -> dict[str, Any] | None:
        return {"id": 7, "customer": "eve", "total": 1.5} if tool.name == "get_order" else None

    shop = Shop()
    script = "return (await tools.get_order({ order_id: 1 })).customer;"
    answer = await answer_of(adk_tools(shop), script, before_tool_callback=before)
    assert answer == {"result": "eve"}
    assert shop.reads == 0


async def test_a_callback_changes_what_a_tool_is_given_and_what_it_returned() -> None:
    def before(tool: BaseTool, args: dict[str, Any], tool_context: Any) -> None:
        if tool.name == "note":
            args["text"] = args["text"].upper()

    def after(tool: BaseTool, args: Any, tool_context: Any, tool_response: Any) -> Any:
        return {"result": f"{tool_response}!"} if tool.name == "note" else None

    shop = Shop()
    answer = await answer_of(
        adk_tools(shop),
        'return await tools.note({ text: "loud" });',
        before_tool_callback=before,
        after_tool_callback=after,
    )
    assert answer == {"result": "noted LOUD!"}
    assert shop.effects == ["note LOUD"]


async def test_error_callbacks_hear_of_a_failed_nested_call_and_may_mend_it() -> None:
    class Mending(Spy):
        async def on_tool_error_callback(
            self, *, tool: BaseTool, tool_args: Any, tool_context: Any, error: Exception
        ) -> Any:
            self.failed.append(f"{tool.name}: {error}")
            return {"id": 0, "customer": "nobody", "total": 0}

    spy = Mending()
    script = "return (await tools.get_order({ order_id: -1 })).customer;"
    assert await answer_of(adk_tools(Shop()), script, plugins=[spy]) == {"result": "nobody"}
    assert spy.failed == ["get_order: there is no order -1"]


async def test_what_a_tool_writes_to_the_state_stays_and_later_calls_see_it() -> None:
    def remember(word: str, tool_context: ToolContext) -> int:
        """Remember a word."""
        tool_context.state["words"] = [*tool_context.state.get("words", []), word]
        return len(tool_context.state["words"])

    talk = Talk(
        [remember],
        ['await tools.remember({ word: "a" }); return await tools.remember({ word: "b" });'],
    )
    await talk.say()
    assert talk.answers() == [{"result": "2"}]
    assert (await talk.state())["words"] == ["a", "b"]


async def test_objects_that_a_tool_returns_are_never_taken_apart() -> None:
    def boxed() -> dict[str, int]:
        """Return an object that looks like ADK's own box."""
        return {"result": 3}

    answer = await answer_of([boxed], "return await tools.boxed();")
    assert answer == {"result": '{"result":3}'}


async def test_an_error_that_a_tool_answers_is_thrown() -> None:
    def find(name: str) -> dict[str, Any]:
        """Find something."""
        return {"error": f"no {name} here"}

    script = 'return await tools.find({ name: "key" }).catch((error) => error.message);'
    assert await answer_of([find], script) == {"result": "no key here"}


def pay_tool(paid: list[str]) -> Any:
    def pay(amount: int, tool_context: ToolContext) -> dict[str, Any]:
        """Pay."""
        said = tool_context.tool_confirmation
        if amount > 10 and said is None:
            tool_context.request_confirmation(hint="that is much", payload={"most": 0})
            return {"status": "waiting"}
        most = (said.payload or {}).get("most", 0) if said and said.confirmed else 10
        paid.append(f"{min(amount, most)}")
        return {"paid": min(amount, most)}

    return pay


async def test_a_tool_may_ask_while_it_runs_and_reads_what_the_person_said() -> None:
    paid: list[str] = []
    script = """
        const small = await tools.pay({ amount: 5 });
        const large = await tools.pay({ amount: 50 });
        return [small.paid, large.paid];
    """
    talk = Talk([pay_tool(paid)], [script])
    (request,) = asked_in(await talk.say())
    assert nested_in(request) == [("pay", {"amount": 50})]
    (call,) = request.args["toolConfirmation"]["payload"]["calls"]
    assert call["hint"] == "that is much"
    assert paid == ["5"]
    await talk.say(reply(request, confirmed=True, payload={"most": 30}))
    assert talk.answers() == [{"result": "[5,30]"}]
    assert paid == ["5", "30"]


async def test_calls_that_wait_together_are_answered_one_by_one() -> None:
    shop = Shop()
    script = """
        const both = [1, 2].map((order_id) => tools.refund({ order_id }).catch((e) => e.code));
        return await Promise.all(both);
    """
    talk = Talk(adk_tools(shop, approvals=True), [script])
    (request,) = asked_in(await talk.say())
    first, second = request.args["toolConfirmation"]["payload"]["calls"]
    answers = {first["id"]: True, second["id"]: False}
    await talk.say(reply(request, confirmed=True, payload={"answers": answers}))
    assert talk.answers() == [{"result": '["refunded 1","denied"]'}]
    assert shop.effects == ["refund 1"]


async def test_the_model_is_not_asked_while_a_person_is() -> None:
    talk = Talk(
        adk_tools(Shop(), approvals=True),
        ["await tools.refund({ order_id: 1 }); return await tools.refund({ order_id: 2 });"],
    )
    (first,) = asked_in(await talk.say())
    (second,) = asked_in(await talk.say(reply(first, confirmed=True)))
    assert len(talk.model.requests) == 1
    await talk.say(reply(second, confirmed=True))
    assert len(talk.model.requests) == 2


async def test_an_answer_that_is_sent_again_does_nothing_twice() -> None:
    shop = Shop()
    talk = Talk(adk_tools(shop, approvals=True), ["return await tools.refund({ order_id: 1 });"])
    (request,) = asked_in(await talk.say())
    await talk.say(reply(request, confirmed=True))
    await talk.say(reply(request, confirmed=True))
    assert shop.effects == ["refund 1"]


async def test_a_session_goes_on_with_other_objects_under_a_journal(tmp_path: Path) -> None:
    """As after a restart: only the session and the journal's file stay."""
    shop = Shop()
    script = """
        await tools.note({ text: "before" });
        return await tools.refund({ order_id: 1 });
    """

    def toolset() -> CodeModeToolset:
        journal = SQLiteJournal(tmp_path / "runs.db")
        return CodeModeToolset(adk_tools(shop, approvals=True), journal=journal)

    talk = Talk(toolset(), [script])
    (request,) = asked_in(await talk.say())

    later = Talk(toolset(), [])
    later.runner.session_service = talk.runner.session_service
    later.session_id = talk.session_id
    await later.say(reply(request, confirmed=True))
    assert later.answers() == [{"result": "refunded 1"}]
    assert shop.effects == ["note before", "refund 1"]


async def test_a_tool_that_asked_while_it_ran_goes_on_with_other_objects_too(
    tmp_path: Path,
) -> None:
    paid: list[str] = []
    script = "await tools.pay({ amount: 5 }); return (await tools.pay({ amount: 50 })).paid;"

    def toolset() -> CodeModeToolset:
        return CodeModeToolset([pay_tool(paid)], journal=SQLiteJournal(tmp_path / "runs.db"))

    talk = Talk(toolset(), [script])
    (request,) = asked_in(await talk.say())

    later = Talk(toolset(), [])
    later.runner.session_service = talk.runner.session_service
    later.session_id = talk.session_id
    await later.say(reply(request, confirmed=True, payload={"most": 30}))
    assert later.answers() == [{"result": "30"}]
    assert paid == ["5", "30"]


async def test_what_scripts_store_stays_in_the_session() -> None:
    talk = Talk(adk_tools(Shop()), ['store("seen", [1, 2]);', 'return load("seen").length;'])
    await talk.say()
    assert talk.answers()[1] == {"result": "2"}
    assert (await talk.state())["toolscript_store"] == {"seen": [1, 2]}


async def test_an_app_that_can_be_resumed_pauses_as_often() -> None:
    shop = Shop()
    talk = Talk(
        adk_tools(shop, approvals=True),
        ["await tools.refund({ order_id: 1 }); return await tools.refund({ order_id: 2 });"],
    )
    resumable = ResumabilityConfig(is_resumable=True)
    app = App(name=APP, root_agent=talk.agent, resumability_config=resumable)
    talk.runner = InMemoryRunner(app=app)
    (first,) = asked_in(await talk.say())
    (second,) = asked_in(await talk.say(reply(first, confirmed=True)))
    await talk.say(reply(second, confirmed=True))
    assert talk.answers() == [{"result": "refunded 2"}]
    assert shop.effects == ["refund 1", "refund 2"]


async def test_a_run_that_is_not_kept_any_more_is_not_begun_again() -> None:
    shop = Shop()
    script = 'await tools.note({ text: "x" }); return await tools.refund({ order_id: 1 });'
    talk = Talk(adk_tools(shop, approvals=True), [script])
    (request,) = asked_in(await talk.say())
    later = Talk(adk_tools(shop, approvals=True), [])
    later.runner.session_service = talk.runner.session_service
    later.session_id = talk.session_id
    await later.say(reply(request, confirmed=True))
    (answer,) = later.answers()
    assert "error" in answer
    assert shop.effects == ["note x"]


async def test_what_scripts_cannot_call_stays_with_the_model() -> None:
    def start_job(name: str) -> None:
        """Start a job that ends some day."""

    toolset = CodeModeToolset([*adk_tools(Shop()), LongRunningFunctionTool(start_job)])
    assert [tool.name for tool in await toolset.get_tools()] == ["start_job", "run_code"]


async def test_tools_come_in_namespaces_and_from_toolsets() -> None:
    class Words(BaseToolset):
        async def get_tools(self, readonly_context: Any = None) -> list[BaseTool]:
            def count(text: str) -> int:
                """Count words."""
                return len(text.split())

            return [FunctionTool(count)]

    shop = Shop()
    tools = {
        "shop": adk_tools(shop, approvals=True),
        "prose": [Words(tool_name_prefix="words")],
    }
    script = """
        const words = await prose.words_count({ text: "one two" });
        return [words, await shop.refund({ order_id: 1 })];
    """
    talk = Talk(tools, [script])
    (request,) = asked_in(await talk.say())
    assert nested_in(request) == [("shop.refund", {"order_id": 1})]
    await talk.say(reply(request, confirmed=True))
    assert talk.answers() == [{"result": '[2,"refunded 1"]'}]


async def test_an_agent_that_is_a_tool_answers_a_script() -> None:
    helper = LlmAgent(
        name="helper",
        description="Helps.",
        model=ScriptedLlm(model="scripted", scripts=[], requests=[]),
    )
    script = 'return await tools.helper({ request: "what?" });'
    assert await answer_of([AgentTool(helper)], script) == {"result": "done"}


async def test_a_tool_may_end_the_loop_around_its_agent() -> None:
    talk = Talk([exit_loop], ["await tools.exit_loop(); return 1;"])
    await talk.say()
    assert any(event.actions.escalate for event in talk.events)


async def test_pictures_of_tools_and_scripts_reach_the_model() -> None:
    def draw() -> Any:
        """Draw."""
        return types.Part.from_bytes(data=b"hi", mime_type="image/png")

    talk = Talk([draw], ['await tools.draw(); image("iVBORw0KGgo=", "image/png"); return "see";'])
    await talk.say()
    (response,) = talk.events[1].get_function_responses()
    assert response.response["result"].startswith("see"), response.response
    assert [part.inline_data.mime_type for part in response.parts] == ["image/png", "image/png"]


async def test_an_mcp_server_s_results_are_values() -> None:
    class Remote(BaseTool):
        """What ADK's tool of an MCP server shows and returns."""

        raw_mcp_tool: ClassVar[Any] = {
            "name": "weather",
            "outputSchema": {
                "type": "object",
                "properties": {"degrees": {"type": "number"}},
                "required": ["degrees"],
            },
        }

        def _get_declaration(self) -> types.FunctionDeclaration:
            return types.FunctionDeclaration(name=self.name, description=self.description)

        async def run_async(self, *, args: Any, tool_context: Any) -> Any:
            return {
                "content": [{"type": "text", "text": "warm"}],
                "structuredContent": {"degrees": 20},
                "isError": False,
            }

    answer = await answer_of(
        [Remote(name="weather", description="Tell the weather.")],
        "return (await tools.weather()).degrees + 1;",
    )
    assert answer == {"result": "21"}


async def test_a_declaration_in_gemini_s_dialect_is_read() -> None:
    class Search(BaseTool):
        def _get_declaration(self) -> types.FunctionDeclaration:
            kind, schema = types.Type, types.Schema
            return types.FunctionDeclaration(
                name=self.name,
                description=self.description,
                parameters=schema(
                    type=kind.OBJECT,
                    properties={
                        "type": schema(type=kind.STRING, enum=["new", "used"]),
                        "words": schema(
                            type=kind.ARRAY, items=schema(type=kind.STRING), min_items=1
                        ),
                        "most": schema(type=kind.INTEGER, nullable=True),
                    },
                    required=["type", "words"],
                ),
            )

        async def run_async(self, *, args: Any, tool_context: Any) -> Any:
            return args

    toolset = CodeModeToolset([Search(name="search", description="Search.")])
    (tool,) = await toolset.get_tools()
    assert 'type: "new" | "used"' in tool.description
    assert "most?: number | null" in tool.description
    script = """
        const empty = await tools.search({ type: "new", words: [] }).catch((e) => e.code);
        return [empty, await tools.search({ type: "used", words: ["a"], most: null })];
    """
    answer = await answer_of(toolset, script)
    assert answer == {"result": '["invalid_args",{"type":"used","words":["a"],"most":null}]'}


async def test_an_authority_is_found_from_the_context() -> None:
    seen: list[str] = []

    def authority(context: ToolContext) -> None:
        seen.append(context.state["user"])

    toolset = CodeModeToolset(adk_tools(Shop()), authority=authority)
    await answer_of(toolset, "return 1;")
    assert seen == [USER]


async def test_a_model_that_sends_no_script_is_told() -> None:
    class Forgetful(ScriptedLlm):
        async def generate_content_async(
            self, llm_request: LlmRequest, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            part = types.Part(text="done")
            if not self.made:
                part = types.Part.from_function_call(name="run_code", args={"text": "x"})
            self.made += 1
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    talk = Talk(adk_tools(Shop()), [])
    talk.agent.model = Forgetful(model="scripted", scripts=[], requests=[])
    await talk.say()
    (answer,) = talk.answers()
    assert "pass the script as one string" in answer["error"]


def test_tools_that_cannot_be_offered_are_refused_at_once() -> None:
    with pytest.raises(ContractError, match="'text' cannot be the name of a namespace"):
        CodeModeToolset({"text": adk_tools(Shop())})
