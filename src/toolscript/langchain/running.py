"""One code run inside a graph: begun or gone on with, paused by interrupts, kept in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping, MutableMapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from toolscript.engine import CodeMode
from toolscript.events import OnEvent
from toolscript.host.approval import Answer, signed
from toolscript.host.policy import Authority
from toolscript.langchain.approvals import answer_from, question
from toolscript.langchain.checkpoint import RunRecord, current_record, record_of
from toolscript.langchain.engines import Engines
from toolscript.langchain.pausing import Bubble
from toolscript.langchain.session import Session, current_session
from toolscript.result import Pending, RunResult

_at_work: dict[str, Future[None]] = {}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run gets besides its script; see `CodeMode.run`."""

    input: Any
    context: Any
    store: MutableMapping[str, Any] | None
    authority: Authority | None
    approver: str
    on_event: OnEvent | None


async def run_in_graph(
    engines: Engines, source: str, session: Session, given: RunOptions, *, is_async: bool
) -> RunResult:
    """Run a script to its end. What it had done before an interruption is not done again.

    Raises:
        BaseException: what nested calls raised to steer the graph, interrupts above all.
    """
    record = record_of(session, is_async=is_async)
    if record is None:
        result = await _run(engines.plain, source, session, given, None)
    else:
        session.run_id = record.run_id
        async with _alone(record.run_id):
            result = await _run(engines.kept, source, session, given, record)
    if given.store is not None and result.ok:
        given.store.update(result.store_writes.set)
        for key in result.store_writes.delete:
            given.store.pop(key, None)
    return result


async def _run(
    engine: CodeMode,
    source: str,
    session: Session,
    given: RunOptions,
    record: RunRecord | None,
) -> RunResult:
    session_token = current_session.set(session)
    record_token = None if record is None else current_record.set(record)
    try:
        if record is None:
            result = await _begin(engine, source, given, session.run_id)
        else:
            await record.load()
            result = await _begin_or_go_on(engine, source, given, record)
        decisions: Mapping[str, Answer] = {}
        while result.status == "paused" and session.may_pause:
            # What waits in spite of an answer got one that could not be used.
            decisions = _decisions(session, result, given.approver, refused=decisions.keys())
            result = await _resume(engine, result.run_id, decisions, given)
        return result
    except Bubble:
        if record is not None:
            await record.pause()
        raise session.pauses.error() from None
    finally:
        current_session.reset(session_token)
        if record_token is not None:
            current_record.reset(record_token)


@asynccontextmanager
async def _alone(run_id: str) -> AsyncGenerator[None]:
    """Wait until this process is through with an earlier execution of the same run.

    A node that runs several tools in one task leaves the others at work when one pauses the
    graph, and may be executed again before they end. They may belong to another event loop.
    """
    through = Future[None]()
    while (earlier := _at_work.setdefault(run_id, through)) is not through:
        await asyncio.shield(asyncio.wrap_future(earlier))
    try:
        yield
    finally:
        del _at_work[run_id]
        through.set_result(None)


async def _begin(engine: CodeMode, source: str, given: RunOptions, run_id: str) -> RunResult:
    return await engine.run(
        source,
        input=given.input,
        context=given.context,
        store=given.store,
        authority=given.authority,
        on_event=given.on_event,
        run_id=run_id,
    )


async def _begin_or_go_on(
    engine: CodeMode, source: str, given: RunOptions, record: RunRecord
) -> RunResult:
    if record.stored is None:
        return await _begin(engine, source, given, record.run_id)
    return await _resume(engine, record.run_id, record.made_again(), given)


async def _resume(
    engine: CodeMode, run_id: str, decisions: Mapping[str, Answer], given: RunOptions
) -> RunResult:
    return await engine.resume(
        run_id,
        decisions,
        context=given.context,
        store=given.store,
        authority=given.authority,
        on_event=given.on_event,
    )


def _decisions(
    session: Session, result: RunResult, approver: str, *, refused: Collection[str]
) -> dict[str, Answer]:
    """What a person said about each waiting call; `approver`, where an answer names nobody.

    Calls whose last answer was refused are asked about again.

    Raises:
        Bubble: some wait for an answer still; the graph pauses for all of them at once.
    """
    decided: dict[str, Answer] = {}
    for pending in result.pending:
        answer = _answer(session, pending, again=pending.id in refused)
        if answer is not None:
            decided[pending.id] = signed(answer, approver)
    if len(decided) < len(result.pending):
        raise Bubble(session.pauses.error())
    return decided


def _answer(session: Session, pending: Pending, *, again: bool) -> Answer | None:
    asker = f"{session.id_of((pending.seq,))}:approval"
    description = pending.reason or f"The script wants to call {pending.tool}."
    if again:
        # The reason says what was wrong.
        return _ask_again(session, pending, asker, description)
    asked = question(pending.tool, pending.args, description)
    replies = session.ask(asker, pending.seq, asked)
    if not replies:
        return None
    answer = answer_from(replies[0])
    if not isinstance(answer, str):
        return answer
    return _ask_again(session, pending, asker, answer)


def _ask_again(session: Session, pending: Pending, asker: str, problem: str) -> None:
    description = pending.reason or f"The script wants to call {pending.tool}."
    asked = question(pending.tool, pending.args, description, problem=problem)
    session.pauses.drop_answers(asker, 0)
    session.ask(asker, pending.seq, asked, new=False)
