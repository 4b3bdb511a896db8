"""What a journal's bytes mean: the head of a run and the entries of its log.

An entry is a line of JSON, then, where there is one, the text of a result as it is: a large
result is neither escaped nor parsed on its way. Nothing is pickled.

Every entry about a call carries the call's id, which is bound to the run, the call's place, the
tool and its arguments (`approval.pending_id`): a script that makes another call at the same
place is found out by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, NamedTuple

from toolscript import jsontext
from toolscript.errors import ResumeError
from toolscript.host.approval import Again, Approve, Edit, Happened, Reject, Verdict
from toolscript.result import CallDecision, CallStatus

VERSION: Final = 1

SHOWN_CHARS: Final = 500
"""How much of a call's arguments an entry keeps, to show them when a script diverges."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a run was started with. Never changes.

    `fingerprint` is that of the contract, `profile` a digest of profile, limits and knobs.
    `input` and `store` are JSON texts; `input` is None for a program without input. `now_ms`,
    `seed` and `advancing` are the script's clock and random source (`sandbox.runtime.Clock`).
    `policy` is the version of the policy that it began under; `redacted` says that its records
    were to be redacted.
    """

    run_id: str
    source: str
    fingerprint: str
    profile: str
    input: str | None
    store: str
    authority: Any
    now_ms: int
    seed: int
    advancing: bool = True
    policy: str | None = None
    redacted: bool = False

    def to_bytes(self) -> bytes:
        return jsontext.dumps({"version": VERSION, **asdict(self)}).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Head:
        """The head that was stored.

        Raises:
            ResumeError: if another version of toolscript stored it.
        """
        values: dict[str, Any] = jsontext.loads(data)
        _check_version(values.pop("version"))
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Opened:
    """A process went to work on the run, at `at` seconds since the epoch."""

    at: float


@dataclass(frozen=True, slots=True)
class Closed:
    """The process that was at work on the run let go of it, having used so much."""

    at: float
    cpu_s: float | None
    queue_s: float
    peak_parallel: int


@dataclass(frozen=True, slots=True)
class Started:
    """A call is about to be handed to its tool, or a timer is set."""

    seq: int
    id: str
    tool: str
    shown: str
    at: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A call needs a person. `pausing`: nothing is delivered to the script until it has one.

    `given` counts the results that the script had got by then.
    """

    seq: int
    id: str
    tool: str
    shown: str
    at: float
    pausing: bool
    given: int


@dataclass(frozen=True, slots=True)
class Decided:
    """A person answered: whether a call may be made, or what became of one that was."""

    seq: int
    id: str
    at: float
    answer: Verdict


class Image(NamedTuple):
    """An image that a tool showed: base64 and MIME type."""

    data: str
    mime_type: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What comes of a call: `value`, a JSON text, or an `error`; and what the tool showed."""

    value: str | None = None
    bigints: bool = False
    text: str | None = None
    error: dict[str, Any] | None = None
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Finished:
    """A call ended. The order of these in the log is the order in which the script learns.

    `now_ms` is what the script's clock shows from then on. The rest is for the receipt; `edited`
    are the arguments as a person changed them.
    """

    seq: int
    id: str
    tool: str
    shown: str
    now_ms: int
    reply: Reply
    status: CallStatus
    error_type: str = ""
    started_at: float | None = None
    duration_ms: float = 0.0
    attempts: int = 1
    note: str | None = None
    edited: str | None = None
    decisions: tuple[CallDecision, ...] = ()
    waited_ms: float = 0.0


Entry = Opened | Closed | Started | Asked | Decided | Finished

_KINDS: Final = {
    kind.__name__.lower(): kind for kind in (Opened, Closed, Started, Asked, Decided, Finished)
}
_FIELDS: Final = {kind: tuple(item.name for item in fields(kind)) for kind in _KINDS.values()}
_ANSWERS: Final = {kind.__name__.lower(): kind for kind in (Again, Approve, Reject, Edit, Happened)}


def entry_to_bytes(entry: Entry) -> bytes:
    kind = type(entry)
    values: dict[str, Any] = {"kind": kind.__name__.lower()}
    for name in _FIELDS[kind]:
        values[name] = getattr(entry, name)
    body: str | None = None
    if isinstance(entry, Decided):
        answer = entry.answer
        values["answer"] = {"kind": type(answer).__name__.lower(), **asdict(answer)}
    elif isinstance(entry, Finished):
        reply = entry.reply
        body = reply.value
        values["reply"] = {
            "bigints": reply.bigints,
            "text": reply.text,
            "error": reply.error,
            "images": reply.images,
        }
        values["decisions"] = [asdict(decision) for decision in entry.decisions]
    line = jsontext.dumps(values)
    return line.encode() if body is None else f"{line}\n{body}".encode()


def entry_from_bytes(data: bytes) -> Entry:
    line, separator, body = data.partition(b"\n")
    values: dict[str, Any] = jsontext.loads(line)
    kind = _KINDS[values.pop("kind")]
    if kind is Decided:
        answer = values["answer"]
        values["answer"] = _ANSWERS[answer.pop("kind")](**answer)
    elif kind is Finished:
        reply = values["reply"]
        reply["images"] = tuple(Image(*image) for image in reply["images"])
        values["reply"] = Reply(value=body.decode() if separator else None, **reply)
        # Not there in journals that are older than these.
        decisions = values.get("decisions", ())
        values["decisions"] = tuple(CallDecision(**decision) for decision in decisions)
    return kind(**values)


def log_from_bytes(log: Sequence[bytes]) -> list[Entry]:
    """The entries of a whole log.

    Raises:
        ValueError: naming the first entry that cannot stand where it does.
    """
    entries: list[Entry] = []
    known: set[int] = set()
    finished: set[int] = set()
    for place, data in enumerate(log, 1):
        try:
            entry = entry_from_bytes(data)
            _check_place(entry, known, finished)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(f"entry {place} of {len(log)}") from error
        entries.append(entry)
    return entries


def _check_place(entry: Entry, known: set[int], finished: set[int]) -> None:
    if isinstance(entry, Opened | Closed):
        return
    if isinstance(entry, Decided) and entry.seq not in known:
        raise ValueError("an answer that nobody asked for")
    known.add(entry.seq)
    if isinstance(entry, Finished):
        if entry.seq in finished:
            raise ValueError("a call that ended twice")
        finished.add(entry.seq)
        if entry.reply.value is not None:
            jsontext.loads(entry.reply.value)


def _check_version(version: int) -> None:
    if version != VERSION:
        raise ResumeError(
            f"the run was recorded in version {version} of the journal's format, this toolscript "
            f"reads version {VERSION}; resume it with the toolscript that recorded it"
        )
