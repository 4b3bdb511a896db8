"""What is on record of each call. Only the host writes it; nothing that a script does erases it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Final

from toolscript import jsontext
from toolscript.host.approval import pending_id
from toolscript.host.entries import SHOWN_CHARS, Finished, Reply
from toolscript.host.recalled import CallId
from toolscript.host.values import JsonText, json_text
from toolscript.profiles import Redact
from toolscript.render import shorten_string
from toolscript.result import Call, CallDecision, CallError, CallStatus

RECEIPT_CHARS: Final = 16_384
"""Arguments and results up to this many characters of JSON are kept whole in a receipt."""

_SHOWN_CHARS: Final = 2_000


class Record:
    """The receipt of a call while it is still being written."""

    __slots__ = (
        "_began",
        "_shown_args",
        "_shown_result",
        "_waited_inside",
        "_waiting_since",
        "_waits",
        "args",
        "attempts",
        "changes",
        "decisions",
        "duration_ms",
        "edited",
        "error",
        "line",
        "namespace",
        "note",
        "replayed",
        "result",
        "seq",
        "started_at",
        "status",
        "tool",
        "waited_ms",
    )

    def __init__(
        self, seq: int, tool: str, namespace: str | None, args: bytes, line: int | None
    ) -> None:
        self.seq = seq
        self.tool = tool
        self.namespace = namespace
        self.args = args
        self.line = line
        self.status: CallStatus = "pending"
        self.result: JsonText | None = None
        self.error: CallError | None = None
        self.started_at: float | None = None
        self.duration_ms = 0.0
        self.waited_ms = 0.0
        self.attempts = 1
        self.note: str | None = None
        self.replayed = False
        self.edited = False
        self.changes = True
        self.decisions: tuple[CallDecision, ...] = ()
        self._began = 0.0
        self._waits = 0
        self._waiting_since = 0.0
        self._waited_inside = 0.0
        self._shown_args: str | None = None
        self._shown_result: str | None = None

    def remark(self, note: str) -> None:
        """Add to what the receipt says in words."""
        self.note = note if self.note is None else f"{self.note}; {note}"

    def decided(self, decision: CallDecision) -> None:
        self.decisions = (*self.decisions, decision)

    def edit(self, args: bytes) -> None:
        """These arguments are a person's, in the place of the script's."""
        self.args = args
        self.edited = True
        self.remark("a person edited the arguments")

    def start(self) -> None:
        self.started_at = time.time()
        self._began = time.perf_counter()

    def person_decides(self, begins: bool) -> None:
        """A person is waited for inside of the call, or one of them any longer."""
        self._waits += 1 if begins else -1
        if begins and self._waits == 1:
            self._waiting_since = time.perf_counter()
        elif not self._waits:
            waited = (time.perf_counter() - self._waiting_since) * 1000
            self._waited_inside += waited
            self.waited_ms += waited

    def end(
        self, status: CallStatus, result: JsonText | None = None, error: CallError | None = None
    ) -> None:
        self.status = status
        self.result = result
        self.error = error
        if self._began:
            # The wait for a person inside of a call is no work of its tool.
            self.duration_ms = (time.perf_counter() - self._began) * 1000 - self._waited_inside

    def finished(self, known: CallId, now_ms: int, reply: Reply) -> Finished:
        """What the journal keeps of a call that is over."""
        return Finished(
            known.seq,
            known.id,
            known.tool,
            known.shown,
            now_ms,
            reply,
            self.status,
            error_type=self.error.type if self.error else "",
            started_at=self.started_at,
            duration_ms=self.duration_ms,
            attempts=self.attempts,
            note=self.note,
            edited=self.args.decode() if self.edited else None,
            decisions=self.decisions,
            waited_ms=self.waited_ms,
        )

    def replay(self, finished: Finished) -> None:
        """Take over what was recorded when the script ran before."""
        self.replayed = True
        self.status = finished.status
        self.started_at = finished.started_at
        self.duration_ms = finished.duration_ms
        self.waited_ms = finished.waited_ms
        self.attempts = finished.attempts
        self.note = finished.note
        self.decisions = finished.decisions
        if finished.edited is not None:
            self.args = finished.edited.encode()
        reply = finished.reply
        if reply.value is not None:
            self.result = JsonText(reply.value, len(reply.value), reply.bigints, reply.text)
        if reply.error is not None:
            self.error = CallError(
                reply.error["code"],
                reply.error["message"],
                finished.error_type,
                reply.error["details"],
            )

    def let_go(self, redact: Redact | None) -> None:
        """Keep of large values only what the receipt shows; the call is over."""
        if len(self.args) > RECEIPT_CHARS:
            self._shown_args = self._args_shown(redact)
            self.args = b"null"
        if self.result is not None and len(self.result.text) > RECEIPT_CHARS:
            self._shown_result = self._result_shown(redact)
            self.result = None

    def call(self, redact: Redact | None) -> Call:
        """The receipt as a value, bounded and redacted."""
        result = self._result_shown(redact)
        return Call(
            seq=self.seq,
            tool=self.tool,
            status=self.status,
            namespace=self.namespace,
            args=jsontext.loads(self._args_shown(redact)),
            result=None if result is None else jsontext.loads(result),
            error=self._error_shown(redact),
            started_at=self.started_at,
            duration_ms=self.duration_ms,
            line=self.line,
            replayed=self.replayed,
            attempts=self.attempts,
            note=self.note,
            read_only=not self.changes,
            decisions=self.decisions,
            waited_ms=self.waited_ms,
        )

    def known(self, run_id: str, tool: str, redact: Redact | None) -> CallId:
        """The call as the journal knows it; `tool` is how scripts name the tool."""
        shown = self.args if redact is None else self._args_shown(redact).encode()
        return CallId(
            self.seq,
            pending_id(run_id, self.seq, tool, self.args),
            tool,
            shown[:SHOWN_CHARS].decode(errors="replace"),
        )

    def _error_shown(self, redact: Redact | None) -> CallError | None:
        error = self.error
        if error is None or redact is None:
            return error
        message = redacted(self.tool, error.message, redact)
        return replace(
            error,
            message=message if isinstance(message, str) else jsontext.dumps(message),
            details=None if error.details is None else redacted(self.tool, error.details, redact),
        )

    def _args_shown(self, redact: Redact | None) -> str:
        if self._shown_args is not None:
            return self._shown_args
        return _shown(self.tool, self.args.decode(), redact)

    def _result_shown(self, redact: Redact | None) -> str | None:
        if self._shown_result is not None or self.result is None:
            return self._shown_result
        return _shown(self.tool, self.result.text, redact)


def redacted(tool: str, value: Any, redact: Redact) -> Any:
    """What the embedder's hook shows of a JSON value, as a JSON value.

    The hook keeps secrets: of what it could not look at nothing is shown.
    """
    try:
        return jsontext.loads(json_text(redact(tool, value)).text)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"[not shown: the redaction hook failed with {type(error).__name__}]"


def _shown(tool: str, text: str, redact: Redact | None) -> str:
    """JSON of what a receipt shows of a value: redacted, and of a large one only an idea."""
    if redact is not None:
        text = jsontext.dumps(redacted(tool, jsontext.loads(text), redact))
    if len(text) > RECEIPT_CHARS:
        return jsontext.dumps(shorten_string(text, _SHOWN_CHARS))
    return text
