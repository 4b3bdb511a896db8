"""Why a call failed, in the words that the script, the receipt and the run's error use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolscript import jsontext
from toolscript.errors import ToolError, ToolErrorCode
from toolscript.host.values import NotJson, json_text
from toolscript.profiles import Profile
from toolscript.result import CallError, CallStatus, RunFailed

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
            name = type(error).__name__
            found = CallError("failed", _said(error) or name, name)
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
