"""Runs that outlive a pause or a process: begun under a journal, gone on with from it."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, Final, TypeVar

from toolscript import jsontext
from toolscript.answers import check_answers, problem_of, with_ignored, with_refused
from toolscript.contract.contract import Contract
from toolscript.errors import JournalError, ResumeError
from toolscript.host.approval import ApproveCallback, Verdict
from toolscript.host.entries import Entry, Head, log_from_bytes
from toolscript.host.journal import SETTLED, Journal, MemoryJournal, StoredRun, StoredStatus
from toolscript.host.lease import Lease, new_lease
from toolscript.host.policy import Authority, Policy
from toolscript.host.replay import RunJournal
from toolscript.host.shielded import shielded
from toolscript.launch import Parts, Request, launch
from toolscript.live import RunInfo
from toolscript.result import UNSET, Call, CallError, ErrorKind, RunError, RunResult, Unset

T = TypeVar("T")

_log = logging.getLogger("toolscript")

_PAUSED_RUNS: Final = 100
_PAUSED_S: Final = 3600.0

_GIVEN_UP: Final = CallError("cancelled", "the run was aborted before the call began")
_NEVER_KNOWN: Final = CallError(
    "cancelled", "the run was aborted, and nobody said what became of the call"
)

_OTHER_STORE: Final = (
    "the store given on resume is not the one that the run began with; the script goes on with "
    "that one"
)

# What may change between the parts of a run without changing the script's path.
_FREE_KNOBS: Final = frozenset({"name", "limits", "maxima", "redact", "check", "isolation"})


class PausedRuns(MemoryJournal):
    """Holds the paused runs of an engine without a journal: the last 100, for an hour.

    An id that is used again takes the place of a run that is over: nobody asked for its record.
    """

    def __init__(self) -> None:
        super().__init__(max_runs=_PAUSED_RUNS, keep_s=_PAUSED_S)

    async def create(self, run_id: str, head: bytes, lease: Lease) -> bool:
        self.forget_settled(run_id)
        return await super().create(run_id, head, lease)

    async def settle(
        self, run_id: str, lease: Lease, status: StoredStatus, outcome: bytes | None
    ) -> bool:
        if status in SETTLED:
            # Nobody will go through it again, and its results may be large.
            self.forget_entries(run_id)
        return await super().settle(run_id, lease, status, outcome)


def may_pause(contract: Contract, policy: Policy | None, approve: ApproveCallback | None) -> bool:
    """Whether a run may come to wait for a person, so that somebody has to keep it."""
    return approve is None and (
        policy is not None
        or any(entry.tool.options.requires_approval is not False for entry in contract.entries)
    )


async def begin(parts: Parts, request: Request, journal: Journal) -> RunResult:
    """Run a script under a journal. An id that the journal knows as settled gives its result.

    Raises:
        ResumeError: if the id belongs to a run that is not over, or to another script.
        JournalError: if the journal cannot be read or written.
    """
    head = _head(parts, request)
    lease = new_lease()
    try:
        created = await journal.create(request.run_id, head.to_bytes(), lease)
    except asyncio.CancelledError:
        await _give_back(journal, request.run_id, lease)
        raise
    if created:
        return await _under(RunJournal(journal, head, lease, ()), parts, request)
    stored = await journal.load(request.run_id)
    if stored is None or stored.status not in SETTLED:
        raise ResumeError(
            f"there is a run {request.run_id!r} already, and it is not over; use resume() to go "
            "on with it, or another run_id"
        )
    before = head_of(stored)
    if (before.source, before.input) != (head.source, head.input):
        raise ResumeError(
            f"there is a run {request.run_id!r} already, of another script or input; use another "
            "run_id"
        )
    return recorded(stored)


async def resume(
    parts: Parts,
    request: Request,
    journal: Journal,
    answers: Mapping[str, Verdict],
    given_store: Mapping[str, Any] | None,
) -> RunResult:
    """Go on with a paused or interrupted run; a settled one gives its recorded result.

    Of `request` only the id and what is not on record counts: context, authority, deadline,
    observer. Answers to what is not pending, and those that bring what does not fit, change
    nothing and are named in the warnings; the latter calls are asked about again.

    Raises:
        ResumeError: for a run that is unknown, at work elsewhere, or was made by other tools.
        JournalError: if the journal cannot be read or written.
    """
    check_answers(answers)
    stored = await journal.load(request.run_id)
    if stored is None:
        raise ResumeError(
            f"there is no run {request.run_id!r} to resume: it was never begun under this "
            "journal, or it was pruned or kept for too short a time"
        )
    if stored.status in SETTLED:
        return with_ignored(stored, recorded(stored), tuple(answers))
    head = head_of(stored)
    _check_unchanged(parts, head)
    _check_guarded(parts, head)
    authority = _authority(head, request.authority)
    asks_again = stored.status == "paused" and parts.approve is not None
    waits = stored.status in ("paused", "undecided") and not asks_again
    if waits:
        result = recorded(stored)
        pending = {pending.id for pending in result.pending}
        if not pending & answers.keys():
            return with_ignored(stored, result, tuple(answers))
    run = await _take_over(journal, stored, head)
    try:
        answered = await run.answer(answers, partial(problem_of, parts))
    except ResumeError:
        # It was not answered: it goes on waiting as it did.
        status = "interrupted" if stored.status == "running" else stored.status
        await _let_go(run, status, stored.outcome)
        raise
    except BaseException:
        await _let_go(run)
        raise
    if waits and not answered.taken:
        await run.let_go(stored.status, stored.outcome)
        result = with_refused(recorded(stored), answered.refused)
        return with_ignored(stored, result, answered.ignored)
    store: dict[str, Any] = jsontext.loads(head.store)
    result = await _under(
        run,
        parts,
        replace(
            request,
            source=head.source,
            input=UNSET if head.input is None else jsontext.loads(head.input),
            store=store,
            authority=authority,
            resumed=True,
        ),
    )
    if given_store is not None and dict(given_store) != store:
        result = replace(result, warnings=(*result.warnings, _OTHER_STORE))
    return with_ignored(stored, with_refused(result, answered.refused), answered.ignored)


async def give_up(journal: Journal, run_id: str) -> bool:
    """End a stored run that nobody is at work on as `aborted`; False if there is none."""
    stored = await journal.load(run_id)
    if stored is None or stored.status in SETTLED or stored.leased:
        return False
    run = await _take_over(journal, stored, head_of(stored))
    before = RunResult(run_id, "failed") if stored.outcome is None else recorded(stored)
    result = replace(
        before,
        status="failed",
        pending=(),
        calls=tuple(_given_up(call) if call.status == "pending" else call for call in before.calls),
        error=RunError(ErrorKind.ABORTED, "the run was aborted"),
    )
    await run.settle("failed", result.to_json(), result.usage)
    return True


def _given_up(call: Call) -> Call:
    error = _GIVEN_UP if call.started_at is None else _NEVER_KNOWN
    return replace(call, status="cancelled", error=error)


async def stored_runs(journal: Journal) -> list[RunInfo]:
    """The runs of a journal; one whose owner died shows as "interrupted"."""
    now = time.time()
    return [
        RunInfo(
            run_id=run.run_id,
            status=run.standing,
            age_s=max(0.0, now - run.created_at),
            pending=recorded(run).as_shown().pending
            if run.status in ("paused", "undecided")
            else (),
        )
        for run in await journal.stored_runs()
    ]


async def _under(run: RunJournal, parts: Parts, request: Request) -> RunResult:
    try:
        result = await launch(parts, replace(request, journal=run))
        await run.settle(_status(result), result.to_json(), result.usage)
    except BaseException:
        await _let_go(run)
        raise
    return result


async def _let_go(
    run: RunJournal, status: StoredStatus = "interrupted", outcome: bytes | None = None
) -> None:
    try:
        await shielded(lambda: run.let_go(status, outcome))
    except Exception:
        # What brought us here matters more; the lease ends by itself.
        _log.warning("run %s could not be released", run.head.run_id, exc_info=True)


async def _give_back(journal: Journal, run_id: str, lease: Lease) -> None:
    """Let go of a run of which it is not known whether the lease was taken."""

    async def give_back() -> None:
        await journal.settle(run_id, lease, "interrupted", None)

    try:
        await shielded(give_back)
    except Exception:
        _log.warning("run %s could not be released", run_id, exc_info=True)


async def _take_over(journal: Journal, stored: StoredRun, head: Head) -> RunJournal:
    # Before the lease is taken: what cannot be read stays as it is.
    log_of(stored)
    lease = new_lease()
    owner = stored.lease.owner if stored.lease else None
    try:
        claimed = not stored.leased and await journal.claim(stored.run_id, lease, instead_of=owner)
        # Only now can nobody else add to the log.
        current = await journal.load(stored.run_id) if claimed else None
    except asyncio.CancelledError:
        await _give_back(journal, stored.run_id, lease)
        raise
    if current is None:
        raise ResumeError(
            f"run {stored.run_id!r} is being run at this moment, here or in another process; "
            "wait for it to end or to pause"
        )
    return RunJournal(journal, head, lease, log_of(current))


def _head(parts: Parts, request: Request) -> Head:
    clock = request.clock
    return Head(
        run_id=request.run_id,
        source=request.source,
        fingerprint=parts.contract.fingerprint,
        profile=_behaviour(parts),
        input=None if isinstance(request.input, Unset) else jsontext.dumps(request.input),
        store=jsontext.dumps(dict(request.store)),
        authority=None if request.authority is None else _authority_json(request.authority),
        now_ms=time.time_ns() // 1_000_000 if clock is None else clock.now_ms,
        seed=_seed(request.run_id) if clock is None else clock.seed,
        advancing=clock is None or clock.advancing,
        policy=None if parts.policy is None else parts.policy.version,
        redacted=parts.profile.redact is not None,
    )


def _seed(run_id: str) -> int:
    return int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:4], "big")


def _behaviour(parts: Parts) -> str:
    """A digest of all but the tools that decides which path a script takes."""
    profile = parts.profile
    knobs = {
        item.name: _plain(getattr(profile, item.name))
        for item in fields(profile)
        if item.name not in _FREE_KNOBS
    }
    surroundings = parts.surroundings
    told = [knobs, dict(surroundings.modules), sorted(surroundings.names)]
    return hashlib.sha256(jsontext.dumps(told, sort_keys=True).encode()).hexdigest()


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value  # pyright: ignore


def _check_unchanged(parts: Parts, head: Head) -> None:
    changed: Sequence[str] = [
        what
        for what, now, then in (
            ("the tools", parts.contract.fingerprint, head.fingerprint),
            ("the profile, its knobs, the modules or the globals", _behaviour(parts), head.profile),
        )
        if now != then
    ]
    if changed:
        raise ResumeError(
            f"run {head.run_id!r} cannot go on: {' and '.join(changed)} changed since it began, "
            "and the script could take another path; resume it with those it began with, or "
            "begin a new run"
        )


def _check_guarded(parts: Parts, head: Head) -> None:
    """A run goes on under a policy, and with redaction, where it began so; new ones count."""
    missing: list[str] = []
    if head.policy is not None and parts.policy is None:
        missing.append(f"a policy (it began under version {head.policy!r}; pass policy=)")
    if head.redacted and parts.profile.redact is None:
        missing.append("a hook that keeps its secrets from records (pass redact=)")
    if missing:
        raise ResumeError(f"run {head.run_id!r} cannot go on without {' and '.join(missing)}")


def _authority_json(authority: Authority) -> dict[str, Any]:
    return {item.name: _plain(getattr(authority, item.name)) for item in fields(authority)}


def _authority(head: Head, given: Authority | None) -> Authority | None:
    """The authority to go on with: the recorded one, or a given one within it."""
    recorded = None
    if head.authority is not None:
        values: dict[str, Any] = dict(head.authority)
        capabilities = frozenset(values.pop("capabilities"))
        recorded = Authority(capabilities=capabilities, **values)
    if given is None:
        return recorded
    held = recorded.capabilities if recorded else frozenset[str]()
    if not given.capabilities <= held:
        extra = ", ".join(sorted(given.capabilities - held))
        raise ResumeError(
            f"run {head.run_id!r} was begun without the capabilities {extra}; an authority "
            "given on resume may only narrow the one on record"
        )
    return given


def _status(result: RunResult) -> StoredStatus:
    if result.error is not None and result.error.kind is ErrorKind.UNKNOWN_OUTCOME:
        return "undecided"
    return result.status


def recorded(stored: StoredRun) -> RunResult:
    """How a run ended, or what it waits for.

    Raises:
        JournalError: if it cannot be read.
    """
    outcome = stored.outcome
    if outcome is None:
        raise _damaged(stored, "how it stands")
    return _read(stored, "how it stands", lambda: RunResult.from_json(outcome.decode()))


def head_of(stored: StoredRun) -> Head:
    """What a run was begun with.

    Raises:
        JournalError: if it cannot be read.
        ResumeError: if another version of toolscript wrote it.
    """
    return _read(stored, "what it was begun with", lambda: Head.from_bytes(stored.head))


def log_of(stored: StoredRun) -> Sequence[Entry]:
    """What a run did, entry for entry.

    Raises:
        JournalError: if it cannot be read.
    """
    if stored.outcome is not None and not stored.entries:
        raise _damaged(stored, "all that it did")
    try:
        return log_from_bytes(stored.entries)
    except ValueError as error:
        raise _damaged(stored, str(error)) from error


def _read(stored: StoredRun, what: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(stored, what) from error


def _damaged(stored: StoredRun, what: str) -> JournalError:
    return JournalError(
        f"run {stored.run_id!r} cannot be read from the journal: {what} is missing or damaged "
        "there. Nothing was run. Restore the journal from a copy, or begin a new run after "
        "finding out what this one did"
    )
