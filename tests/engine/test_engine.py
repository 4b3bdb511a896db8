"""`CodeMode` by its public names: what an embedder writes and gets."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, TypedDict

import pytest
from pydantic import BaseModel

from toolscript import (
    Approve,
    CancelToken,
    ClosedError,
    CodeMode,
    ConfigurationError,
    ContractError,
    Determinism,
    ErrorKind,
    GlobalFunction,
    InputError,
    Namespace,
    RunFailed,
    Tool,
    ToolContext,
    ToolError,
    ToolOptions,
    events,
)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def slow(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "late"


class Waiting:
    """A tool that tells when it was called, and returns when it may."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.free = asyncio.Event()
        self.stopped = False

    async def wait(self) -> str:
        """Wait."""
        self.begun.set()
        try:
            await self.free.wait()
        except asyncio.CancelledError:
            self.stopped = True
            raise
        return "late"


async def test_a_script_calls_tools_and_returns_a_value() -> None:
    async with CodeMode([add]) as codemode:
        result = await codemode.run("return await tools.add({ a: 1, b: 2 })")
    assert result.ok
    assert result.value == 3
    assert result.text() == "3"
    assert [(call.tool, call.status, call.args, call.result) for call in result.calls] == [
        ("add", "ok", {"a": 1, "b": 2}, 3)
    ]


async def test_calls_in_a_promise_all_overlap() -> None:
    codemode = CodeMode([slow])
    result = await codemode.run(
        "return (await Promise.all([1, 2, 3].map(() => tools.slow({ seconds: 0.05 })))).length"
    )
    assert result.value == 3
    assert result.usage.peak_parallel == 3


async def test_a_failure_is_a_result_with_position_and_excerpt() -> None:
    result = await CodeMode([add]).run("const a = 1;\nreturn missing + a;")
    assert result.status == "failed"
    assert result.error is not None
    assert result.error.kind is ErrorKind.EXCEPTION
    assert (result.error.name, result.error.line) == ("ReferenceError", 2)
    assert "return missing + a;" in result.error.excerpt
    with pytest.raises(RunFailed) as caught:
        result.unwrap()
    assert caught.value.result is result


async def test_positions_are_those_of_what_the_model_wrote() -> None:
    source = "Here it is:\n\n```ts\ninterface A { n: number }\nconst a: A = { n: 1 };\nthrow new Error('x' + a.n);\n```\n"
    result = await CodeMode([]).run(source)
    assert result.error is not None
    assert result.error.line == 6
    assert "throw new Error" in result.error.excerpt


def test_run_sync_outside_and_inside_a_loop() -> None:
    codemode = CodeMode([add])
    assert codemode.run_sync("return await tools.add({ a: 1, b: 2 })").value == 3

    async def inside() -> Any:
        return codemode.run_sync("return await tools.add({ a: 2, b: 2 })").value

    assert asyncio.run(inside()) == 4


async def test_stream_gives_events_in_order() -> None:
    seen = [
        event
        async for event in CodeMode([add]).stream(
            "console.log('hi'); progress('half', 0.5); return await tools.add({ a: 1, b: 1 })"
        )
    ]
    assert [type(event) for event in seen] == [
        events.RunStarted,
        events.Output,
        events.Progress,
        events.CallStarted,
        events.CallCompleted,
        events.RunEnded,
    ]
    assert isinstance(seen[-1], events.RunEnded)
    assert seen[-1].result.value == 2


async def test_runs_of_one_id_do_not_stand_in_each_others_way() -> None:
    first, second = Waiting(), Waiting()
    codemode = CodeMode([Namespace("first", [first.wait]), Namespace("second", [second.wait])])
    one = asyncio.create_task(codemode.run("return await first.wait()", run_id="same"))
    two = asyncio.create_task(codemode.run("return await second.wait()", run_id="same"))
    await first.begun.wait()
    await second.begun.wait()
    assert [run.run_id for run in codemode.list_runs()] == ["same", "same"]
    assert await codemode.abort("same")
    for result in (await one, await two):
        assert result.error is not None
        assert result.error.message == "the run was aborted"
    assert codemode.list_runs() == []


async def test_abort_ends_one_run() -> None:
    first, second = Waiting(), Waiting()
    codemode = CodeMode([Namespace("first", [first.wait]), Namespace("second", [second.wait])])
    one = asyncio.create_task(codemode.run("return await first.wait()", run_id="one"))
    two = asyncio.create_task(codemode.run("return await second.wait()", run_id="two"))
    await first.begun.wait()
    await second.begun.wait()
    assert {run.run_id for run in codemode.list_runs()} == {"one", "two"}
    assert await codemode.abort("one")
    assert not await codemode.abort("nobody")
    result = await one
    assert result.error is not None
    assert result.error.kind is ErrorKind.ABORTED
    assert [call.status for call in result.calls] == ["cancelled"]
    second.free.set()
    assert (await two).value == "late"


