"""The stages between arguments that fit and the line: authority, the policy, a person."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from toolscript import jsontext
from toolscript.contract.entry import Entry
from toolscript.contract.tool import Manifest
from toolscript.errors import ToolError
from toolscript.given import described
from toolscript.host.approval import (
    ANSWER,
    Answer,
    Edit,
    Reject,
    asked_again,
    pending_id,
    word_of,
)
from toolscript.host.arguments import fitting_edit
from toolscript.host.asking import NoAnswer, asked
from toolscript.host.availability import refusal_of
from toolscript.host.failures import failed
from toolscript.host.live_call import LiveCall
from toolscript.host.policy import (
    Policy,
    PolicyRequest,
    Refusal,
    capabilities_of,
    decided,
)
from toolscript.host.receipts import Record, redacted
from toolscript.host.setup import RunSetup
from toolscript.render import shorten_string
from toolscript.result import CallDecision, Pending

_log = logging.getLogger("toolscript")

_NOTE_CHARS: Final = 300

_MOST_TRIES: Final = 5
"""How often `approve` is asked about one call; one that is no person may never give arguments that fit."""


def check_authority(setup: RunSetup, entry: Entry, record: Record) -> None:
    """Raises `ToolError` (denied) for a tool that the run's authority does not cover."""
    refusal = refusal_of(entry, setup.authority, setup.profile, setup.policy, setup.runtime_name)
    if refusal is not None:
        record.decided(CallDecision("authority", "deny", reason=refusal.reason))
        raise _denied(refusal)


def needs_permission(setup: RunSetup, call: LiveCall) -> bool:
    """Whether a call waits for somebody's word, or follows one: a policy's or a person's."""
    if setup.policy is not None or call.answer is not None:
        return True
    return call.entry.tool.options.requires_approval is not False


async def permission(
    setup: RunSetup,
    call: LiveCall,
    *,
    effects_so_far: Callable[[], Sequence[str]],
    waits: Callable[[Pending], None],
    person_decides: Callable[[bool], None],
) -> Pending | None:
    """Ask the policy, then the person, about one call.

    Returns None when the call may run, or the `Pending` for which there is no answer yet.

    Args:
        waits: told of a call that waits for a person.
        person_decides: told True and False around the time that a person takes.

    Raises:
        ToolError: when it may not run.
    """
    asks = await _ask_policy(setup, call)
    if asks is None:
        asks = await _ask_options(setup, call)
    if call.answer is None and (asks is None or call.allowed):
        return None
    # What a person said counts, even if by now nobody would ask them.
    pending = _pending(setup, call, asks or "", tuple(effects_so_far()))
    answer = call.answer
    if answer is None and setup.approve is None and setup.depth:
        raise failed("denied", "the call needs an approval, and a nested script cannot pause")
    if answer is None:
        journal, known = setup.journal, call.known
        if journal is not None and known is not None:
            await journal.ask(known, pausing=setup.approve is None)
        waits(pending)
        if setup.approve is None:
            return pending
        began = time.perf_counter()
        person_decides(True)
        try:
            answer = await _ask_person(setup, call, pending)
        finally:
            person_decides(False)
            call.record.waited_ms = (time.perf_counter() - began) * 1000
        if journal is not None and known is not None:
            await journal.decide(known, answer)
    await _follow(setup, call, answer)
    return None


async def _ask_policy(setup: RunSetup, call: LiveCall) -> str | None:
    """Why a person has to be asked, or None; narrows the call's authority."""
    policy = setup.policy
    if policy is None:
        return None
    request = _request(setup, call, policy)
    decision = await decided(
        policy, request, strict=setup.profile.require_policy, sandboxed=setup.sandboxed
    )
    made = CallDecision("policy", "deny", policy_version=policy.version, reason=decision.reason)
    if isinstance(decision, Refusal):
        call.record.decided(replace(made, id=decision.decision_id))
        raise _denied(decision)
    call.record.decided(replace(made, kind=decision.kind, id=decision.id))
    if call.authority is not None:
        call.authority = call.authority.narrowed(decision.scope)
    return decision.reason if decision.kind == "ask" else None


