"""What the command line answers to the calls of a run that wait for a person."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from toolscript.cli.arguments import ArgumentValueError, read_json
from toolscript.durable import log_of
from toolscript.host.approval import Approve, Edit, Happened, Reject, Verdict
from toolscript.host.journal import SETTLED, StoredRun
from toolscript.host.on_record import open_calls
from toolscript.host.recalled import CallId


def answers_from(arguments: argparse.Namespace, stored: StoredRun) -> Mapping[str, Verdict]:
    """The answers of `toolscript resume`, by the ids of the calls.

    Raises:
        ArgumentValueError: for a call that waits for no answer, or gets two.
    """
    who = arguments.who
    given: list[tuple[str, Verdict]] = [
        *((word, Approve(who)) for word in arguments.approve),
        *((word, Reject(arguments.reason or "", who)) for word in arguments.reject),
        *((word, Edit(args, who)) for word, args in map(_edit_of, arguments.edit)),
        *((word, Happened(result, who)) for word, result in map(_result_of, arguments.happened)),
    ]
    if arguments.reason and not arguments.reject:
        raise ArgumentValueError("--reason goes with --reject")
    if given and stored.status in SETTLED:
        raise ArgumentValueError(
            f"run {stored.run_id!r} is over ({stored.status}), and no call of it waits for an "
            "answer; leave the answers out to see its result"
        )
    waiting = open_calls(log_of(stored)) if given else ()
    answers: dict[str, Verdict] = {}
    for word, answer in given:
        call = _call(word, waiting)
        if call.id in answers:
            raise ArgumentValueError(
                f"call {call.seq} ({call.name}) takes one answer, and several are given"
            )
        answers[call.id] = answer
    return answers


def _edit_of(text: str) -> tuple[str, object]:
    return _parted("--edit", text, "2='{\"amount\": 5}'")


def _result_of(text: str) -> tuple[str, object]:
    return _parted("--happened", text, "2='{\"id\": 17}'")


def _parted(option: str, text: str, such_as: str) -> tuple[str, object]:
    word, equals, value = text.partition("=")
    if not equals:
        raise ArgumentValueError(
            f"{option} {text}: write CALL=JSON, such as {option} {such_as}, or CALL=@FILE"
        )
    return word, read_json(option, value)


def _call(word: str, waiting: tuple[CallId, ...]) -> CallId:
    """The waiting call that a word names, by its id or by its number."""
    for call in waiting:
        if word in (call.id, str(call.seq)):
            return call
    waits = ", ".join(f"{call.seq} ({call.name})" for call in waiting) or "none"
    raise ArgumentValueError(f"no call {word!r} of this run waits for an answer; waiting: {waits}")
