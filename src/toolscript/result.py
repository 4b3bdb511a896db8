"""What a run comes back as."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any, Final, Literal, cast

from toolscript import jsontext
from toolscript.errors import ToolscriptError


class Unset:
    """Type of `UNSET`: the absence of an argument, which is never `None`."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset()


class ErrorKind(StrEnum):
    """Why a run failed. The kinds exclude each other."""

    SYNTAX = "syntax"
    REJECTED = "rejected"
    EXCEPTION = "exception"
    TIMEOUT = "timeout"
    ABORTED = "aborted"
    MEMORY = "memory"
    WORKER_EXIT = "worker_exit"
    INVALID_OUTPUT = "invalid_output"
    OUTPUT_LIMIT = "output_limit"
    CALL_LIMIT = "call_limit"
    STALLED = "stalled"
    TAINTED = "tainted"
    DIVERGED = "diverged"
    UNKNOWN_OUTCOME = "unknown_outcome"


CallStatus = Literal["ok", "error", "denied", "cancelled", "pending"]


@dataclass(frozen=True, slots=True)
class CallError:
    """Why a call failed: what the script saw as `ToolError`, and the Python type behind it."""

    code: str
    message: str
    type: str = ""
    details: Any = None


@dataclass(frozen=True, slots=True)
class CallDecision:
    """Somebody's word on a call.

    Attributes:
        by: the run's authority, the embedder's policy, or a person.
        kind: what they said. A policy that asks leaves it to a person; a policy that failed or
            gave no decision that counts is a denial.
        id, policy_version: the decision's own identity, and the version of the policy asked.
        who: the person, as `Approve`, `Edit`, `Reject` or `Happened` names them.
        reason: why, in the words of the policy or of the person.
    """

    by: Literal["authority", "policy", "person"]
    kind: Literal["allow", "deny", "ask", "sandbox", "approve", "edit", "reject", "happened"]
    id: str = ""
    policy_version: str = ""
    who: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A receipt: one call of a tool, as the host recorded it.

    `started_at` is seconds since the epoch, or None for a call that never started. `duration_ms`
    is how long its tool was at work, `waited_ms` how long a person was waited for. `args` and
    `result` are JSON values, bounded and redacted. `note` tells what the host changed, such as
    an argument that arrived as JSON text. `read_only` is what the host knows of the tool.
    `decisions` are those on this call, in the order in which they were made; none where nothing
    but the run's authority had to be asked, and that covers the tool.
    """

    seq: int
    tool: str
    status: CallStatus
    namespace: str | None = None
    args: Any = None
    result: Any = None
    error: CallError | None = None
    started_at: float | None = None
    duration_ms: float = 0.0
    line: int | None = None
    replayed: bool = False
    attempts: int = 1
    note: str | None = None
    read_only: bool = False
    decisions: tuple[CallDecision, ...] = ()
    waited_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class OutputItem:
    """One thing that the script printed, emitted or showed; `data` is base64."""

    type: Literal["text", "value", "image"]
    text: str = ""
    value: Any = None
    data: str = ""
    mime_type: str = ""
    stream: Literal["stdout", "stderr"] = "stdout"
    console: bool = False


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run failed, in words that help a model to mend its script.

    `line` and `column` (both from 1) are those of the model's own source. `limit`, `allowed`
    and `seen` are set when a limit was hit.
    """

    kind: ErrorKind
    message: str
    code: str = ""
    name: str = ""
    stack: str = ""
    line: int | None = None
    column: int | None = None
    excerpt: str = ""
    hint: str = ""
    tool: str | None = None
    limit: str | None = None
    allowed: float | None = None
    seen: float | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A call that waits for a person. `id` is bound to run, place, tool and arguments.

    Whoever decides has to see `args` as they are. Where there is a `redact` hook (`redacted`),
    everybody else gets `shown` in their place: see `as_shown`.
    """

    id: str
    tool: str
    args: Any
    reason: str = ""
    seq: int = 0
    line: int | None = None
    namespace: str | None = None
    effects_so_far: tuple[str, ...] = ()
    redacted: bool = False
    shown: Any = None

    def as_shown(self) -> Pending:
        """This question as events, lists of runs and texts have it."""
        return replace(self, args=self.shown) if self.redacted else self


@dataclass(frozen=True, slots=True)
class StoreWrites:
    """What the script stored; empty for a run that failed."""

    set: dict[str, Any] = field(default_factory=dict[str, Any])
    delete: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunUsage:
    """What a run cost. Times in seconds; characters are of JSON text.

    `chars_in` is what the script sent to tools, `chars_out` what tools sent back, `chars_kept`
    how much of that did not reach the model. `memory_peak_bytes` is the most that the script's
    worker process held, interpreter and engine included, where the system tells it (Linux and
    Windows); None where a script has no process of its own.
    """

    wall_s: float = 0.0
    cpu_s: float | None = None
    queue_s: float = 0.0
    memory_peak_bytes: int | None = None
    calls: int = 0
    peak_parallel: int = 0
    chars_in: int = 0
    chars_out: int = 0
    chars_kept: int = 0


RunStatus = Literal["completed", "failed", "paused"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """The end of a run, or its pause. A script's failure is here, never an exception.

    `value_text` is what printing the value shows, where a tool gave it two faces.
    `max_output_tokens` is what the script's options line asked for. `principal` is on whose
    behalf it ran, as its `Authority` says.
    """

    run_id: str
    status: RunStatus
    value: Any = None
    has_value: bool = False
    value_text: str | None = None
    output: tuple[OutputItem, ...] = ()
    calls: tuple[Call, ...] = ()
    error: RunError | None = None
    pending: tuple[Pending, ...] = ()
    store_writes: StoreWrites = field(default_factory=StoreWrites)
    warnings: tuple[str, ...] = ()
    usage: RunUsage = field(default_factory=RunUsage)
    max_output_tokens: int | None = None
    principal: str = ""

    @property
    def ok(self) -> bool:
        """Whether the script came to its end: neither failed nor paused."""
        return self.status == "completed"

    def text(self, max_tokens: int | None = None) -> str:
        """What a model reads back; see `render.render_text`.

        The smaller of `max_tokens` and what the script itself asked for bounds it.
        """
        from toolscript.render import render_text

        bounds = [most for most in (max_tokens, self.max_output_tokens) if most is not None]
        return render_text(self, min(bounds, default=None))

    def as_shown(self) -> RunResult:
        """This result for those who do not decide about its calls; see `Pending.as_shown`."""
        return replace(self, pending=tuple(item.as_shown() for item in self.pending))

    def unwrap(self) -> Any:
        """The value of a completed run.

        Raises:
            RunFailed: for a run that failed or is paused.
        """
        if not self.ok:
            raise RunFailed(self)
        return self.value

    def to_json(self) -> str:
        """This result as JSON text; `from_json` makes an equal one of it."""
        return jsontext.dumps(_plain(self))

    @staticmethod
    def from_json(text: str) -> RunResult:
        """The result that `to_json` wrote.

        Raises:
            ValueError: if the text is not such a result.
        """
        try:
            data = jsontext.loads(text)
            return RunResult(
                run_id=data["run_id"],
                status=data["status"],
                value=data["value"],
                has_value=data["has_value"],
                value_text=data["value_text"],
                output=tuple(OutputItem(**item) for item in data["output"]),
                calls=tuple(_call(item) for item in data["calls"]),
                error=_error(data["error"]),
                pending=tuple(_pending(item) for item in data["pending"]),
                store_writes=StoreWrites(
                    set=data["store_writes"]["set"], delete=tuple(data["store_writes"]["delete"])
                ),
                warnings=tuple(data["warnings"]),
                usage=RunUsage(**data["usage"]),
                max_output_tokens=data["max_output_tokens"],
                # Journals hold results that were written before these were on record.
                principal=data.get("principal", ""),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"this is not the JSON of a RunResult: {error!r}") from error


def _plain(value: Any) -> Any:
    """Dataclasses as dicts and tuples as lists; the JSON values inside are left as they are."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in cast("tuple[Any, ...]", value)]
    return value