async def test_a_cancel_token_works_from_another_thread() -> None:
    token = CancelToken()
    threading.Timer(0.1, token.cancel, ["enough"]).start()
    result = await CodeMode([slow]).run("return await tools.slow({ seconds: 30 })", cancel=token)
    assert result.error is not None
    assert result.error.kind is ErrorKind.ABORTED
    assert "enough" in result.error.message


async def test_cancelling_the_task_stops_the_tool() -> None:
    waiting = Waiting()
    task = asyncio.create_task(CodeMode([waiting.wait]).run("await tools.wait()"))
    await waiting.begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert waiting.stopped


async def test_closing_aborts_or_drains() -> None:
    for drain, kind in ((False, ErrorKind.ABORTED), (True, None)):
        waiting = Waiting()
        codemode = CodeMode([waiting.wait])
        task = asyncio.create_task(codemode.run("return await tools.wait()"))
        await waiting.begun.wait()
        closing = asyncio.create_task(codemode.aclose(drain=drain))
        await asyncio.sleep(0)
        if drain:
            waiting.free.set()
        await closing
        result = await task
        assert (result.error.kind if result.error else None) == kind
        with pytest.raises(ClosedError):
            await codemode.run("return 1")


async def test_program_input_is_validated_once_and_frozen() -> None:
    class Order(BaseModel):
        id: int
        tags: list[str] = []

    class Window(TypedDict):
        days: int

    typed_dict = CodeMode([], input_schema=Window)
    assert (await typed_dict.run("return input.days", input={"days": 3})).value == 3
    codemode = CodeMode([], input_schema=Order)
    result = await codemode.run("input.tags.push(1); return 1", input={"id": "7"})
    assert result.error is not None
    assert result.error.name == "TypeError"
    assert (await codemode.run("return input", input=Order(id=7))).value == {"id": 7, "tags": []}
    with pytest.raises(InputError, match="id"):
        await codemode.run("return input", input={"id": "x"})
    with pytest.raises(InputError, match="pass `input=`"):
        await codemode.run("return input")
    with pytest.raises(InputError, match="no program input"):
        await CodeMode([]).run("return 1", input=None)


async def test_tools_come_and_go() -> None:
    codemode = CodeMode([add])
    before = codemode.contract.fingerprint
    codemode.add_tool(slow)
    assert codemode.contract.fingerprint != before
    assert "slow" in codemode.declarations()
    assert (await codemode.run("return await tools.slow({ seconds: 0 })")).value == "late"
    assert codemode.remove_tool("slow")
    assert not codemode.remove_tool("slow")
    assert codemode.contract.fingerprint == before
    with pytest.raises(ContractError, match="add"):
        codemode.add_tool(add)


async def test_namespaces_globals_shortcuts_and_hints() -> None:
    async def models(args: Any, context: ToolContext) -> Any:
        return args

    codemode = CodeMode(
        [Namespace("maths", [add]), slow],
        globals=[GlobalFunction("models", models, spread=True), GlobalFunction("db.get", models)],
        shortcuts={"nap": "slow"},
        tool_hints={"spawn": "runs outside scripts"},
    )
    result = await codemode.run(
        "return [await maths.add({ a: 1, b: 1 }), await tools.maths.add({ a: 2, b: 1 }),"
        " await models('x', 2), await db.get({ k: 1 }), await nap({ seconds: 0 })]"
    )
    assert result.value == [2, 3, ["x", 2], {"k": 1}, "late"]
    assert "declare const nap: typeof tools.slow;" in codemode.declarations()
    assert "declare const nap: typeof tools.slow;" in codemode.prompt()
    typed = CodeMode([slow], shortcuts={"nap": "slow"}, check="types")
    assert (await typed.validate("return (await nap({ seconds: 0 })).length")) == ()
    (wrong,) = await typed.validate("return await nap({ second: 0 })")
    assert "second" in wrong.message
    assert [call.tool for call in result.calls] == ["add", "add", "slow"]
    hinted = await codemode.run("tools.spawn()")
    assert hinted.error is not None
    assert "runs outside scripts" in hinted.error.message
    for name in ("tools", "console", "class", "Promise"):
        with pytest.raises(ConfigurationError, match=name):
            CodeMode([], globals=[GlobalFunction(name, models)])


