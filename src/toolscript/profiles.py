"""Profiles: named sets of knobs and limits.

A profile is a plain frozen value. Five of them give the behaviour and the numbers of the
documents that the project comes from (seeds 000 to 004); any knob can be overridden beside one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypedDict

from toolscript.errors import ConfigurationError
from toolscript.given import NAME, a, check, tells_names
from toolscript.host.limits import Limits

Redact = Callable[[str, Any], Any]
"""`redact(tool, value)` gives what records and events hold instead of `value`: arguments, a result,
or what an error says (a string)."""


class Knobs(TypedDict, total=False):
    """Every switch that a profile sets; pass any of them to `CodeMode` beside `profile=`.

    source: which forms of script are taken: whatever models write, a function body, a module.
    returns: "ignore" drops the script's value (seed 000).
    check: what is checked before each run: nothing, types, or the constrained syntax rules.
    schemas: "strict" refuses schemas that a declaration cannot represent exactly.
    names: "sanitise" maps illegal characters to `_`; "strict" takes only plain identifiers.
    clash: two tools of one identifier are refused, suffixed, or the first one wins.
    validate: what the host validates: arguments and results, arguments, nothing.
    json: "bigint" keeps large integers, "lossless" refuses all that JSON cannot hold, "js" is
        what JSON.stringify does.
    parallel: all calls overlap, only adjacent read-only ones, or none.
    over_limit: more calls at once than `Limits.parallel` wait, or fail the run.
    unawaited: what happens to calls still unsettled when the script returns.
    on_tool_error: "taint" fails the run even when the script caught the error.
    tool_errors: "code" shows the script only the code of a failed call.
    overflow: too much output fails the run, or is cut with a mark.
    timers: offer `sleep`, `setTimeout` and `setInterval`.
    allow_eval: keep `eval` and `Function`.
    typescript: erase types; False takes JavaScript only.
    discovery: offer `codemode.search` and its like.
    redact: what records and events hold instead of a call's arguments, result and error.
    track_lines: note the script line of each call.
    isolation: "required" refuses to run without every protection of the runtime.
    """

    source: Literal["auto", "body", "module"]
    returns: Literal["value", "ignore"]
    check: Literal["none", "types", "constrained"]
    schemas: Literal["lenient", "strict"]
    names: Literal["sanitise", "strict"]
    clash: Literal["error", "suffix", "first"]
    validate: Literal["both", "input", "none"]
    json: Literal["bigint", "lossless", "js"]
    parallel: Literal["all", "reads", "serial"]
    over_limit: Literal["queue", "fail"]
    unawaited: Literal["cancel", "drain", "error"]
    on_tool_error: Literal["recover", "taint"]
    tool_errors: Literal["message", "code"]
    overflow: Literal["fail", "truncate"]
    timers: bool
    allow_eval: bool
    typescript: bool
    discovery: bool
    redact: Redact | None
    track_lines: bool
    isolation: Literal["best", "required"]


@tells_names
@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Knobs, limits, and the few rules that come with a seed and are no knob of their own.

    Attributes:
        builtins: globals that a script sees, by name from the globals table.
        require_policy: tools cannot be called without a `Policy` (seed 003).
        agent_origin_only: only an authority of origin "agent" may call tools (seed 003).
        broker: calls resolve to `{result, text}`; arguments must be an object without reserved
            keys; unknown names are denied; a partial file read is an error (seed 001).
        fixed_groups: overlapping calls start in groups that finish before the next (seed 001).
        sorted_json: keys of values are sorted (seed 003).
        declaration_bytes: largest declarations of tools, in UTF-8; those of more tools are left
            out, and the contract says so (seed 003).
        type_maps: declarations hold `ToolArgs` and `ToolResults`, and `JsonValue` stands for a
            result that is not declared (seed 002).
        error_codes: the names that failures carry as `RunError.code` (seeds 003 and 004).
        maxima: largest value that each limit may be given; above is a `ConfigurationError`.
    """

    name: str
    limits: Limits = field(default_factory=Limits)
    source: Literal["auto", "body", "module"] = "auto"
    returns: Literal["value", "ignore"] = "value"
    check: Literal["none", "types", "constrained"] = "none"
    schemas: Literal["lenient", "strict"] = "lenient"
    names: Literal["sanitise", "strict"] = "sanitise"
    clash: Literal["error", "suffix", "first"] = "error"
    validate: Literal["both", "input", "none"] = "both"
    json: Literal["bigint", "lossless", "js"] = "bigint"
    parallel: Literal["all", "reads", "serial"] = "all"
    over_limit: Literal["queue", "fail"] = "queue"
    unawaited: Literal["cancel", "drain", "error"] = "cancel"
    on_tool_error: Literal["recover", "taint"] = "recover"
    tool_errors: Literal["message", "code"] = "message"
    overflow: Literal["fail", "truncate"] = "fail"
    timers: bool = True
    allow_eval: bool = True
    typescript: bool = True
    discovery: bool = True
    redact: Redact | None = None
    track_lines: bool = True
    isolation: Literal["best", "required"] = "best"
    builtins: frozenset[str] = frozenset(
        {
            "bindings",
            "codemode",
            "console",
            "emit",
            "exit",
            "image",
            "list",
            "progress",
            "store",
            "text",
            "web",
        }
    )
    require_policy: bool = False
    agent_origin_only: bool = False
    broker: bool = False
    fixed_groups: bool = False
    sorted_json: bool = False
    declaration_bytes: int | None = None
    type_maps: bool = False
    error_codes: Literal["default", "constrained", "sandbox"] = "default"
    maxima: Mapping[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        check("Profile(name=)", NAME, self.name)
        check("Profile(limits=)", a(Limits), self.limits)
        for name in _WORDS:
            _check_word(name, getattr(self, name))

    def without(self, *builtins: str) -> Profile:
        """This profile with fewer of the globals that a script sees."""
        return replace(self, builtins=self.builtins.difference(builtins))

    def with_knobs(self, knobs: Knobs, limits: Limits | Mapping[str, Any] | None) -> Profile:
        """This profile with knobs overridden and limits replaced or merged.

        Raises:
            ConfigurationError: for an unknown knob or limit, a value that a knob does not take,
                or a limit above this profile's maximum.
        """
        for name, value in knobs.items():
            if name not in _WORDS:
                known = ", ".join(sorted(_WORDS))
                raise ConfigurationError(f"there is no knob {name!r}; the knobs are {known}")
            _check_word(name, value)
        bounds = limits if isinstance(limits, Limits) else self.limits.merged(limits or {})
        for name, most in self.maxima.items():
            value = getattr(bounds, name)
            if value is None or value > most:
                raise ConfigurationError(
                    f"Limits.{name} may be at most {most:g} in profile {self.name!r}, not {value!r}"
                )
        return replace(self, limits=bounds, **knobs)


def _check_word(name: str, value: Any) -> None:
    words = _WORDS[name]
    if words == ("bool",) and not isinstance(value, bool):
        raise ConfigurationError(f"{name}= must be True or False, not {value!r}")
    if len(words) > 1 and value not in words:
        one_of = ", ".join(repr(word) for word in words)
        raise ConfigurationError(f"{name}= must be one of {one_of}, not {value!r}")


def _knob_words() -> dict[str, tuple[str, ...]]:
    """The words that each knob takes; `("bool",)` for a switch, `()` for anything else."""
    found: dict[str, tuple[str, ...]] = {}
    for name, annotation in Knobs.__annotations__.items():
        text: str = annotation.__forward_arg__
        if text.startswith("Literal["):
            words = text.removeprefix("Literal[").removesuffix("]").split(",")
            found[name] = tuple(word.strip().strip("\"'") for word in words)
        else:
            found[name] = ("bool",) if text == "bool" else ()
    return found


_WORDS: Final = _knob_words()

_MIB = 1024 * 1024

PROFILES: Final[Mapping[str, Profile]] = {
    profile.name: profile
    for profile in (
        Profile(name="default"),
        # Seed 000: a typed module contract.
        Profile(
            name="contract",
            source="module",
            returns="ignore",
            schemas="strict",
            names="strict",
            unawaited="cancel",
            timers=False,
            discovery=False,
            builtins=frozenset({"console"}),
            limits=Limits(
                wall_s=None,
                cpu_s=None,
                calls=None,
                parallel=None,
                argument_bytes=16 * _MIB,
                result_bytes=16 * _MIB,
            ),
        ),
        # Seed 001: a broker in front of an agent's own tools.
        Profile(
            name="broker",
            source="body",
            json="js",
            validate="none",
            parallel="reads",
            unawaited="drain",
            on_tool_error="taint",
            timers=False,
            discovery=False,
            typescript=False,
            broker=True,
            fixed_groups=True,
            builtins=frozenset({"emit", "list"}),
            limits=Limits(
                source_chars=16_384,
                wall_s=60.0,
                cpu_s=None,
                memory_bytes=32 * _MIB,
                calls=32,
                parallel=4,
                argument_bytes=None,
                argument_chars=65_536,
                result_bytes=2 * _MIB,
                output_bytes=16_000,
                output_items=100,
                value_bytes=16_000,
            ),
        ),
        # Seed 002: a runtime seam with lossless values and one output ledger.
        Profile(
            name="seam",
            source="body",
            type_maps=True,
            json="lossless",
            parallel="reads",
            unawaited="drain",
            timers=False,
            discovery=False,
            builtins=frozenset({"console"}),
            limits=Limits(
                source_chars=None,
                wall_s=600.0,
                cpu_s=60.0,
                memory_bytes=512 * _MIB,
                calls=None,
                parallel=10,
                argument_bytes=None,
                result_bytes=None,
                output_bytes=None,
                output_items=10_000_000,
                value_bytes=None,
                total_bytes=64 * _MIB,
            ),
        ),
        # Seed 003: constrained scripts under a mandatory policy.
        Profile(
            name="constrained",
            source="body",
            check="constrained",
            clash="suffix",
            json="lossless",
            over_limit="fail",
            unawaited="error",
            tool_errors="code",
            timers=False,
            allow_eval=False,
            discovery=False,
            require_policy=True,
            agent_origin_only=True,
            sorted_json=True,
            declaration_bytes=131_072,
            error_codes="constrained",
            builtins=frozenset({"emit", "log", "bindings"}),
            limits=Limits(
                source_chars=None,
                source_bytes=65_536,
                wall_s=5.0,
                cpu_s=5.0,
                memory_bytes=32 * _MIB,
                calls=32,
                parallel=4,
                argument_bytes=262_144,
                result_bytes=262_144,
                output_bytes=262_144,
                output_items=256,
                value_bytes=262_144,
                total_bytes=262_144,
                input_bytes=262_144,
                depth=4,
            ),
            maxima={
                "wall_s": 30.0,
                "memory_bytes": 256 * _MIB,
                "calls": 128,
                "parallel": 16,
                "depth": 16,
                "output_items": 256,
                "input_bytes": 262_144,
                "total_bytes": 262_144,
            },
        ),
        # Seed 004: the sandbox that prints.
        Profile(
            name="sandbox",
            source="body",
            json="js",
            validate="none",
            clash="first",
            timers=False,
            discovery=False,
            typescript=False,
            error_codes="sandbox",
            track_lines=False,
            builtins=frozenset({"console", "text", "image", "exit", "store", "list"}),
            limits=Limits(
                source_chars=None,
                wall_s=300.0,
                cpu_s=None,
                memory_bytes=None,
                calls=None,
                parallel=None,
                argument_bytes=None,
                result_bytes=None,
                output_bytes=16 * _MIB,
                output_items=100_000,
                value_bytes=None,
            ),
        ),
    )
}


def profile_named(name: str) -> Profile:
    """The profile of that name.

    Raises:
        ConfigurationError: if there is none.
    """
    found = PROFILES.get(name)
    if found is None:
        known = ", ".join(repr(known) for known in PROFILES)
        raise ConfigurationError(f"there is no profile {name!r}; the profiles are {known}")
    return found
