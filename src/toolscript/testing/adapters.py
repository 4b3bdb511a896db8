"""Black-box tests that any adapter must pass, in its framework's real loop.

    class TestMyFramework(AdapterConformance):
        framework = "MyFramework"
        package = "toolscript_adapters.my_framework"

        async def converse(self, shop, scripts, *, approvals=False, decide=allow, **options):
            tools = [my_framework.tool(function) for function in shop.functions()]
            ...

Only the model is a stand-in, the framework's own where it has one: it calls the code tool with
one given script after the other, and says "done" when it has read the last answer.
"""

from __future__ import annotations

import asyncio
import re
from abc import abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, TypeVar

import pytest

from toolscript.errors import ConfigurationError
from toolscript.events import Event, RunEnded
from toolscript.host.approval import Answer as Decision
from toolscript.host.approval import Approve, Reject
from toolscript.result import Pending, RunResult
from toolscript.testing.private_touches import private_touches
from toolscript.testing.shop import TOGETHER, Shop

GUARD_S: Final = 60.0
"""No single test may hang; this is a guard, not a measure."""

USER: Final = "ada"
"""Whom the framework's context names; the tool `whoami` returns it."""

Decide = Callable[[str, Any], bool]
Behaviour = Literal["pause", "receipt of an approval", "context", "hooks", "error flag"]
Value = TypeVar("Value")


def allow(tool: str, args: Any) -> bool:
    return True


