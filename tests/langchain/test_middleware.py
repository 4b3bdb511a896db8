"""Nested calls pass through the agent's middleware."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    ToolCallLimitMiddleware,
    ToolRetryMiddleware,
)
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool

from tests.langchain.model import calls, code, done, scripted
from tests.langchain.test_agent import ASK, add, tool_messages
from toolscript import CodeModeMiddleware, CodeModeTool, ConfigurationError


@tool
def get_weather(city: str) -> dict[str, Any]:
    """Get the weather of a city."""
    return {"city": city, "degrees": 21}


@tool
def delete_city(city: str) -> str:
    """Delete a city."""
    return f"{city} is gone"


class Log(AgentMiddleware[Any, Any]):
    """Notes every tool call that passes, in both forms."""

    def __init__(self, label: str, seen: list[str]):
        super().__init__()
        self.label = label
        self.seen = seen

    @property
    def name(self) -> str:
        return self.label

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]
    ) -> Any:
        self.seen.append(f"{self.label}>{request.tool_call['name']}")
        return handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        self.seen.append(f"{self.label}>{request.tool_call['name']}")
        return await handler(request)


WEATHER = "return (await tools.get_weather({ city: 'Bern' })).degrees;"


def _bound_names(model: Any) -> list[str]:
    return [one["function"]["name"] for one in model.bound[0]]


async def test_chosen_tools_are_hidden_and_callable_from_scripts() -> None:
    model = scripted(code(WEATHER), done())
    agent = create_agent(
        model,
        tools=[get_weather, delete_city, add],
        system_prompt="You are kind.",
        middleware=[CodeModeMiddleware(["get_*", "add"], keep=["add"])],
    )
    (message,) = tool_messages(await agent.ainvoke(ASK))
    assert message.content == "21"
    assert sorted(_bound_names(model)) == ["add", "delete_city", "run_code"]
    system = str(model.seen[0][0].content)
    assert system.startswith("You are kind.")
    assert "get_weather" in system
    assert "delete_city" not in system


async def test_tools_that_no_pattern_names_cannot_be_called_from_scripts() -> None:
    agent = create_agent(
        scripted(code("await tools.delete_city({ city: 'Bern' });"), done()),
        tools=[get_weather, delete_city],
        middleware=[CodeModeMiddleware(["get_*"])],
    )
    (message,) = tool_messages(await agent.ainvoke(ASK))
    assert message.status == "error"


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("sync", [True, False])
async def test_every_wrapper_goes_around_a_nested_call_wherever_it_is_listed(
    place: int, sync: bool
) -> None:
    seen: list[str] = []
    middleware: list[Any] = [Log("outer", seen), Log("inner", seen)]
    middleware.insert(place, CodeModeMiddleware())
    agent = create_agent(
        scripted(code(WEATHER), done()), tools=[get_weather], middleware=middleware
    )
    result = agent.invoke(ASK) if sync else await agent.ainvoke(ASK)
    assert tool_messages(result)[0].content == "21"
    assert seen == ["outer>run_code", "inner>run_code", "outer>get_weather", "inner>get_weather"]


async def test_retries_apply_to_each_nested_call() -> None:
    tries: list[int] = []

    @tool
    def flaky(n: int) -> int:
        """Fail at first."""
        tries.append(n)
        if len(tries) % 3:
            raise ConnectionError("try again")
        return n

    agent = create_agent(
        scripted(
            code("return [await tools.flaky({ n: 1 }), await tools.flaky({ n: 2 })];"), done()
        ),
        tools=[flaky],
        middleware=[CodeModeMiddleware(), ToolRetryMiddleware(max_retries=3, initial_delay=0.0)],
    )
    (message,) = tool_messages(await agent.ainvoke(ASK))
    assert message.artifact["value"] == [1, 2]
    assert tries == [1, 1, 1, 2, 2, 2]


async def test_limits_count_nested_calls_and_go_on_counting() -> None:
    script = (
        "const out = [];"
        "for (let i = 0; i < 4; i++) { try { out.push(await tools.add({ a: i, b: 0 })); }"
        " catch (e) { out.push(e.message); } } return out;"
    )
    agent = create_agent(
        scripted(code(script), code(script), done()),
        tools=[add],
        middleware=[
            ToolCallLimitMiddleware(tool_name="add", run_limit=3, exit_behavior="continue"),
            CodeModeMiddleware(),
        ],
    )
    first, second = tool_messages(await agent.ainvoke(ASK))
    assert first.artifact["value"][:3] == [0, 1, 2]
    assert "limit" in first.artifact["value"][3]
    assert all("limit" in value for value in second.artifact["value"])


class Rewrite(AgentMiddleware[Any, Any]):
    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        call = request.tool_call
        if call["name"] == "run_code":
            return await handler(request)
        if call["name"] == "delete_city":
            return ToolMessage("no", tool_call_id=call["id"], status="error")
        changed = {**call, "args": {"city": call["args"]["city"].upper()}}
        result = await handler(request.override(tool_call=changed))
        if call["args"]["city"] == "secret":
            return result.model_copy(update={"content": '{"city": "redacted", "degrees": 0}'})
        return result


async def test_middleware_may_change_arguments_and_results_and_refuse() -> None:
    script = (
        "const seen = await tools.get_weather({ city: 'Bern' });"
        "const secret = await tools.get_weather({ city: 'secret' });"
        "let refused; try { await tools.delete_city('Bern'); } catch (e) { refused = e.message; }"
        "return [seen.city, secret.city, refused];"
    )
    for tools_, middleware in (
        ([get_weather, delete_city], [CodeModeMiddleware(), Rewrite()]),
        ([CodeModeTool([get_weather, delete_city], middleware=[Rewrite()])], []),
    ):
        agent = create_agent(scripted(code(script), done()), tools=tools_, middleware=middleware)
        (message,) = tool_messages(await agent.ainvoke(ASK))
        assert message.status == "success", message.content
        seen, secret, refused = message.artifact["value"]
        assert (seen, secret) == ("BERN", "redacted")
        assert refused.endswith("no")


async def test_a_chain_of_the_tools_own() -> None:
    seen: list[str] = []
    run_code = CodeModeTool([add], middleware=[Log("outer", seen), Log("inner", seen)])
    agent = create_agent(
        scripted(code("return await tools.add({ a: 1, b: 1 });"), done()), tools=[run_code]
    )
    assert tool_messages(await agent.ainvoke(ASK))[0].content == "2"
    assert tool_messages(agent.invoke(ASK))[0].content == "2"
    assert seen == ["outer>add", "inner>add"] * 2


class OnlySync(AgentMiddleware[Any, Any]):
    def __init__(self, seen: list[str]):
        super().__init__()
        self.seen = seen

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]
    ) -> Any:
        self.seen.append(request.tool_call["name"])
        return handler(request)


async def test_either_form_of_a_middleware_does_in_a_chain_of_the_tools_own() -> None:
    seen: list[str] = []
    run_code = CodeModeTool([get_weather], middleware=[OnlySync(seen), Rewrite()])
    agent = create_agent(scripted(code(WEATHER), done()), tools=[run_code])
    assert tool_messages(agent.invoke(ASK))[0].content == "21"
    assert tool_messages(await agent.ainvoke(ASK))[0].content == "21"
    assert seen == ["get_weather"] * 2


async def test_without_an_agent_the_middleware_refuses_to_call_tools() -> None:
    (run_code,) = CodeModeMiddleware().tools
    with pytest.raises(ConfigurationError, match="create_agent"):
        await run_code.ainvoke({"code": "return 1"})


class Inspects(AgentMiddleware[Any, Any]):
    def after_model(self, state: Any, runtime: Any) -> None:
        return None


async def test_a_rule_that_would_be_bypassed_is_told_of() -> None:
    agent = create_agent(
        scripted(code(WEATHER), done()),
        tools=[get_weather],
        middleware=[CodeModeMiddleware(), Inspects()],
    )
    with pytest.warns(UserWarning, match=r"Inspects\.after_model"):
        await agent.ainvoke(ASK)


async def test_nothing_is_told_where_nothing_is_bypassed() -> None:
    agent = create_agent(
        scripted(code(WEATHER), done()),
        tools=[get_weather],
        middleware=[CodeModeMiddleware(), ToolCallLimitMiddleware(run_limit=9)],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        await agent.ainvoke(ASK)


async def test_kept_tools_can_be_called_by_the_model_too() -> None:
    agent = create_agent(
        scripted(calls(("add", {"a": 1, "b": 1})), code("return 5"), done()),
        tools=[add],
        middleware=[CodeModeMiddleware(keep=["add"])],
    )
    assert [m.content for m in tool_messages(await agent.ainvoke(ASK))] == ["2", "5"]


def test_patterns_are_a_list() -> None:
    with pytest.raises(ConfigurationError, match="list"):
        CodeModeMiddleware("get_*")


async def test_middleware_goes_around_plain_functions_too() -> None:
    seen: list[str] = []

    def halve(n: int) -> float:
        """Halve a number."""
        return n / 2

    run_code = CodeModeTool([halve], middleware=[Log("mine", seen)])
    agent = create_agent(
        scripted(code("return await tools.halve({ n: 3 });"), done()), tools=[run_code]
    )
    assert tool_messages(await agent.ainvoke(ASK))[0].content == "1.5"
    assert seen == ["mine>halve"]


async def test_a_providers_own_tool_stays_with_the_model() -> None:
    model = scripted(code(WEATHER), done())
    search = {"type": "web_search_20250305", "name": "web_search"}
    agent = create_agent(model, tools=[get_weather, search], middleware=[CodeModeMiddleware()])
    assert tool_messages(await agent.ainvoke(ASK))[0].content == "21"
    assert search in model.bound[0]


class Answers(AgentMiddleware[Any, Any]):
    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        said = request.tool_call["args"]["city"]
        return ToolMessage(said, tool_call_id=request.tool_call["id"])


async def test_an_answer_in_the_place_of_a_result_has_to_fit_or_is_told_as_it_is() -> None:
    def where(city: str) -> dict[str, int]:
        """Where a city is."""
        raise AssertionError("the middleware answers")

    script = (
        "const fits = await tools.where({ city: '{\"north\": 47}' });"
        "try { await tools.where({ city: 'ask somebody else' }); }"
        " catch (e) { return [fits, e.code, e.message]; }"
    )
    run_code = CodeModeTool([tool(where)], middleware=[Answers()])
    agent = create_agent(scripted(code(script), done()), tools=[run_code])
    (message,) = tool_messages(await agent.ainvoke(ASK))
    fits, kind, said = message.artifact["value"]
    assert (fits, kind) == ({"north": 47}, "invalid_result")
    assert "ask somebody else" in said


async def test_a_pattern_that_names_no_tool_is_warned_of_once_with_the_nearest() -> None:
    agent = create_agent(
        scripted(code("return 1;"), done(), code("return 2;"), done()),
        tools=[get_weather, delete_city],
        middleware=[CodeModeMiddleware(["get_*", "delet_*"], keep=["*"])],
    )

    async def twice() -> None:
        await agent.ainvoke(ASK)
        await agent.ainvoke(ASK)

    with pytest.warns(UserWarning, match="delet_") as told:
        await twice()
    ours = [str(one.message) for one in told if "CodeModeMiddleware" in str(one.message)]
    assert len(ours) == 1
    assert "tools=" in ours[0]
    assert "'delet_*'" in ours[0]
    assert "delete_city" in ours[0]


async def test_scripts_of_a_middleware_have_no_store_and_are_promised_none() -> None:
    agent = create_agent(
        scripted(code("return typeof store + typeof load;"), done()),
        tools=[get_weather],
        middleware=[CodeModeMiddleware()],
    )
    messages = tool_messages(await agent.ainvoke(ASK))
    assert messages[-1].content == "undefinedundefined"


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"tools": "get_*"}, "['get_*']"),
        ({"keep": [3]}, "keep="),
        ({"name": 3}, "name="),
        ({"prompt_tokens": "8k"}, "'8k'"),
        ({"policy": add}, "a Policy"),
        ({"profile": "strict"}, "'strict'"),
        ({"parallel": "some"}, "parallel="),
        ({"paralel": "all"}, "'paralel'"),
        ({"limits": {"wall_sec": 3}}, "'wall_sec'"),
    ],
)
def test_a_part_of_the_wrong_kind_is_refused_before_the_agent_runs(
    options: dict[str, Any], word: str
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        CodeModeMiddleware(**options)
    assert word in str(refused.value)
