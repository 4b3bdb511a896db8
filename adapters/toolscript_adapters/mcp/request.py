"""A client's request to run a script, answered: by a result, or by a question for its person.

A call that needs an approval asks the person at the client, by the protocol's elicitation: a
client of 2026-07-28 or later gets the question as the answer to its call and calls again, one of
an earlier protocol is asked while its call waits.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, Final, Protocol

from mcp.server.auth.provider import AccessToken
from mcp.server.elicitation import elicit_with_validation
from mcp.server.session import ServerSession
from mcp.types import (
    CallToolResult,
    ContentBlock,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    ImageContent,
    InputRequiredResult,
    InputResponses,
    TextContent,
)
from mcp.types.version import is_version_at_least
from pydantic import BaseModel, Field

from toolscript import jsontext
from toolscript.events import Event, OnEvent, Progress
from toolscript.host.approval import Answer, Approve, Reject, signed
from toolscript.render import shorten_string
from toolscript.result import Pending, RunResult
from toolscript_adapters.kit import CodeRunner, Session

_ASKS_IN_RESULTS: Final = "2026-07-28"
_MOST_SHOWN: Final = 2_000
_NOBODY: Final = Reject("nobody can be asked: the MCP client has no elicitation", who="nobody")


class Approval(BaseModel):
    """What the person at the client fills in."""

    approve: bool = Field(description="Whether the call may be made.")
    reason: str = Field(default="", description="Why not, for the script.")


class RequestContext(Protocol):
    """What the contexts of the SDK and of FastMCP have in common."""

    @property
    def session(self) -> ServerSession: ...

    @property
    def request_id(self) -> str: ...

    @property
    def request_state(self) -> str | None: ...

    @property
    def input_responses(self) -> InputResponses | None: ...

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None: ...


class CodeRequest:
    """One request of a client: begins a run, or goes on with one.

    `token` is the request's, if it was authorised. Elicitation itself does not say who answers, so
    the receipts of approved calls name whom the token does.
    """

    def __init__(self, runner: CodeRunner, context: RequestContext, token: AccessToken | None):
        self._runner = runner
        self._context = context
        self._user = "" if token is None else token.subject or token.client_id

    async def answer(self, code: str) -> CallToolResult | InputRequiredResult:
        run_id = self._context.request_state
        if run_id is None:
            session = Session(self._context, self._context.request_id)
            result = await self._runner.begin(code, session, on_event=self._reports())
        else:
            session = Session(self._context, self._context.request_id, run_id)
            decisions = _decisions(self._context.input_responses or {})
            result = await self._go_on(session, decisions)
        while result.status == "paused":
            if self._asks_in_results and self._can_ask:
                questions = {pending.id: _question(pending) for pending in result.pending}
                return InputRequiredResult(
                    input_requests=dict(questions), request_state=result.run_id
                )
            decided = {pending.id: await self._ask(pending) for pending in result.pending}
            result = await self._go_on(session, decided)
        return self._shown(result)

    async def _go_on(self, session: Session[Any], decisions: Mapping[str, Answer]) -> RunResult:
        named = {id: signed(answer, self._user) for id, answer in decisions.items()}
        return await self._runner.go_on(session, named, on_event=self._reports())

    @property
    def _asks_in_results(self) -> bool:
        return is_version_at_least(self._context.session.protocol_version, _ASKS_IN_RESULTS)

    @property
    def _can_ask(self) -> bool:
        """Whether the client shows forms; to ask for no particular mode is to ask for forms."""
        capabilities = self._context.session.client_capabilities
        asks = capabilities.elicitation if capabilities is not None else None
        return asks is not None and (asks.form is not None or asks.url is None)

    async def _ask(self, pending: Pending) -> Answer:
        if not self._can_ask:
            return _NOBODY
        said = await elicit_with_validation(
            self._context.session,
            _message(pending),
            Approval,
            related_request_id=self._context.request_id,
        )
        if said.action != "accept":
            return _turned_down(said.action)
        return _filled_in(said.data)

    def _reports(self) -> OnEvent:
        def report(event: Event) -> Awaitable[None] | None:
            if not isinstance(event, Progress) or event.replayed:
                return None
            return self._context.report_progress(event.fraction or 0.0, 1.0, event.message)

        return report

    def _shown(self, result: RunResult) -> CallToolResult:
        content: list[ContentBlock] = [TextContent(text=self._runner.text(result))]
        content += [
            ImageContent(data=image.data, mime_type=image.mime_type)
            for image in self._runner.images(result)
        ]
        return CallToolResult(content=content, is_error=not result.ok)


def _question(pending: Pending) -> ElicitRequest:
    return ElicitRequest(
        params=ElicitRequestFormParams(
            message=_message(pending), requested_schema=Approval.model_json_schema()
        )
    )


def _message(pending: Pending) -> str:
    name = f"{pending.namespace}.{pending.tool}" if pending.namespace else pending.tool
    args = shorten_string(jsontext.dumps(pending.args), _MOST_SHOWN)
    lines = [f"A script wants to call {name}({args}).", pending.reason]
    if pending.effects_so_far:
        lines.append(f"It did already: {', '.join(pending.effects_so_far)}.")
    return "\n".join(line for line in lines if line)


def _decisions(responses: InputResponses) -> dict[str, Answer]:
    return {
        pending_id: _decision(response)
        for pending_id, response in responses.items()
        if isinstance(response, ElicitResult)
    }


def _decision(response: ElicitResult) -> Answer:
    if response.action != "accept":
        return _turned_down(response.action)
    return _filled_in(Approval.model_validate(response.content or {}))


def _filled_in(form: Approval) -> Answer:
    return Approve() if form.approve else Reject(form.reason)


def _turned_down(action: str) -> Answer:
    return Reject(f"the person said: {action}")