def _call(data: dict[str, Any]) -> Call:
    parts: dict[str, Any] = dict(data)
    parts["error"] = CallError(**parts["error"]) if parts["error"] else None
    parts["decisions"] = tuple(CallDecision(**item) for item in parts.get("decisions", ()))
    return Call(**parts)


def _error(data: dict[str, Any] | None) -> RunError | None:
    if data is None:
        return None
    parts: dict[str, Any] = dict(data)
    parts["kind"] = ErrorKind(parts["kind"])
    return RunError(**parts)


def _pending(data: dict[str, Any]) -> Pending:
    parts: dict[str, Any] = dict(data)
    parts["effects_so_far"] = tuple(parts["effects_so_far"])
    return Pending(**parts)


def _in_a_line(error: RunError) -> str:
    """`exception: no such order (tool get_order, line 3)`."""
    tool = None if error.tool is None else f"tool {error.tool}"
    line = None if error.line is None else f"line {error.line}"
    where = ", ".join(part for part in (tool, line) if part)
    return f"{error.kind}: {error.message}{f' ({where})' if where else ''}"


class RunFailed(ToolscriptError):
    """Raised by `RunResult.unwrap()` for a run that did not complete."""

    def __init__(self, result: RunResult):
        error = result.error
        super().__init__(_in_a_line(error) if error else f"run {result.status}")
        self.result = result
        self.code = (error.code or str(error.kind)) if error else result.status
