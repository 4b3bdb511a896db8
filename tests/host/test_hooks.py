"""Whatever a function of the embedder's raises, a run ends, and no call runs that was not allowed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from toolscript import (
    CodeMode,
    InlineRuntime,
    JournalError,
    MemoryJournal,
    Policy,
    RunResult,
    ToolOptions,
    events,
    tool_from,
)


class Steering(BaseException):
    """As frameworks use them to leave from within a tool."""


RAISED: tuple[BaseException, ...] = (
    ValueError("no"),
    SystemExit(3),
    asyncio.CancelledError(),
    StopIteration(),
    Steering("out"),
)


def first() -> int:
    return 1


SCRIPT = "await tools.first(); return await tools.second()"


def raising(error: BaseException, is_async: bool) -> Callable[..., Any]:
    def hook(*args: Any) -> None:
        raise error

    async def async_hook(*args: Any) -> None:
        await asyncio.sleep(0)
        raise error

    return async_hook if is_async else hook


def engine(ran: list[str], *, options: ToolOptions | None = None, **parts: Any) -> CodeMode:
    def second() -> int:
        ran.append("second")
        return 2

    tools = [first, tool_from(second, options=options or ToolOptions())]
    return CodeMode(tools, runtime=InlineRuntime(), **parts)


async def ends(codemode: CodeMode, **options: Any) -> RunResult | BaseException:
    """How a run ended; nothing of it is left."""
    async with asyncio.timeout(60):
        task = asyncio.ensure_future(codemode.run(SCRIPT, **options))
        await asyncio.wait([task])
    for _ in range(2_000):
        if asyncio.all_tasks() == {asyncio.current_task()}:
            break
        await asyncio.sleep(0.005)
    else:
        pytest.fail(f"still at work: {asyncio.all_tasks()}")
    assert all(info.status != "running" for info in codemode.list_runs())
    return task.exception() or task.result()


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", ["policy", "approve", "requires_approval"])
async def test_who_decides_and_raises_denies(
    place: str, error: BaseException, is_async: bool, caplog: pytest.LogCaptureFixture
):
    ran: list[str] = []
    hook = raising(error, is_async)
    match place:
        case "policy":
            codemode = engine(ran, policy=Policy(hook))
        case "approve":
            codemode = engine(ran, options=ToolOptions(requires_approval=True), approve=hook)
        case _:
            codemode = engine(ran, options=ToolOptions(requires_approval=hook))
    with caplog.at_level(logging.WARNING, logger="toolscript"):
        ended = await ends(codemode)
    assert not ran
    if isinstance(error, Steering):
        assert ended is error
        return
    assert isinstance(ended, RunResult)
    assert ended.calls[-1].status == "denied"
    # Who runs the host learns what was raised and where, the script only its type.
    assert place in caplog.text
    assert str(error) in caplog.text


async def test_the_receipt_says_which_predicate_raised_and_what():
    ran: list[str] = []
    options = ToolOptions(requires_approval=raising(TypeError("no `>` of str and int"), False))
    ended = await ends(engine(ran, options=options))
    assert isinstance(ended, RunResult)
    note = "requires_approval of second raised TypeError: no `>` of str and int"
    assert ended.calls[-1].note == note
    assert "no `>`" not in ended.text()
    bare = await ends(engine(ran, options=options, tool_errors="code"))
    assert isinstance(bare, RunResult)
    assert bare.calls[-1].note is None


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
async def test_an_observer_that_raises_changes_nothing(error: BaseException, is_async: bool):
    ended = await ends(engine([]), on_event=raising(error, is_async))
    assert isinstance(ended, RunResult)
    assert ended.value == 2


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
async def test_a_redaction_that_raises_shows_nothing(error: BaseException):
    ended = await ends(engine([], redact=raising(error, False)))
    assert isinstance(ended, RunResult)
    assert ended.value == 2
    assert "not shown" in str(ended.calls[-1].result)


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
async def test_a_parser_that_raises_fails_its_call(error: BaseException):
    def second() -> int:
        raise AssertionError("its arguments were never read")

    broken = replace(tool_from(second), parse_input=raising(error, False))
    ended = await ends(CodeMode([first, broken], runtime=InlineRuntime()))
    if isinstance(error, Steering):
        assert ended is error
    else:
        assert isinstance(ended, RunResult)
        assert ended.calls[-1].status == "error"


class BrokenJournal(MemoryJournal):
    """One of whose methods raises once the run is on its way."""

    def __init__(self, method: str, error: BaseException) -> None:
        super().__init__()
        setattr(self, method, raising(error, True))


@pytest.mark.parametrize(
    # A SystemExit ends the event loop, wherever it is raised.
    "error",
    [error for error in RAISED if not isinstance(error, SystemExit)],
    ids=lambda error: type(error).__name__,
)
async def test_a_journal_that_fails_ends_the_run_before_anything_happens(error: BaseException):
    ran: list[str] = []
    journal = BrokenJournal("append", error)
    told: list[events.Event] = []
    ended = await ends(engine(ran, journal=journal), on_event=told.append)
    assert not ran
    if isinstance(error, asyncio.CancelledError):
        assert isinstance(ended, JournalError)
    elif isinstance(error, StopIteration):
        assert isinstance(ended, RuntimeError)
    else:
        assert ended is error
    assert isinstance(told[-1], events.RunEnded)


async def test_an_observer_hears_of_a_run_that_a_frameworks_exception_leaves():
    def leaves() -> None:
        raise Steering

    told: list[events.Event] = []

    async def watch(event: events.Event) -> None:
        await asyncio.sleep(0)
        told.append(event)

    codemode = CodeMode([leaves], runtime=InlineRuntime())
    with pytest.raises(Steering):
        await codemode.run("return await tools.leaves()", on_event=watch)
    last = told[-1]
    assert isinstance(last, events.RunEnded)
    assert last.result.error is not None
    assert "Steering" in last.result.error.message


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
async def test_the_engines_observer_and_the_runs_own_are_each_as_if_alone(error: BaseException):
    told: list[events.Event] = []
    told_async: list[events.Event] = []

    async def tell(event: events.Event) -> None:
        await asyncio.sleep(0)
        told_async.append(event)

    for first_one, second_one in ((raising(error, False), told.append), (tell, told.append)):
        told.clear()
        codemode = engine([], on_event=first_one)
        assert isinstance(await ends(codemode, on_event=second_one), RunResult)
        assert isinstance(told[0], events.RunStarted)
        assert isinstance(told[-1], events.RunEnded)
    assert told_async == told
