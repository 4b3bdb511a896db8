"""Who may call what: the authority of a run, and the embedder's policy.

Everything here fails closed: a policy that is missing where it is required, that raises, that
answers something else than a decision, or that decided under another version, is a denial.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from toolscript.contract.tool import Manifest, Tool
from toolscript.given import (
    FUNCTION,
    NAMES,
    TEXT,
    check_fields,
    described,
    frozen_names,
    maybe,
    one_of,
    tells_names,
)
from toolscript.host.asking import NoAnswer, asked

_log = logging.getLogger("toolscript")

DecisionKind = Literal["allow", "deny", "ask", "sandbox"]

_AUTHORITY: Final = {
    "principal": TEXT,
    "capabilities": NAMES,
    "phase": TEXT,
    "session": TEXT,
    "origin": TEXT,
}
_DECISION: Final = {
    "kind": one_of(*get_args(DecisionKind)),
    "id": TEXT,
    "policy_version": maybe(TEXT),
    "reason": TEXT,
    "scope": maybe(NAMES),
}
_POLICY: Final = {"authorize": FUNCTION, "version": TEXT, "maturities": NAMES}


@tells_names
@dataclass(frozen=True, slots=True)
class Authority:
    """On whose behalf a run calls its tools, and what they may do.

    A tool needs each of its capabilities to be in `capabilities`. The other fields are for
    policies: `phase` and `session` are the embedder's own words; `origin` says what asked for
    the run ("agent" is a model's script).
    """

    principal: str = ""
    capabilities: frozenset[str] = frozenset()
    phase: str = ""
    session: str = ""
    origin: str = "agent"

    def __post_init__(self) -> None:
        frozen_names(self, "capabilities")
        check_fields(self, _AUTHORITY)

    def narrowed(self, scope: frozenset[str] | None) -> Authority:
        """The same authority with only those capabilities that are also in `scope`."""
        if scope is None:
            return self
        return replace(self, capabilities=self.capabilities & scope)


@tells_names
@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy says to one call.

    Attributes:
        kind: "allow", "deny", "ask" (a person decides) or "sandbox" (only where the runtime
            confines scripts).
        id: the decision's own identity, for audits.
        policy_version: the version under which it was made; another one than the policy's is
            stale, and a denial.
        reason: why; the script and the receipt show it for a denial.
        scope: capabilities that the call, and what it runs, may use; None leaves them as
            they are. A scope never adds any.
    """

    kind: DecisionKind
    id: str = ""
    policy_version: str | None = None
    reason: str = ""
    scope: frozenset[str] | None = None

    def __post_init__(self) -> None:
        frozen_names(self, "scope")
        check_fields(self, _DECISION)


@dataclass(frozen=True, slots=True)
class PolicyRequest:
    """One call that asks for a decision.

    `depth` is 1 for a script's own call, 2 for a call of a script that a tool ran, and so on.
    `args` are JSON values; None in a request that only asks whether the tool may be offered
    (`listing`). `manifest` may name secrets: the policy sees them and nobody else does.
    """

    tool: str
    namespace: str | None
    args: Any
    manifest: Manifest
    capabilities: frozenset[str]
    authority: Authority | None
    policy_version: str
    run_id: str
    seq: int
    line: int | None
    depth: int
    app: Any
    listing: bool = False


Authorize = Callable[[PolicyRequest], Decision | Awaitable[Decision]]


@tells_names
@dataclass(frozen=True, slots=True)
class Policy:
    """The embedder's word on each call, asked afresh every time before the tool is touched.

    A plain function must not block: it runs on the event loop. An async one may wait.
    `maturities` are those of the tools that are offered where a policy is required (seed 003).
    """

    authorize: Authorize
    version: str = ""
    maturities: frozenset[str] = frozenset({"stable"})

    def __post_init__(self) -> None:
        frozen_names(self, "maturities")
        check_fields(self, _POLICY)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call may not happen, with a code for machines.

    `decision_id` is that of the policy's decision, where it made one.
    """

    code: str
    reason: str
    decision_id: str = ""


def capabilities_of(tool: Tool) -> frozenset[str]:
    """Everything that a run's authority must hold for the tool to be callable."""
    manifest = tool.options.manifest
    if manifest is None:
        return tool.options.capabilities
    return tool.options.capabilities | manifest.capabilities


def beyond_authority(
    needed: frozenset[str], authority: Authority | None, *, agent_only: bool = False
) -> Refusal | None:
    """Why an authority does not cover a tool, or None if it does."""
    if agent_only and (authority is None or authority.origin != "agent"):
        origin = "no authority" if authority is None else f"origin {authority.origin!r}"
        return Refusal("origin", f"only calls of an agent are allowed here, and this has {origin}")
    if not needed:
        return None
    missing = needed - (authority.capabilities if authority else frozenset())
    if missing:
        names = ", ".join(sorted(missing))
        return Refusal("authority", f"the run's authority lacks: {names}")
    return None


async def decided(
    policy: Policy, request: PolicyRequest, *, strict: bool, sandboxed: bool
) -> Decision | Refusal:
    """What `policy` says to `request`, validated. A `Refusal` is a denial.

    Args:
        strict: the rules of seed 003: a decision carries an id, a reason, the policy's version
            and a scope that covers the manifest; "ask" is a denial.
        sandboxed: whether scripts are confined, for decisions "sandbox".

    Raises nothing for what an authorizer does; only cancellation passes.
    """
    try:
        answer = await asked(
            f"the policy, on a call of {request.tool}", lambda: policy.authorize(request)
        )
    except NoAnswer as none:
        return Refusal("policy-failed", f"the policy failed ({type(none.error).__name__})")
    found = checked_decision(answer, policy, request, strict=strict, sandboxed=sandboxed)
    if isinstance(found, Refusal) and isinstance(answer, Decision):
        return replace(found, decision_id=answer.id)
    return found


def checked_decision(
    answer: Any, policy: Policy, request: PolicyRequest, *, strict: bool, sandboxed: bool
) -> Decision | Refusal:
    """What a policy answered, if it is a decision that counts; else why it is a denial."""
    if not isinstance(answer, Decision):
        kind = "allow" if answer is True else "deny"
        reason = (
            f"the policy gave no decision but {described(answer)}; it has to give a Decision, "
            f"such as Decision({kind!r})"
        )
        _log.warning("on a call of %s, %s", request.tool, reason)
        return Refusal("policy-malformed", reason)
    if answer.policy_version is None:
        if strict:
            return Refusal("policy-stale", "the decision names no policy version")
    elif answer.policy_version != policy.version:
        return Refusal("policy-stale", "the decision is of another version of the policy")
    if strict and not (answer.id and answer.reason):
        return Refusal("policy-malformed", "the decision carries no id or no reason")
    if answer.kind == "deny":
        return Refusal("policy-denied", answer.reason or "the policy denies this call")
    if answer.kind == "ask" and strict:
        return Refusal("policy-approval", answer.reason or "the call needs an approval")
    if answer.kind == "sandbox" and not sandboxed:
        return Refusal("sandbox-required", answer.reason or "the call needs a sandbox")
    return _scoped(answer, request, strict)


def _scoped(answer: Decision, request: PolicyRequest, strict: bool) -> Decision | Refusal:
    if answer.scope is None:
        return answer
    held = request.authority.capabilities if request.authority else frozenset[str]()
    if not answer.scope <= held:
        return Refusal("authority-widened", "the decision's scope is wider than the authority")
    if strict and not request.capabilities <= answer.scope:
        return Refusal("scope", "the decision's scope does not cover what the tool needs")
    if not request.capabilities <= answer.scope:
        return Refusal("scope", answer.reason or "the decision leaves out what the tool needs")
    return answer
