"""What an engine takes besides its tools, for those who make engines for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from toolscript.contract.tool import GlobalFunction
from toolscript.events import OnEvent
from toolscript.host.approval import ApproveCallback
from toolscript.host.limits import Limits
from toolscript.host.policy import Policy
from toolscript.parts import ENGINE_PARTS, check_engine
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


def check_options(options: Mapping[str, Any]) -> Profile:
    """Refuse options of an engine that is made later, as `CodeMode` would; gives their profile.

    Raises:
        ConfigurationError: for the first that is wrong.
    """
    check_engine(**{name: value for name, value in options.items() if name in ENGINE_PARTS})
    named = options.get("profile", "default")
    profile = profile_named(named) if isinstance(named, str) else named
    knobs = {
        name: value
        for name, value in options.items()
        if name in Knobs.__annotations__
        or (name not in EngineOptions.__annotations__ and name not in ENGINE_PARTS)
    }
    return profile.with_knobs(cast("Knobs", knobs), options.get("limits"))


def without_store(options: EngineOptions) -> EngineOptions:
    """Options for scripts that get no `store`, because nobody would keep what they put there.

    Raises:
        ConfigurationError: for a profile that does not exist.
    """
    named = options.get("profile", "default")
    check_engine(profile=named)
    profile = profile_named(named) if isinstance(named, str) else named
    return {**options, "profile": profile.without("store")}