async def test_modules_are_all_that_can_be_imported() -> None:
    codemode = CodeMode(
        [], modules={"stats": "export const sum = (xs) => xs.reduce((a, b) => a + b, 0)"}
    )
    result = await codemode.run('import { sum } from "stats";\nexport default () => sum([1, 2, 3])')
    assert result.value == 6
    refused = await codemode.run('import fs from "fs";\nexport default () => 1')
    assert refused.error is not None
    assert "stats" in refused.error.message + refused.error.hint


async def test_the_options_line_only_lowers() -> None:
    codemode = CodeMode([slow])
    result = await codemode.run(
        '// @options: {"timeout_ms": 200}\nreturn await tools.slow({ seconds: 30 })'
    )
    assert result.error is not None
    assert result.error.kind is ErrorKind.TIMEOUT
    short = await codemode.run('// @options: {"max_output_tokens": 60}\nreturn "x".repeat(5000)')
    assert len(short.text()) <= 240
    assert len(short.value) == 5000


async def test_a_tool_runs_a_nested_script_under_its_own_authority() -> None:
    async def outer(args: Any, context: ToolContext) -> Any:
        result = await context.run("return await tools.add({ a: 20, b: 22 })")
        return result.value

    async def endless(args: Any, context: ToolContext) -> Any:
        return (await context.run("return await tools.endless()")).unwrap()

    codemode = CodeMode(
        [
            add,
            Tool("outer", "", {"type": "object"}, None, outer),
            Tool("endless", "", True, None, endless),
        ]
    )
    assert (await codemode.run("return await tools.outer()")).value == 42
    deep = await codemode.run("return await tools.endless()")
    assert deep.error is not None
    assert "depth" in deep.error.message


async def test_validate_runs_nothing() -> None:
    codemode = CodeMode([add])
    assert await codemode.validate("return await tools.add({ a: 1, b: 2 })") == ()
    (problem,) = await codemode.validate("const a = ;")
    assert problem.line == 1
    assert problem.excerpt.startswith("const a = ;")
    (empty,) = await codemode.validate("  ")
    assert "empty" in empty.message
    (long,) = await codemode.validate("// " + "x" * 70_000)
    assert "65,536" in long.message


async def test_approval_by_callback() -> None:
    asked: list[Any] = []

    async def approve(pending: Any) -> Approve:
        asked.append((pending.tool, pending.args))
        return Approve()

    async def refund(args: Any, context: ToolContext) -> str:
        return f"refunded {args['amount']}"

    tool = Tool("refund", "", True, None, refund, options=ToolOptions(requires_approval=True))
    result = await CodeMode([tool], approve=approve).run("return await tools.refund({ amount: 5 })")
    assert result.value == "refunded 5"
    assert asked == [("refund", {"amount": 5})]


async def test_determinism_repeats_a_run() -> None:
    pinned = Determinism(now_ms=1_700_000_000_000, seed=7)
    script = "return [Date.now(), Math.random(), new Date().toISOString()]"
    first = await CodeMode([]).run(script, determinism=pinned)
    second = await CodeMode([]).run(script, determinism=pinned)
    assert first.value == second.value
    assert first.value[0] == 1_700_000_000_000


async def test_the_store_is_the_callers() -> None:
    codemode = CodeMode([])
    result = await codemode.run(
        "store('n', load('n') + 1); store('old', undefined)", store={"n": 1, "old": 2}
    )
    assert result.store_writes.set == {"n": 2}
    assert result.store_writes.delete == ("old",)
    failed = await codemode.run("store('n', 1); throw 1")
    assert failed.store_writes.set == {}


async def test_a_tool_error_carries_code_and_details() -> None:
    def limited() -> None:
        """Fail."""
        raise ToolError("too fast", details={"retry_after": 30})

    result = await CodeMode([limited]).run(
        "try { await tools.limited() } catch (e) {"
        " return [e instanceof ToolError, e instanceof Error, e.tool, e.code, e.message, e.details] }"
    )
    assert result.value == [True, True, "limited", "failed", "too fast", {"retry_after": 30}]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"profile": "nonsense"}, "profiles are"),
        ({"parallel": "some"}, "'reads'"),
        ({"colour": 1}, "takes no 'colour'"),
        ({"limits": {"wall_s": -1}}, "wall_s"),
        ({"limits": {"walls": 1}}, "no limit"),
        ({"profile": "constrained", "limits": {"wall_s": 31}}, "at most 30"),
        ({"timers": "yes"}, "True or False"),
    ],
)
def test_configuration_mistakes_get_a_sentence(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        CodeMode([], **options)


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ([1], "no tool"),
        ("abc", "list of tools"),
        ([lambda x: x], "name"),
        ([add, add], "same name"),
        ([int], "class"),
    ],
)
def test_what_is_no_tool_gets_a_sentence(tools: Any, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        CodeMode(tools)
