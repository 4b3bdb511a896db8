"""The rules of a script, in the few lines that a model needs to get it right the first time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolscript.globals import Global
from toolscript.profiles import Profile

_LISTED_APART = frozenset({"ToolError"})
_UNAWAITED = {
    "cancel": "is cancelled",
    "drain": "is waited for, but its result is lost",
    "error": "fails the script",
}


def opening(profile: Profile) -> str:
    """The first sentence of every prompt."""
    return (
        f"Do the whole task in one {language(profile)} script that calls the tools below. It runs "
        f"in a sandbox; you read back what it returns and prints."
    )


def language(profile: Profile) -> str:
    return "TypeScript" if profile.typescript else "JavaScript"


def script_rules(profile: Profile, *, has_input: bool, has_unknown: bool) -> list[str]:
    """The rules that hold under a profile, the most important first."""
    return [
        *_form(profile, has_input=has_input),
        *_calls(profile, has_unknown=has_unknown),
        *_world(profile),
    ]


def globals_line(rows: Sequence[Global]) -> str:
    """One paragraph on the globals that exist besides the tools."""
    told = [row.summary for row in rows if row.summary and row.switch not in _LISTED_APART]
    return " ".join(told)


def _form(profile: Profile, *, has_input: bool) -> Iterator[str]:
    if profile.source == "module":
        scope = "input, codemode, console" if has_input else "codemode, console"
        yield (
            f"Write a module: `export default async function ({{ {scope} }}: AgentProgramScope) "
            "{ … }`. Tools are `codemode.<name>(…)`."
        )
    else:
        yield (
            "Write the body of an async function: `await` works at the top level, `return` gives "
            "the result."
        )
    if profile.returns == "ignore":
        yield "The returned value is ignored: print the answer with `console.log`."
    elif profile.source != "module" or not profile.discovery:
        yield (
            "Filter, join, sort and count in the script. Return only what the answer needs, as a "
            "value (not as JSON text): whole results do not belong in it."
        )
    if has_input:
        yield "`input` holds the input of this task, read-only."


def _calls(profile: Profile, *, has_unknown: bool) -> Iterator[str]:
    if profile.broker:
        yield (
            "A call takes one object and resolves to `{ result, text }`: `result` is the value, "
            "`text` what you would have read. `tools.call(name, args)` does the same by name."
        )
    else:
        yield (
            "A call takes one object of arguments and resolves to a ready value (object, array, "
            "string, number): never `JSON.parse` it. `?` marks what may be left out; properties "
            "that are not declared may be refused."
        )
    most = profile.limits.parallel
    together = f" (up to {most} run at once)" if most and profile.parallel == "all" else ""
    if profile.parallel == "serial":
        yield "Calls run one after another. Await each one."
    else:
        yield (
            f"Start independent calls together with `Promise.all`{together}. Await every call: "
            f"one that is still running when the script ends {_UNAWAITED[profile.unawaited]}."
        )
    if has_unknown:
        yield (
            "A result of type `unknown` has no declared shape: return a small part of one first, "
            "then write the script that relies on it."
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
            "A failed call throws a `ToolError` (`tool`, `code`, `message`, `details`). Catch it "
            "only where the script can go on without the result; otherwise let it end the script."
        )


def _world(profile: Profile) -> Iterator[str]:
    kept = " except by `store`" if "store" in profile.builtins else ""
    if profile.check == "constrained":
        yield (
            "Allowed are constants, arrow functions, conditions, loops and calls. No imports, "
            "classes, `function`, `new`, regular expressions, index access, `Math` or `console`."
        )
    else:
        yield (
            "Standard JavaScript works. There is no `fetch`, `require`, `import`, `process`, "
            f"`Buffer` or file system: only tools reach outside. Nothing is kept between scripts"
            f"{kept}."
        )
    if profile.json == "bigint":
        yield "Integers beyond 2^53 arrive as `bigint`."
    limits = profile.limits
    bounds = [
        f"{limits.wall_s:g} s" if limits.wall_s is not None else "",
        f"{limits.calls:,} calls" if limits.calls is not None else "",
        f"{_size(limits.value_bytes)} returned"
        if limits.value_bytes is not None and profile.returns == "value"
        else "",
    ]
    told = ", ".join(bound for bound in bounds if bound)
    if told:
        yield f"Limits of one script: {told}."


def _size(amount: int) -> str:
    """Bytes as a person says them."""
    for unit, size in (("MiB", 1024 * 1024), ("KiB", 1024)):
        if amount >= size and amount % size == 0:
            return f"{amount // size:,} {unit}"
    return f"{amount:,} bytes"
