"""What a person answers to the calls of a stored run: looked at before any of it is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from toolscript.contract.tool import Tool
from toolscript.errors import ResumeError, ToolError
from toolscript.given import described
from toolscript.host.approval import VERDICT, Edit, Happened, Verdict, asked_again
from toolscript.host.arguments import fitting_edit
from toolscript.host.entries import Asked, Finished, Started, log_from_bytes
from toolscript.host.journal import StoredRun
from toolscript.host.recalled import CallId, tool_name
from toolscript.host.results import reported_result
from toolscript.launch import Parts
from toolscript.result import RunResult


def check_answers(answers: Mapping[str, Verdict]) -> None:
    """Raises `ResumeError` for what is no mapping of ids to answers."""
    given: Any = answers
    if not isinstance(given, Mapping):
        raise ResumeError(
            "resume() takes its decisions by the id of what waits, "
            "{pending.id: Approve() | Reject(reason) | Edit(args) | Happened(result)}, "
            f"not {type(given).__name__}"
        )
    for id, answer in cast("Mapping[Any, Any]", given).items():
        if not VERDICT.fits(answer):
            instead = VERDICT.instead(answer)
            raise ResumeError(
                f"the decision for {id} must be {VERDICT.words}, not {described(answer)}"
                f"{f'; write {instead}' if instead else ''}"
            )


def problem_of(parts: Parts, call: CallId, answer: Verdict) -> str:
    """What is wrong with the arguments or the result that an answer brings; "" if nothing is."""
    tool = _tool(parts, call.tool)
    if tool is None:
        # No such tool: the call fails by itself when it is made.
        return ""
    gate = parts.gates.of(tool)
    try:
        if isinstance(answer, Edit):
            fitting_edit(answer.args, gate, parts.profile)
        elif isinstance(answer, Happened):
            reported_result(answer.result, {}, gate, parts.profile)
    except ToolError as error:
        return str(error)
    return ""


def with_refused(result: RunResult, refused: Mapping[str, str]) -> RunResult:
    """The result with what was wrong with the answers of calls that go on waiting."""
    if not refused:
        return result
    names = {item.id: f"call {item.seq} ({item.tool})" for item in result.pending}
    told = tuple(
        f"the answer for {names.get(id, id)} could not be used: {problem}"
        for id, problem in refused.items()
    )
    return replace(
        result,
        pending=tuple(
            asked_again(item, refused[item.id]) if item.id in refused else item
            for item in result.pending
        ),
        warnings=(*result.warnings, *told),
    )


def with_ignored(stored: StoredRun, result: RunResult, ids: Sequence[str]) -> RunResult:
    """The result with a warning for each answer to what did not wait for one."""
    if not ids:
        return result
    made = {
        entry.id: entry
        for entry in log_from_bytes(stored.entries)
        if isinstance(entry, Started | Asked | Finished)
    }
    status = {call.seq: call.status for call in result.calls}
    waits = ", ".join(f"{item.id} ({item.tool})" for item in result.pending) or "nothing"

    def told(id: str) -> str:
        call = made.get(id)
        if call is None:
            return "no call of that id waits here"
        now = status.get(call.seq, "over")
        return f"call {call.seq} ({tool_name(call.tool)}) does not wait for one, it is {now}"

    ignored = tuple(
        f"the answer for {id} changed nothing: {told(id)}; what waits now: {waits}" for id in ids
    )
    return replace(result, warnings=(*result.warnings, *ignored))


def _tool(parts: Parts, expression: str) -> Tool | None:
    for entry in parts.contract.entries:
        if entry.expression == expression:
            return entry.tool
    return parts.surroundings.helpers.get(expression)
