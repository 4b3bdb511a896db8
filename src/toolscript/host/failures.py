"""Why a call failed, in the words that the script, the receipt and the run's error use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolscript.errors import ToolError
from toolscript.host.values import NotJson, json_text
from toolscript.jsontext import loads
from toolscript.profiles import Profile
from toolscript.result import CallError, CallStatus

MESSAGE_CHARS: Final = 65_536

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
"""What the script and the run's error say for each code, under the names of seed 003."""


class CallFailure(Exception):
    """Ends one call with an error, wherever in the pipeline it arose."""

    def __init__(self, error: CallError):
        super().__init__(error.message)
        self.error = error


def failed(code: str, message: str, *, details: Any = None, type: str = "") -> CallFailure:
    return CallFailure(CallError(code, message, type, details))


def failure_of(error: BaseException, profile: Profile) -> CallError:
    """What the record and the script say of an exception that a tool or a stage raised."""
    if isinstance(error, CallFailure):
        found = error.error
    elif isinstance(error, ToolError):
        found = CallError(error.code, error.message, "ToolError", _json(error.details))
    elif isinstance(error, TimeoutError):
        found = CallError("timeout", str(error) or "the tool timed out", "TimeoutError")
    else:
        found = CallError("failed", str(error) or type(error).__name__, type(error).__name__)
    if len(found.message) > MESSAGE_CHARS:
        shown = found.message[: MESSAGE_CHARS - 1] + "…"
        found = CallError(found.code, shown, found.type, found.details)
    if profile.tool_errors == "code":
        # Also on record: messages of tools may hold what nobody but the tool should know.
        code = CONSTRAINED_CODES.get(found.code, found.code)
        if profile.error_codes != "constrained":
            code = found.code
        return CallError(found.code, _declared_code(found) or code, "", _limit_only(found.details))
    return found


def status_of(error: CallError) -> CallStatus:
    if error.code == "denied":
        return "denied"
    return "error"


def script_error(error: CallError, tool: str) -> dict[str, Any]:
    """What `Execution.reject` is given."""
    return {
        "name": "ToolError",
        "message": error.message,
        "tool": tool,
        "code": error.code,
        "details": error.details,
    }


def _declared_code(error: CallError) -> str | None:
    """A finer code that a stage of the host chose, such as OUTPUT_KIND_MISMATCH."""
    if isinstance(error.details, dict):
        code: Any = error.details.get("code")  # pyright: ignore
        return code if isinstance(code, str) else None
    return None


def _limit_only(details: Any) -> Any:
    if isinstance(details, dict) and "limit" in details:
        return details  # pyright: ignore
    return None


def _json(details: Any) -> Any:
    if details is None:
        return None
    try:
        return loads(json_text(details).text)
    except NotJson:
        return None
