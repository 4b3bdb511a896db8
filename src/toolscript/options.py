"""What an engine takes besides its tools, for those who make engines for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolscript.contract.tool import GlobalFunction
from toolscript.events import OnEvent
from toolscript.host.approval import ApproveCallback
from toolscript.host.limits import Limits
from toolscript.host.policy import Policy
from toolscript.parts import check_engine
from toolscript.profiles import Knobs, Profile, profile_named
from toolscript.sandbox.runtime import Runtime


class EngineOptions(Knobs, total=False):
    """What `CodeMode` takes besides tools and a journal; see there."""

    profile: str | Profile
    input_schema: Any
    runtime: Runtime | None
    limits: Limits | Mapping[str, Any] | None
    policy: Policy | None
    approve: ApproveCallback | None
    modules: Mapping[str, str] | None
    globals: Sequence[GlobalFunction] | None
    shortcuts: Mapping[str, str] | None
    tool_hints: Mapping[str, str] | None
    on_event: OnEvent | None


def without_store(options: EngineOptions) -> EngineOptions:
    """Options for scripts that get no `store`, because nobody would keep what they put there.

    Raises:
        ConfigurationError: for a profile that does not exist.
    """
    given = options.get("profile", "default")
    check_engine(profile=given)
    profile = profile_named(given) if isinstance(given, str) else given
    return {**options, "profile": profile.without("store")}