def _request(setup: RunSetup, call: LiveCall, policy: Policy) -> PolicyRequest:
    entry = call.entry
    return PolicyRequest(
        tool=entry.tool.name,
        namespace=entry.namespace,
        args=jsontext.loads(call.sent),
        manifest=entry.tool.options.manifest or Manifest(),
        capabilities=capabilities_of(entry.tool),
        authority=setup.authority,
        policy_version=policy.version,
        run_id=setup.run_id,
        seq=call.record.seq,
        line=call.record.line,
        depth=setup.depth + 1,
        app=setup.app,
    )


async def _ask_options(setup: RunSetup, call: LiveCall) -> str | None:
    """Why the tool's own options want a person to be asked, or None."""
    wanted: Any = call.entry.tool.options.requires_approval
    if callable(wanted):
        predicate: Callable[[Any], Any] = wanted
        what = f"requires_approval of {call.entry.tool.name}"
        try:
            wanted = await asked(what, lambda: predicate(jsontext.loads(call.sent)))
        except NoAnswer as none:
            raise _unanswered(
                setup, call, none, "whether the call needs an approval could not be told"
            ) from none
    # Whatever is no clear no is a question for a person.
    if wanted is False:
        return None
    if setup.profile.require_policy:
        raise failed("denied", "the call needs an approval, and there is nobody to give it here")
    if call.entry.tool.options.requires_approval is True:
        return f"every call of {call.entry.tool.name} needs an approval"
    return f"a call of {call.entry.tool.name} with these arguments needs an approval"


def _pending(setup: RunSetup, call: LiveCall, reason: str, effects: tuple[str, ...]) -> Pending:
    record, redact = call.record, setup.profile.redact
    args = jsontext.loads(call.sent)
    return Pending(
        id=pending_id(setup.run_id, record.seq, call.entry.expression, call.sent),
        tool=record.tool,
        args=args,
        redacted=redact is not None,
        shown=None if redact is None else redacted(record.tool, args, redact),
        reason=reason,
        seq=record.seq,
        line=record.line,
        namespace=record.namespace,
        effects_so_far=effects,
    )


async def _ask_person(setup: RunSetup, call: LiveCall, pending: Pending) -> Answer:
    """What the person says; asked again, within bounds, for arguments that do not fit."""
    answer = await _said(setup, call, pending)
    for _ in range(_MOST_TRIES - 1):
        if not isinstance(answer, Edit):
            break
        try:
            fitting_edit(answer.args, call.gate, setup.profile)
        except ToolError as error:
            answer = await _said(setup, call, asked_again(pending, str(error)))
        else:
            break
    return answer


async def _said(setup: RunSetup, call: LiveCall, pending: Pending) -> Answer:
    approve = setup.approve
    assert approve is not None
    try:
        answer = await asked(f"approve, on a call of {pending.tool}", lambda: approve(pending))
    except NoAnswer as none:
        raise _unanswered(setup, call, none, "the approval failed") from none
    if not ANSWER.fits(answer):
        instead = ANSWER.instead(answer)
        reason = (
            f"the approval gave {described(answer)} and has to give {ANSWER.words}"
            f"{f', here {instead}' if instead else ''}"
        )
        _log.warning("on a call of %s, %s", pending.tool, reason)
        raise failed("denied", reason)
    return answer


async def _follow(setup: RunSetup, call: LiveCall, answer: Answer) -> None:
    call.record.decided(word_of(answer))
    if isinstance(answer, Reject):
        raise failed("denied", answer.reason or "a person rejected the call")
    if isinstance(answer, Edit):
        call.args, call.sent = fitting_edit(answer.args, call.gate, setup.profile)
        call.record.edit(call.sent)
        check_authority(setup, call.entry, call.record)
        # The person's edit is the approval that the policy may ask for.
        await _ask_policy(setup, call)


def _unanswered(setup: RunSetup, call: LiveCall, none: NoAnswer, so: str) -> ToolError:
    """A call's denial for want of an answer: the receipt says more of it than the script hears."""
    if setup.profile.tool_errors == "message":
        call.record.remark(shorten_string(f"{none}: {none.error}", _NOTE_CHARS))
    return failed("denied", f"{so} ({type(none.error).__name__})")


def _denied(refusal: Refusal) -> ToolError:
    return failed("denied", refusal.reason, details={"reason": refusal.code})
