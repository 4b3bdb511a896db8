"""What a run may see and call at all, before anybody is asked about a single call."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Sequence
from typing import Any, Final

from toolscript.contract.entry import Entry
from toolscript.contract.tool import Manifest, Tool
from toolscript.errors import ContractError
from toolscript.host.policy import (
    Authority,
    Policy,
    PolicyRequest,
    Refusal,
    beyond_authority,
    capabilities_of,
    checked_decision,
)
from toolscript.profiles import Profile


def unavailable(
    entry: Entry,
    authority: Authority | None,
    profile: Profile,
    *,
    policy: Policy | None = None,
    runtime: str | None = None,
) -> str | None:
    """Why a tool is left out of what a run sees, as a code; None if it is offered.

    The same filters for every run, before declarations are made; what passes is still decided
    call by call. Codes: "implementation-only", "phase-unavailable", "principal-unavailable",
    "runtime-unavailable", "maturity-unavailable", "authority-insufficient",
    "approval-required", "policy-denied".

    Where the profile requires a policy, tools of other maturities than the policy's are left
    out, and so are those that the policy denies when it is asked (`PolicyRequest.listing`).

    Args:
        runtime: name of the active runtime, for manifests that name theirs.
    """
    strict = profile.require_policy
    if strict and entry.tool.options.requires_approval is True:
        return "approval-required"
    code = _not_here(
        entry, authority, runtime, policy.maturities if strict and policy is not None else None
    )
    if code is not None:
        return code
    needed = capabilities_of(entry.tool)
    agent_only = profile.agent_origin_only and authority is not None
    if beyond_authority(needed, authority, agent_only=agent_only):
        return "authority-insufficient"
    if strict and policy is not None and not _may_be_offered(policy, entry, authority, needed):
        return "policy-denied"
    return None


def _not_here(
    entry: Entry,
    authority: Authority | None,
    runtime: str | None,
    maturities: Collection[str] | None,
) -> str | None:
    """Why the manifest keeps a tool from this run, whatever its authority."""
    manifest = entry.tool.options.manifest
    if manifest is None:
        return None
    if manifest.implementation_only:
        return "implementation-only"
    if manifest.phases and (authority is None or authority.phase not in manifest.phases):
        return "phase-unavailable"
    if manifest.principals and (
        authority is None or authority.principal not in manifest.principals
    ):
        return "principal-unavailable"
    if manifest.runtimes and runtime is not None and runtime not in manifest.runtimes:
        return "runtime-unavailable"
    if maturities is not None and manifest.maturity not in maturities:
        return "maturity-unavailable"
    return None


def refusal_of(
    entry: Entry,
    authority: Authority | None,
    profile: Profile,
    policy: Policy | None,
    runtime: str | None,
) -> Refusal | None:
    """Why a run may not call a tool at all, before the policy is asked about the call."""
    if profile.require_policy and policy is None:
        return Refusal("policy-missing", "tools cannot be called without a policy here")
    if entry.tool.options.manifest is not None:
        maturities = policy.maturities if profile.require_policy and policy else None
        code = _not_here(entry, authority, runtime, maturities)
        if code is not None:
            return Refusal(code, f"the tool is not available here ({code})")
    needed = capabilities_of(entry.tool)
    return beyond_authority(needed, authority, agent_only=profile.agent_origin_only)


MOST_BINDINGS: Final = 128
"""Tools that one contract may have where a policy is required (seed 003)."""


def check_bindings(tools: Sequence[Tool]) -> None:
    """Refuse a set of tools by the rules of seed 003.

    Raises:
        ContractError: with the code `CATALOG_LIMIT_EXCEEDED` for more than 128 tools, or
            `CODE_MODE_BINDING_REJECTED` for two of one name and for an effect on secrets.
    """
    if len(tools) > MOST_BINDINGS:
        raise ContractError(
            f"there are {len(tools)} tools and at most {MOST_BINDINGS} can be offered here",
            code="CATALOG_LIMIT_EXCEEDED",
        )
    seen: set[str] = set()
    for tool in tools:
        if tool.name in seen:
            raise ContractError(
                f"there are two tools named {tool.name!r}", code="CODE_MODE_BINDING_REJECTED"
            )
        seen.add(tool.name)
        manifest = tool.options.manifest
        if manifest is not None and "secret" in manifest.effects:
            raise ContractError(
                f"the tool {tool.name!r} declares an effect on secrets, which no script may have",
                code="CODE_MODE_BINDING_REJECTED",
            )


def _may_be_offered(
    policy: Policy, entry: Entry, authority: Authority | None, needed: frozenset[str]
) -> bool:
    request = PolicyRequest(
        tool=entry.tool.name,
        namespace=entry.namespace,
        args=None,
        manifest=entry.tool.options.manifest or Manifest(),
        capabilities=needed,
        authority=authority,
        policy_version=policy.version,
        run_id="",
        seq=0,
        line=None,
        depth=1,
        app=None,
        listing=True,
    )
    try:
        answer: Any = policy.authorize(request)
    except Exception:
        return False
    if inspect.iscoroutine(answer):
        answer.close()
        return True
    return not isinstance(
        checked_decision(answer, policy, request, strict=True, sandboxed=True), Refusal
    )
