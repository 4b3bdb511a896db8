"""The rules of a script, in the few lines that a model needs to get it right the first time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolscript.contract.comments import clean_line
from toolscript.globals import Global
from toolscript.profiles import Profile

_LISTED_APART = frozenset({"ToolError"})
_UNAWAITED = {
    "cancel": "is cancelled",
    "drain": "is waited for, but its result is lost",
    "error": "fails the script",
}


@dataclass(frozen=True, slots=True)
class Environment:
    """What of the place where scripts run bears on how they are written.

    Attributes:
        modules: what scripts may import, by name.
        platform: a sentence about a platform with an offer of its own, such as Node.js; empty
            where scripts have nothing but what the host gives them.
    """

    modules: tuple[str, ...] = ()
    platform: str = ""


def opening(profile: Profile) -> str:
    """The first sentence of every prompt."""
    language = "TypeScript" if profile.typescript else "JavaScript"
    back = "prints" if profile.returns == "ignore" else "returns and prints"
    return (
        f"Do the whole task in one {language} script that calls the tools below; you read back "
        f"only what it {back}."
    )


def script_rules(
    profile: Profile,
    rows: Sequence[Global],
    environment: Environment,
    *,
    has_input: bool,
    undeclared: str | None,
) -> list[str]:
    """The rules that hold under a profile, the most important first.

    `undeclared` is the type of results that have no schema, or None where all have one.
    """
    return [
        *_form(profile, has_input=has_input),
        *_calls(profile, undeclared),
        *_world(profile, environment),
        *_besides(rows),
        *_limits(profile),
    ]


def _form(profile: Profile, *, has_input: bool) -> Iterator[str]:
    if profile.source == "module":
        scope = "input, codemode, console" if has_input else "codemode, console"
        yield (
            f"It is a module: `export default async function ({{ {scope} }}: AgentProgramScope) "
            "{ … }`. Tools are `codemode.<name>(…)`."
        )
    else:
        yield "It is the body of an async function: `await` and `return` work at the top level."
    if profile.returns == "ignore":
        yield "The returned value is ignored: print the answer with `console.log`."
    else:
        yield (
            "Filter, join, sort and count in the script. Return only what the answer needs, as a "
            "value, not as JSON text."
        )
    if has_input:
        yield "`input` holds the input of this task, read-only."


def _calls(profile: Profile, undeclared: str | None) -> Iterator[str]:
    if profile.broker:
        yield (
            "A call takes one object and resolves to `{ result, text }`: `result` is the value, "
            "`text` what you would have read. `tools.call(name, args)` does the same by name."
        )
    else:
        yield (
            "A call takes one object and resolves to a ready value: never `JSON.parse` it. `?` "
            "marks what may be left out; pass no undeclared property."
        )
    if profile.parallel == "serial":
        yield "Calls run one after another. Await each one."
    else:
        yield (
            "Start independent calls together with `Promise.all`. Await every call: at the end "
            f"one still running {_UNAWAITED[profile.unawaited]}."
        )
    if undeclared is not None:
        yield (
            f"{'A' if undeclared == 'JsonValue' else 'An'} `{undeclared}` result has no declared "
            "shape: let a first script return a part of one before you rely on it."
        )
    if profile.tool_errors == "code":
        yield "A failed call throws a `ToolError` that tells only its `code`."
    elif profile.on_tool_error == "taint":
        yield (
            "A failed call throws a `ToolError` (`tool`, `code`, `message`). Catching it does not "
            "undo it: the run still counts as failed."
        )
    else:
        yield (
            "A failed call throws a `ToolError` (`tool`, `code`, `message`, `details`); catch it "
            "only where the script can do without."
        )


def _world(profile: Profile, environment: Environment) -> Iterator[str]:
    if profile.check == "constrained":
        yield (
            "Allowed are constants, arrow functions, conditions, loops and calls. No imports, "
            "classes, `function`, `new`, regular expressions, index access, `Math` or `console`."
        )
        return
    # Where there is a store, its own words say what is kept.
    kept = "" if "store" in profile.builtins else " Nothing is kept between scripts."
    if environment.platform:
        yield f"It runs here: {clean_line(environment.platform, 300)}{kept}"
        return
    names = ", ".join(f"`{name}`" for name in environment.modules)
    imports = f" Only {names} can be imported." if names else ""
    no = "`fetch`, `require`," if names else "`fetch`, `require`, `import`,"
    yield f"There is no {no} `process`, `Buffer` or file system.{imports}{kept}"


def _besides(rows: Sequence[Global]) -> Iterator[str]:
    """The globals that exist besides the tools, in the words of their table."""
    told = [row.summary for row in rows if row.summary and row.switch not in _LISTED_APART]
    if told:
        yield f"Also there: {' '.join(told)}"


def _limits(profile: Profile) -> Iterator[str]:
    limits = profile.limits
    more = "wait" if profile.over_limit == "queue" else "fail"
    bounds = [
        f"{limits.wall_s:g} s" if limits.wall_s is not None else "",
        f"{limits.calls:,} calls" if limits.calls is not None else "",
        f"{limits.parallel} calls at once (more {more})" if limits.parallel is not None else "",
        f"{_size(limits.value_bytes)} returned"
        if limits.value_bytes is not None and profile.returns == "value"
        else "",
    ]
    told = ", ".join(bound for bound in bounds if bound)
    big = " Integers beyond 2^53 are `bigint`." if profile.json == "bigint" else ""
    if told or big:
        yield f"{f'Limits: {told}.' if told else ''}{big}".strip()


def _size(amount: int) -> str:
    """Bytes as a person says them."""
    for unit, size in (("MiB", 1024 * 1024), ("KiB", 1024)):
        if amount >= size and amount % size == 0:
            return f"{amount // size:,} {unit}"
    return f"{amount:,} bytes"