def forbid(tool: str, args: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model read of one call of the code tool; `failed` as the framework marks it."""

    text: str
    failed: bool | None = None


@dataclass(slots=True)
class Conversation:
    """One run of the agent.

    Attributes:
        shown: names of the tools in the model's first request.
        declared: everything that the model read of the code tool there, description or prompt.
        answers: what the model read back, one for each script.
        final: the agent's last words.
        hooked: tools of nested calls that a hook of the framework was told of, in order.
        asked: nested calls for which the framework paused: tool and arguments.
    """

    shown: list[str] = field(default_factory=list[str])
    declared: str = ""
    answers: list[Answer] = field(default_factory=list[Answer])
    final: str = ""
    hooked: list[str] = field(default_factory=list[str])
    asked: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])


class AdapterConformance:
    """Subclass it, say how to run an agent, and let pytest collect it.

    Attributes:
        framework: its name as it stands in refusals.
        package: the adapter's module, in which nothing private is touched but in one place.
        lacks: behaviours that the framework cannot have. An approval is then refused by name.
    """

    framework: ClassVar[str]
    package: ClassVar[str]
    lacks: ClassVar[frozenset[Behaviour]] = frozenset()

    @abstractmethod
    async def converse(
        self,
        shop: Shop,
        scripts: Sequence[str],
        *,
        approvals: bool = False,
        decide: Decide = allow,
        **options: Any,
    ) -> Conversation:
        """Run an agent over the shop's tools, made the framework's own, behind the code tool.

        Args:
            shop: `functions()` are its tools. The framework adds `whoami`, without arguments,
                which returns the user that its context or dependencies name (`USER`).
            scripts: what the model calls the code tool with, one after the other.
            approvals: whether `refund` needs an approval, in the way of the framework.
            decide: what the person says whenever the framework pauses for a nested call.
            options: for the code tool.
        """
        raise NotImplementedError

    def say(self, *scripts: str, shop: Shop | None = None, **options: Any) -> Conversation:
        """The conversation of some scripts, guarded against hanging."""
        return _run(self.converse(shop or Shop(), scripts, **options))

    def answer(self, script: str, *, shop: Shop | None = None, **options: Any) -> str:
        """What the model reads back from one script."""
        talk = self.say(script, shop=shop, **options)
        assert talk.final == "done"
        assert len(talk.answers) == 1
        return talk.answers[0].text

    # -- what the model gets

    def test_the_model_gets_one_tool_instead_of_many(self) -> None:
        talk = self.say("return 1")
        assert talk.shown == ["run_code"]
        assert re.search(r"\bget_order\(", talk.declared)
        assert "number of the order" in talk.declared

    def test_the_model_reads_what_tools_return(self) -> None:
        talk = self.say("return 1")
        assert "total: number" in talk.declared
        assert "customer: string" in talk.declared

    def test_the_code_tool_takes_another_name_and_description(self) -> None:
        talk = self.say("return 1", name="script", description="Run a little program.")
        assert talk.shown == ["script"]
        assert "Run a little program." in talk.declared

    # -- values

    def test_results_are_values_and_no_text(self) -> None:
        script = """
            const order = await tools.get_order({ order_id: 1 });
            return [typeof order.total, order.total * 2, order.customer];
        """
        assert self.answer(script) == '["number",241,"ada"]'

    def test_text_stays_text(self) -> None:
        assert self.answer('return await tools.get_email({ customer: "42" })') == "42@example.com"

    def test_one_script_joins_the_answers_of_several_tools(self) -> None:
        script = """
            const orders = await tools.list_orders();
            const large = orders.filter((order) => order.total > 50);
            const emails = await Promise.all(
                large.map((order) => tools.get_email({ customer: order.customer })),
            );
            return large.map((order, place) => `${order.id} ${emails[place]}`);
        """
        assert self.answer(script) == '["1 ada@example.com","2 bob@example.com"]'

    def test_calls_overlap(self) -> None:
        calls = ", ".join(["tools.meet()"] * TOGETHER)
        assert self.answer(f"return (await Promise.all([{calls}])).every(Boolean)") == "true"

    def test_what_was_printed_is_read_too(self) -> None:
        text = self.answer('console.log("seen"); return await tools.get_email({ customer: "a" })')
        assert "seen" in text
        assert "a@example.com" in text

    # -- mistakes

    def test_an_error_of_a_tool_can_be_caught(self) -> None:
        script = """
            try {
                await tools.get_order({ order_id: -1 });
            } catch (error) {
                return `${error instanceof ToolError} ${error.tool}: ${error.message}`;
            }
        """
        text = self.answer(script)
        assert text.startswith("true get_order: ")
        assert "there is no order -1" in text

    def test_an_error_that_is_not_caught_is_told_and_the_agent_goes_on(self) -> None:
        shop = Shop()
        script = 'await tools.note({ text: "first" });\nawait tools.get_order({ order_id: -1 });'
        talk = self.say(script, "return 2", shop=shop)
        told, next_one = talk.answers
        assert "there is no order -1" in told.text
        assert "line 2" in told.text
        assert "note" in told.text, "what took effect before is told"
        assert next_one.text == "2"
        assert talk.final == "done"
        assert shop.effects == ["note first"]
        if "error flag" not in self.lacks:
            assert told.failed is True
            assert next_one.failed is False

    def test_wrong_arguments_are_told_and_mended_in_the_next_script(self) -> None:
        shop = Shop()
        talk = self.say(
            'return (await tools.get_order({ order_id: "first" })).total',
            "return (await tools.get_order({ order_id: 1 })).total",
            shop=shop,
        )
        told, mended = talk.answers
        assert "order_id" in told.text
        assert mended.text == "120.5"
        assert shop.reads == 1, "the tool was not touched by arguments that do not fit"

    def test_a_script_that_is_no_script_is_told(self) -> None:
        shop = Shop()
        text = self.answer('await tools.note({ text: "x" });\nreturn (', shop=shop)
        assert "syntax" in text
        assert not shop.effects

    def test_the_text_that_the_model_reads_has_a_limit(self) -> None:
        text = self.answer('return "long ".repeat(20000)', result_tokens=200)
        assert len(text) <= 200 * 4
        assert "shortened" in text

    def test_limits_of_a_run_hold(self) -> None:
        script = "for (let n = 0; n < 9; n++) await tools.note({ text: String(n) });"
        shop = Shop()
        text = self.answer(script, shop=shop, limits={"calls": 3})
        assert "calls" in text
        assert shop.effects == ["note 0", "note 1", "note 2"]

    # -- what the framework adds

    def test_the_context_reaches_a_tool(self) -> None:
        if "context" in self.lacks:
            pytest.skip(f"{self.framework} hands no context to tools")
        assert self.answer("return await tools.whoami()") == USER

    def test_hooks_see_each_nested_call(self) -> None:
        if "hooks" in self.lacks:
            pytest.skip(f"{self.framework} has no hooks around tools")
        script = """
            await tools.get_order({ order_id: 1 });
            await tools.get_order({ order_id: 2 });
            return await tools.note({ text: "x" });
        """
        talk = self.say(script)
        assert talk.hooked == ["get_order", "get_order", "note"]

    def test_cancelling_the_agent_stops_the_tool(self) -> None:
        shop = Shop()

        async def cancel_while_it_waits() -> None:
            agent = asyncio.create_task(self.converse(shop, ["return await tools.wait()"]))
            await _until(lambda: shop.waiting or agent.done())
            assert shop.waiting
            agent.cancel()
            await asyncio.wait([agent])
            assert agent.cancelled()
            await _until(lambda: shop.cancelled)

        _run(cancel_while_it_waits())

    # -- approvals

    APPROVAL: ClassVar[str] = """
        await tools.note({ text: "before" });
        const said = await tools.refund({ order_id: 1 });
        await tools.note({ text: "after" });
        return said;
    """

    def test_an_approval_pauses_the_agent_and_nothing_is_done_twice(self) -> None:
        shop = Shop()
        if "pause" in self.lacks:
            with pytest.raises(ConfigurationError, match=f"refund.*{re.escape(self.framework)}"):
                self.say(self.APPROVAL, shop=shop, approvals=True)
            assert not shop.effects
            return
        seen_by_person: list[list[str]] = []

        def decide(tool: str, args: Any) -> bool:
            seen_by_person.append(list(shop.effects))
            return True

        talk = self.say(self.APPROVAL, shop=shop, approvals=True, decide=decide)
        assert talk.asked == [("refund", {"order_id": 1})]
        assert seen_by_person == [["note before"]], "the tool ran before anybody was asked"
        assert shop.effects == ["note before", "refund 1", "note after"]
        assert [answer.text for answer in talk.answers] == ["refunded 1"]
        assert talk.final == "done"

    def test_the_receipt_of_a_call_names_who_approved_it(self) -> None:
        if self.lacks & {"pause", "receipt of an approval"}:
            pytest.skip(f"approvals of {self.framework} are not those of receipts")
        contexts: list[Any] = []
        ended: list[RunResult] = []

        def approver(context: Any) -> str:
            contexts.append(context)
            return "carol"

        def watch(event: Event) -> None:
            if isinstance(event, RunEnded):
                ended.append(event.result)

        for given in (approver, "carol"):
            self.say(self.APPROVAL, approvals=True, approver=given, on_event=watch)
            (refund,) = (call for call in ended[-1].calls if call.tool == "refund")
            assert [(one.by, one.kind, one.who) for one in refund.decisions] == [
                ("person", "approve", "carol")
            ]
        assert contexts, "the function for approver= was not asked"
        assert not any(context is None for context in contexts)

    def test_a_rejection_reaches_the_script(self) -> None:
        if "pause" in self.lacks:
            pytest.skip(f"{self.framework} cannot pause; see the test of the refusal")
        shop = Shop()
        script = """
            await tools.note({ text: "before" });
            try {
                return await tools.refund({ order_id: 1 });
            } catch (error) {
                return `not done: ${error.code}`;
            }
        """
        text = self.answer(script, shop=shop, approvals=True, decide=forbid)
        assert text == "not done: denied"
        assert shop.effects == ["note before"]

    def test_two_approvals_in_one_script_are_asked_one_after_the_other(self) -> None:
        if "pause" in self.lacks:
            pytest.skip(f"{self.framework} cannot pause; see the test of the refusal")
        shop = Shop()
        script = """
            const first = await tools.refund({ order_id: 1 });
            await tools.note({ text: "between" });
            return [first, await tools.refund({ order_id: 2 })];
        """
        talk = self.say(script, shop=shop, approvals=True)
        assert talk.asked == [("refund", {"order_id": 1}), ("refund", {"order_id": 2})]
        assert shop.effects == ["refund 1", "note between", "refund 2"]
        assert talk.answers[0].text == '["refunded 1","refunded 2"]'

    def test_a_function_may_decide_while_the_script_waits(self) -> None:
        shop = Shop()

        async def approve(pending: Pending) -> Decision:
            await asyncio.sleep(0)
            return Approve() if pending.args["order_id"] == 1 else Reject("not that one")

        script = """
            const said = await tools.refund({ order_id: 1 });
            return [said, await tools.refund({ order_id: 2 }).catch((error) => error.message)];
        """
        talk = self.say(script, shop=shop, approvals=True, approve=approve)
        assert talk.answers[0].text == '["refunded 1","not that one"]'
        assert not talk.asked
        assert shop.effects == ["refund 1"]

    # -- the adapter itself

    def test_private_things_are_touched_in_one_marked_place(self) -> None:
        places = private_touches(self.package)
        unmarked = [place for place in places if not place.marked]
        assert not unmarked, "; ".join(f"{place.module}:{place.line}" for place in unmarked)
        assert len({(place.module, place.owner) for place in places}) <= 1


def _run(work: Coroutine[Any, Any, Value]) -> Value:
    async def guarded() -> Value:
        async with asyncio.timeout(GUARD_S):
            return await work

    return asyncio.run(guarded())


async def _until(holds: Callable[[], bool]) -> None:
    """Look again and again: what is waited for may happen on another thread."""
    for _ in range(int(GUARD_S / 0.01)):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("what was waited for did not happen")
