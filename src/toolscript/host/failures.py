"""Why a call failed, in the words that the script, the receipt and the run's error use."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from toolscript import jsontext
from toolscript.errors import ToolError, ToolErrorCode
from toolscript.host.values import NotJson, json_text
from toolscript.profiles import Profile
from toolscript.result import CallError, CallStatus, RunFailed

_log = logging.getLogger("toolscript")

MESSAGE_CHARS: Final = 65_536
"""Longest message of a failed call; what is beyond is cut with a mark."""

CONSTRAINED_CODES: Final[Mapping[str, str]] = {
    "invalid_args": "INPUT_INVALID",
    "unknown_tool": "BINDING_UNAVAILABLE",
    "denied": "CODE_MODE_POLICY_DENIED",
    "failed": "CODE_MODE_RUNTIME_ERROR",
    "timeout": "CODE_MODE_TIMEOUT",
    "too_large": "CODE_MODE_OUTPUT_LIMIT",
    "invalid_result": "OUTPUT_INVALID",
    "cancelled": "CODE_MODE_CANCELLED",
    "call_limit": "CODE_MODE_CALL_LIMIT",
}
"""What a call's codes are called in seed 003."""


class CallFailure(ToolError):
    """Ends one call by the host's own word, wherever in the pipeline it arose.

    `named` is a finer name that seed 003 has for it, else empty.
    """

    def __init__(self, message: str, *, code: ToolErrorCode, details: Any, named: str):
        super().__init__(message, code=code, details=details)
        self.named = named

    @property
    def is_limit(self) -> bool:
        """Whether `details` tell of a limit: its name, what it allows, what was seen."""
        given: Any = self.details
        return isinstance(given, dict) and "limit" in given


def failed(
    code: ToolErrorCode, message: str, *, details: Any = None, named: str = ""
) -> CallFailure:
    return CallFailure(message, code=code, details=details, named=named)


def failure_of(error: BaseException, profile: Profile) -> CallError:
    """What the record and the script say of an exception that a tool or a stage raised."""
    if profile.tool_errors == "code":
        return _bare_failure(error, profile)
    match error:
        case CallFailure():
            found = CallError(error.code, error.message, "", error.details)
        case ToolError():
            found = CallError(error.code, error.message, type(error).__name__, _json(error.details))
        case RunFailed():
            details = {"kind": _ending(error), "code": error.code}
            found = CallError("failed", str(error), "RunFailed", details)
        case TimeoutError():
            found = CallError("timeout", _said(error) or "the tool timed out", "TimeoutError")
        case _:
            found = CallError("failed", _named(error), type(error).__name__)
    if len(found.message) <= MESSAGE_CHARS:
        return found
    shown = found.message[: MESSAGE_CHARS - 1] + "…"
    return CallError(found.code, shown, found.type, found.details)


def _bare_failure(error: BaseException, profile: Profile) -> CallError:
    """A failure of which nobody learns more than the code, not even the record.

    What a tool says may hold what only the tool should know; only the host's own word passes.
    """
    code, named = "failed", ""
    details: Any = None
    match error:
        case CallFailure():
            code, named = error.code, error.named
            if error.is_limit:
                details = error.details
        case ToolError():
            code = error.code
        case RunFailed() if error.result.error is not None:
            # The nested run's error is under this profile's names already.
            named = error.code
        case TimeoutError():
            code = "timeout"
        case _:
            pass
    if profile.error_codes == "constrained":
        return CallError(code, named or CONSTRAINED_CODES[code], "", details)
    return CallError(code, code, "", details)


def log_failure(error: BaseException, tool: str, run_id: str, seq: int) -> None:
    """Tell whoever wrote a tool where it raised what; the script and the record do not.

    Nothing is logged of what a tool or the host says on purpose. A traceback may quote values,
    so nobody gets it by default.
    """
    on_purpose = isinstance(error, ToolError) and error.__cause__ is None
    if not on_purpose and not isinstance(error, CallFailure):
        _log.debug("%s failed in call %d of run %s", tool, seq, run_id, exc_info=error)


def status_of(error: CallError) -> CallStatus:
    """The status of the receipt of a call that failed so."""
    return "denied" if error.code == "denied" else "error"


def script_error(error: CallError, tool: str) -> dict[str, Any]:
    """What `Execution.reject` is given."""
    return {
        "name": "ToolError",
        "message": error.message,
        "tool": tool,
        "code": error.code,
        "details": error.details,
    }


def _said(error: BaseException) -> str:
    """The message of a tool's own exception, which may fail at writing it; empty then."""
    try:
        return str(error)
    except Exception:
        return ""


def _named(error: BaseException) -> str:
    """What an exception says, with its type in front where that alone says nothing.

    `KeyError("zz")` says `'zz'`. Of a bare value only the type tells what is wrong with it.
    """
    said, name = _said(error), type(error).__name__
    if not said:
        return name
    return f"{name}: {said}" if _is_bare(error, said) else said


def _is_bare(error: BaseException, said: str) -> bool:
    """Whether what an exception says is no more than a value that it was given."""
    if len(error.args) != 1:
        return False
    value = error.args[0]
    try:
        return said == repr(value) or (not isinstance(value, str) and said == str(value))
    except Exception:
        return False


def _ending(error: RunFailed) -> str:
    found = error.result.error
    return str(found.kind) if found is not None else error.result.status


def _json(details: Any) -> Any:
    """Details as JSON values; None where they have no such form."""
    if details is None:
        return None
    try:
        return jsontext.loads(json_text(details).text)
    except NotJson:
        return None
