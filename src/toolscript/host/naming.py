"""The code that a run's failure carries, under the names of the active profile's seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from toolscript.host.failures import CONSTRAINED_CODES
from toolscript.host.receipts import Record
from toolscript.profiles import Profile
from toolscript.result import ErrorKind, RunError

_CONSTRAINED: Final[Mapping[ErrorKind, str]] = {
    ErrorKind.SYNTAX: "CODE_MODE_STATIC_REJECTED",
    ErrorKind.REJECTED: "CODE_MODE_STATIC_REJECTED",
    ErrorKind.EXCEPTION: "CODE_MODE_RUNTIME_ERROR",
    ErrorKind.TIMEOUT: "CODE_MODE_TIMEOUT",
    ErrorKind.ABORTED: "CODE_MODE_CANCELLED",
    ErrorKind.MEMORY: "CODE_MODE_MEMORY_LIMIT",
    ErrorKind.WORKER_EXIT: "CODE_MODE_RUNTIME_ERROR",
    ErrorKind.INVALID_OUTPUT: "OUTPUT_NOT_SERIALIZABLE",
    ErrorKind.OUTPUT_LIMIT: "CODE_MODE_OUTPUT_LIMIT",
    ErrorKind.CALL_LIMIT: "CODE_MODE_CALL_LIMIT",
    ErrorKind.STALLED: "CODE_MODE_RUNTIME_ERROR",
    ErrorKind.TAINTED: "CODE_MODE_RUNTIME_ERROR",
    ErrorKind.DIVERGED: "CODE_MODE_RUNTIME_ERROR",
    ErrorKind.UNKNOWN_OUTCOME: "CODE_MODE_RUNTIME_ERROR",
}

_BY_LIMIT: Final[Mapping[str, str]] = {
    "parallel": "CODE_MODE_PARALLELISM_LIMIT",
    "depth": "CODE_MODE_NESTING_LIMIT",
    "source_bytes": "CODE_MODE_SOURCE_TOO_LARGE",
    "source_chars": "CODE_MODE_SOURCE_TOO_LARGE",
    "input_bytes": "CODE_MODE_INPUT_LIMIT",
}

_SANDBOX: Final[Mapping[ErrorKind, str]] = {
    ErrorKind.TIMEOUT: "timeout",
    ErrorKind.ABORTED: "aborted",
    ErrorKind.WORKER_EXIT: "sandbox",
}


def named_code(error: RunError, profile: Profile, records: Iterable[Record] = ()) -> str:
    """`RunError.code` under the profile's names.

    Without names of its own a profile leaves what the error carries: the code of the failed
    call that the script did not catch, if that is how it ended.
    """
    if profile.error_codes == "sandbox":
        return _SANDBOX.get(error.kind, "script")
    if profile.error_codes == "default":
        return error.code
    if error.limit in _BY_LIMIT:
        return _BY_LIMIT[error.limit]
    if error.kind is ErrorKind.EXCEPTION and error.code:
        return _of_call(error, profile, records)
    return _CONSTRAINED[error.kind]


def _of_call(error: RunError, profile: Profile, records: Iterable[Record]) -> str:
    """The name of an uncaught call's failure, if the host did record such a one."""
    for record in reversed(list(records)):
        found = record.error
        if found is None or record.tool != error.tool or found.code != error.code:
            continue
        details: Any = found.details
        if isinstance(details, dict) and "limit" in details:
            limit = str(cast("dict[str, Any]", details)["limit"])
            return _BY_LIMIT.get(limit, CONSTRAINED_CODES[found.code])
        return found.message if profile.tool_errors == "code" else CONSTRAINED_CODES[found.code]
    return _CONSTRAINED[error.kind]
